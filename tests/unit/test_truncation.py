"""A text that is shortened fits, begins as it did, and says that there is more."""

from hypothesis import given
from hypothesis import strategies as st

from tertulia.core.truncation import ELLIPSIS, truncate, truncate_at_word

lengths = st.integers(1, 80)


@given(st.text(max_size=120), lengths)
def test_what_fits_stays_and_what_does_not_is_a_beginning_with_an_ellipsis(text: str, max_chars: int) -> None:
    for short in (truncate(text, max_chars), truncate_at_word(text, max_chars)):
        assert len(short) <= max_chars
        assert short == text if len(text) <= max_chars else short.endswith(ELLIPSIS)
        assert text.startswith(short.removesuffix(ELLIPSIS)) or short == text


def test_a_word_is_not_cut_unless_it_is_as_long_as_half_of_the_text() -> None:
    assert truncate_at_word("the lamp of the lighthouse", 20) == "the lamp of the…"
    assert truncate_at_word("a " + 30 * "x", 20) == f"a {17 * 'x'}…"
