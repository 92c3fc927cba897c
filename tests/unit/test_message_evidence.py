"""Which messages may answer a question, and which only ask or nod."""

import pytest

from tertulia.context.message_evidence import is_evidence, states_matter
from tertulia.context.recalled_hits import asked_words

STATEMENTS = (
    "We deliver to 14 Harbour Street.",
    "We deliver to 14 Harbour Street. Is that fine?",
    "Noted: we deliver to Lyon.",
    "At 06:40.",
    "When the gate opens, ring the bell.",
    "Where we deliver: the north dock.",
    "Remind me to buy milk on Monday.",
    "Wir liefern nach Lyon.",
    "No almonds in the cake!",
)
NO_STATEMENTS = (
    "Where do we deliver?",
    "where do we deliver",
    "And how many parcels are there? Which of them are late?",
    "Tell me about the walrus.",
    "\u00bfD\u00f3nde entregamos?",
    "Fine, I have noted that.",
    "Understood! I'll keep that in mind.",
    "Got it, thanks for letting me know. Is there anything else?",
    "So be it.",
    "Verstanden, ist notiert.",
    "Bien not\u00e9, merci.",
    "Entendido, gracias.",
)


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_is_evidence(text: str) -> None:
    assert is_evidence(text)


@pytest.mark.parametrize("text", NO_STATEMENTS)
def test_a_question_or_an_acknowledgement_is_none(text: str) -> None:
    assert not is_evidence(text)


QUESTION = "How is the wolf puppet's jaw treated, and which wood are the heads carved from?"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{QUESTION} Also salt and flour.", False),
        (f"{QUESTION} The wolf's jaw, I mean.", False),
        (f"{QUESTION} Thanks!", False),
        (f"{QUESTION} The jaw squeaks since the rain.", True),
        ("Who carves the heads? I heard that it takes three weeks.", True),
        ("Which wood? Some say lime from Ghent.", True),
        ("How do we carve? The price was 40 euros.", True),
        ("Salt and flour.", True),
    ],
)
def test_a_message_that_asks_is_evidence_only_by_what_it_states(text: str, expected: bool) -> None:
    assert states_matter(text, asked_words(QUESTION)) is expected
