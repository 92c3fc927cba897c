"""Words as PostgreSQL's index is given them: split and folded as FTS5's tokenizer `unicode61` does."""

import re
import unicodedata
from functools import cache

from tertulia.retrieval.index_words import INDEX_WORD_PATTERN

#: A letter of the Latin alphabet with the marks that follow it, or one letter with its marks in it. The
#: tokenizer takes these marks off, and no others.
MARKED_LATIN_LETTER_PATTERN = re.compile(r"([A-Za-z])[\u0300-\u036f]+|([\u00c0-\u024f\u1e00-\u1eff])")
#: Letters that the tokenizer takes for another form of the same letter, and `lower` does not.
LETTER_FORMS = str.maketrans(
    "\u017f\u03c2\u00b5\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f5",
    "s\u03c3\u03bc\u03b2\u03b8\u03c6\u03c0\u03ba\u03c1\u03b5",
)


def fold_words(text: str) -> str:
    """Return the words of a text in small letters and without accents, with a blank between them."""
    return " ".join(INDEX_WORD_PATTERN.findall(strip_accents(text).lower().translate(LETTER_FORMS)))


def strip_accents(text: str) -> str:
    """Return a text with the plain letter for each Latin one that has marks."""
    if text.isascii():
        return text
    return MARKED_LATIN_LETTER_PATTERN.sub(lambda found: found[1] or plain_letter(found[2]), text)


@cache
def plain_letter(letter: str) -> str:
    """Return a letter without the marks in it."""
    first = unicodedata.normalize("NFD", letter)[0]
    return first if first.isascii() else letter
