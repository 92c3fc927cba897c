"""Words as PostgreSQL's index is given them: split and folded as FTS5's tokenizer `unicode61` does."""

import re
import unicodedata
from functools import cache

from tertulia.retrieval.accents import strip_accents
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN

#: Letters that the tokenizer takes for another form of the same letter, and `lower` does not.
LETTER_FORMS = str.maketrans(
    "\u017f\u03c2\u00b5\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f5",
    "s\u03c3\u03bc\u03b2\u03b8\u03c6\u03c0\u03ba\u03c1\u03b5",
)
#: A letter that nobody writes, and that the code of a sign follows in its place.
SIGN_CODE_MARK = "\u01c0"
#: The last code point of the plane beyond which no such sign lies.
SIGNS_END = 0x1FFFF


def fold_words(text: str) -> str:
    """Return the words of a text in small letters and without accents, with a blank between them."""
    folded = INDEX_WORD_PATTERN.findall(strip_accents(text).lower().translate(LETTER_FORMS))
    return encode_number_signs(" ".join(folded))


def encode_number_signs(words: str) -> str:
    """Return words with the code of each sign such as \u00b2, \u00bd or \u2460.

    The tokenizer counts them among letters and digits; PostgreSQL's parser would leave them out.
    """
    if words.isascii():
        return words
    return number_sign_pattern().sub(lambda sign: f"{SIGN_CODE_MARK}{ord(sign[0]):x}", words)


@cache
def number_sign_pattern() -> re.Pattern[str]:
    """Return a pattern of all signs that stand for a number and are no digits."""
    signs = (chr(code) for code in range(SIGNS_END + 1) if unicodedata.category(chr(code)) == "No")
    return re.compile(f"[{''.join(signs)}]")
