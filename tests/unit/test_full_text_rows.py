"""What the index of words is given of a text: each stop word once, and names as they are written."""

import pytest

from tertulia.retrieval.full_text_rows import thin_out_stop_words


@pytest.mark.parametrize(
    ("text", "entered"),
    [
        ("The cat and the dog of the house.", "The cat and dog of house."),
        ("the state_of_the_art and the path/to/the/file", "the state_of_the_art and path/to/the/file"),
        (
            "the on-the-fly call of the.the and the mail@the.example",
            "the on-the-fly call of the.the and mail@the.example",
        ),
        ("harbour harbour harbour", "harbour harbour harbour"),
        ("To be or not to be", "To be or not"),
        ("", ""),
    ],
)
def test_a_stop_word_is_entered_once(text: str, entered: str) -> None:
    assert thin_out_stop_words(text).split() == entered.split()
