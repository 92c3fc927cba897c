"""Words as PostgreSQL's index is given them: split and folded as FTS5's tokenizer `unicode61` does."""

import re
import unicodedata

from tertulia.retrieval.index_words import INDEX_WORD_PATTERN

#: A letter of the Latin alphabet and the marks on it: the tokenizer takes these off, and no others.
MARKED_LATIN_LETTER_PATTERN = re.compile(r"([A-Za-z])[\u0300-\u036f]+")


def fold_words(text: str) -> str:
    """Return the words of a text in small letters and without accents, with a blank between them."""
    return " ".join(INDEX_WORD_PATTERN.findall(strip_accents(text).lower()))


def strip_accents(text: str) -> str:
    """Return a text with the plain letter for each Latin one that has marks."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", MARKED_LATIN_LETTER_PATTERN.sub(r"\1", decomposed))
