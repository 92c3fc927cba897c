"""What the index of words is given of a text: no stop words, names as they are written, its topic."""

from datetime import UTC, datetime

import pytest

from tertulia.retrieval.full_text_rows import drop_stop_words, full_text_row
from tertulia.retrieval.message_texts import message_context
from tertulia.retrieval.sources import IndexedSource, SourceKind

SAID_AT = datetime(2026, 3, 4, tzinfo=UTC)
REPLY = IndexedSource(
    id=1,
    workspace_id="wsp_1",
    kind=SourceKind.MESSAGE,
    source_id="msg_1",
    project_id=None,
    conversation_id="cnv_1",
    owner_id=None,
    path="",
    media="text/markdown",
    speaker="agent:grok-4",
    round_number=3,
    said_at=SAID_AT,
    attempts=0,
    revision=1,
    chunk_count=1,
    embedder="",
)


@pytest.mark.parametrize(
    ("text", "entered"),
    [
        ("The cat and the dog of the house.", "cat dog house."),
        ("the state_of_the_art and the path/to/the/file", "state_of_the_art path/to/the/file"),
        ("the on-the-fly call of the.the, mail@the.example", "on-the-fly call the.the, mail@the.example"),
        ("harbour harbour harbour", "harbour harbour harbour"),
        ("A hat, a bin and the war", "hat, bin war"),
        ("To be or not to be", "To be or not to be"),
        ("", ""),
    ],
)
def test_stop_words_are_entered_only_where_nothing_else_is(text: str, entered: str) -> None:
    assert drop_stop_words(text).split() == entered.split()


def test_a_reply_is_entered_under_its_title_and_all_telling_words_of_its_question() -> None:
    question = "What is the " + " and the ".join(f"detail{number}" for number in range(12)) + "?"
    context = message_context("Counting tokens offline", question, SAID_AT)
    row = full_text_row(REPLY, 7, context=context, content="Divide the characters by four.")
    words = [word.strip("()?") for word in row.keys.split()]
    details = {f"detail{number}" for number in range(12)}
    assert {"Counting", "tokens", "offline", *details, "March", "grok-4"} <= set(words)
    assert not {"What", "is", "the", "and"} & set(words)


def test_what_title_and_question_both_say_counts_twice() -> None:
    context = message_context("The quay wall", "How old is the quay wall?", SAID_AT)
    row = full_text_row(REPLY, 7, context=context, content="Some eighty years.")
    assert row.keys.split().count("quay") == 2


def test_a_reply_is_entered_under_a_title_that_it_says_itself() -> None:
    context = message_context("Counting tokens", None, SAID_AT)
    row = full_text_row(REPLY, 7, context=context, content="Counting tokens is easy.")
    assert {"Counting", "tokens"} <= set(row.keys.split())
