"""What the index of words is given of a text: no stop words, and names as they are written."""

import pytest

from tertulia.retrieval.full_text_rows import drop_stop_words


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
