"""Words of people and models in the summary of a call: on one line, and no longer than can be read."""

from tertulia.core.truncation import truncate
from tertulia.tools.planner.errors import TitleMissing

SUMMARY_WORDS_MAX_CHARS = 200


def settle_title(title: str) -> str:
    """Return a title on one line, as titles stand everywhere; raise `TitleMissing` where it says nothing."""
    plain = " ".join(title.split())
    if not plain:
        raise TitleMissing
    return plain


def quote_words(words: str, max_chars: int = SUMMARY_WORDS_MAX_CHARS) -> str:
    """Return words between quotation marks, which none of them can end."""
    plain = " ".join(words.translate({0x201C: '"', 0x201D: '"'}).split())
    return f"“{truncate(plain, max_chars)}”"
