"""What a person says of their own is found word for word; what is pasted, played or secret is not."""

from time import thread_time

import pytest
from evals.memories.labelled_sets import read_messages, read_poisoned

from tertulia.memories.domain import MemoryType
from tertulia.memories.statement_rules import MESSAGE_STATEMENTS_MAX, find_statements


@pytest.mark.parametrize(
    ("message", "type_", "category"),
    [
        ("I'm allergic to nuts.", MemoryType.FACT, "health"),
        ("My daughter's birthday is 5 May.", MemoryType.FACT, "dates"),
        ("Please always answer in British English.", MemoryType.PREFERENCE, "style"),
        ("We decided to go with PostgreSQL.", MemoryType.DECISION, "tools"),
        ("The repository lives at git.acme.example/heron.", MemoryType.PROJECT, "tools"),
        ("Our launch is on 4 May.", MemoryType.PROJECT, "dates"),
        ("Mara is our accountant.", MemoryType.ENTITY, "work"),
        ("Meine Tochter heißt Ida.", MemoryType.FACT, "family"),
        ("J'habite à Nantes.", MemoryType.FACT, "home"),
    ],
)
def test_a_statement_has_its_type_and_category(message: str, type_: MemoryType, category: str) -> None:
    [statement] = find_statements(message)
    assert (statement.type, statement.category, statement.content) == (type_, category, message)
    assert 0 < statement.confidence <= 1


def test_a_statement_is_its_sentence_word_for_word() -> None:
    message = "Hi!  \u201cHello\u201d \U0001f600\n\nRemember that I\u2019m vegan.\nWhat can I cook?"
    [statement] = find_statements(message)
    assert message[statement.start_char : statement.end_char] == "Remember that I\u2019m vegan."
    assert statement.content == "I'm vegan."
    assert statement.confidence > 0.9


def test_a_wrapped_sentence_is_one_statement() -> None:
    message = "We decided to go with PostgreSQL for the orders and everything that has\nto do with invoices."
    [statement] = find_statements(message)
    assert message[statement.start_char : statement.end_char] == message
    assert "\n" not in statement.content


@pytest.mark.parametrize(
    "message",
    [
        "What is my name?",
        "Write me a poem about cats.",
        "If I were a pirate, I would live in Tortuga.",
        "He says I am his boss.",
        "> I live in Boston.",
        "```\nI live in Boston.\n```",
        "Translate: I live in Boston and my name is Carl.",
        "Let's role-play. My name is Thorin.",
        "Don't remember this: I live in Rome.",
        "Remember that the password is hunter2.",
        "My card number is 4111 1111 1111 1111.",
        "Our key is sk-live-51Hx93kfj2039fjdk20.",
        "My IBAN is DE89 3704 0044 0532 0130 00.",
        "I'm trying to install numpy.",
    ],
)
def test_nothing_is_taken_from_what_is_no_statement(message: str) -> None:
    assert find_statements(message) == []


@pytest.mark.parametrize("text", read_poisoned())
def test_nothing_is_taken_from_what_is_not_the_persons_own(text: str) -> None:
    assert find_statements(text) == []


@pytest.mark.parametrize("half", ["tune", "heldout", "fresh"])
def test_labelled_messages_give_what_is_in_them(half: str) -> None:
    missed, false = list[str](), list[str]()
    for message in read_messages(half):
        found = find_statements(message.text)
        starts = [statement.start_char for statement in found]
        for span in message.spans:
            if not any(one.start_char <= span.start_char < one.end_char for one in found):
                missed.append(message.text[span.start_char : span.end_char])
        false += [message.text for _ in range(len(starts) - len(message.spans))]
    assert len(missed) <= 3, missed
    assert len(false) <= 1, false


HOSTILE_SCRAPS = (
    *(
        "a",
        "I am ",
        '"',
        "\n",
        "1. 2. 3. ",
        ". ",
        "from: a\n",
        " ",
        "- ",
        "'a ",
        "aB1",
        "we have decided ",
        "```\n",
    ),
    *("My name is Ann. I live in Rome. ", "wir haben ", "\u201c", "{", "The x of is ", "on a wrote: "),
)


HOSTILE_TEXT_MAX_SECONDS = 3.0


@pytest.mark.parametrize("scrap", HOSTILE_SCRAPS)
def test_hostile_text_is_read_in_little_time(scrap: str) -> None:
    text = scrap * (1_000_000 // len(scrap))
    find_statements("I live in Rome.")
    began = thread_time()
    assert len(find_statements(text)) <= MESSAGE_STATEMENTS_MAX
    # A fraction of a second of this thread; what is quadratic takes hours.
    assert thread_time() - began < HOSTILE_TEXT_MAX_SECONDS
