"""The names in a question, by which memories about them are looked up."""

import pytest

from tertulia.memories.linked_memories import find_question_names, subject_words, to_subject_word


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Who is the Governor of Astrakhov?", "The Governor of Astrakhov is Ana Ruiz."),
        ("Where does Nordhaven Bank plc have its seat?", "Nordhaven Bank plc is owned by Helios."),
        ("What is Marguerite d'Aubigné famous for?", "Marguerite d'Aubigné is famous for Run."),
        ("Whom did Abu Hassan al-Basri marry?", "Abu Hassan al-Basri is married to Salma Rahman."),
        ("What's my bike lock's code?", "My bike lock is a Kryptonite."),
    ],
)
def test_a_question_names_what_a_statement_is_about(question: str, statement: str) -> None:
    named = {to_subject_word(name) for name in find_question_names(question)}
    assert not named.isdisjoint(subject_words(statement))
