"""Words for PostgreSQL are split and folded as FTS5's tokenizer does it."""

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.retrieval.postgres.folded_words import fold_words

#: Latin letters with and without marks, some Greek, Cyrillic, Hebrew, Japanese and Korean ones.
SCRIPTS = ((0x20, 0x7E), (0xC0, 0x17F), (0x391, 0x3A1), (0x410, 0x44F), (0x5D0, 0x5EA), (0x3041, 0x3096),
           (0xAC00, 0xAC40))  # fmt: skip
letters = st.one_of([st.characters(min_codepoint=first, max_codepoint=last) for first, last in SCRIPTS])


def fts5_words(text: str) -> list[str]:
    """Return the words that FTS5 would index, in order."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize = 'unicode61 remove_diacritics 2')")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5vocab(t, 'instance')")
    connection.execute("INSERT INTO t VALUES (?)", (text,))
    found = connection.execute('SELECT term FROM words ORDER BY "offset"').fetchall()
    return [str(term) for (term,) in found]


@given(st.text(letters, max_size=60))
def test_words_are_those_of_fts5(text: str) -> None:
    assert fold_words(text).split() == fts5_words(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Crème brûlée", "creme brulee"),
        ("Cre\u0300me", "creme"),
        ("parse_config(x)", "parse config x"),
        ("\u0401 \u0439", "\u0451 \u0439"),
        ("\u017fo \u03bb\u03cc\u03b3\u03bf\u03c2", "so \u03bb\u03cc\u03b3\u03bf\u03c3"),
        ("\u0958", "\u0958"),
        ("CO\u2082, 1\u00bd m\u00b2", "co\u01c02082 1\u01c0bd m\u01c0b2"),
        ("", ""),
    ],
)
def test_marks_of_latin_letters_alone_are_taken_off(text: str, words: str) -> None:
    assert fold_words(text) == words
