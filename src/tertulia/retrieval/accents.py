"""Letters without their accents, as FTS5's tokenizer `unicode61` takes them off."""

import re
import unicodedata
from functools import cache

#: A letter of the Latin alphabet with the marks that follow it, or one letter with its marks in it. The
#: tokenizer takes these marks off, and no others.
MARKED_LATIN_LETTER_PATTERN = re.compile(r"([A-Za-z])[\u0300-\u036f]+|([\u00c0-\u024f\u1e00-\u1eff])")
#: What every such letter has: most text is found to have none much sooner than it is read for letters.
LATIN_MARK_PATTERN = re.compile(r"[\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff]")


def strip_accents(text: str) -> str:
    """Return a text with the plain letter for each Latin one that has marks."""
    if text.isascii() or not LATIN_MARK_PATTERN.search(text):
        return text
    return MARKED_LATIN_LETTER_PATTERN.sub(lambda found: found[1] or plain_letter(found[2]), text)


@cache
def plain_letter(letter: str) -> str:
    """Return a letter without the marks in it."""
    first = unicodedata.normalize("NFD", letter)[0]
    return first if first.isascii() else letter
