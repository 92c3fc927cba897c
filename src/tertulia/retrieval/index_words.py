"""Words of a text as the index knows them: identifiers whole and in parts, nothing that tells nothing."""

import re

from tertulia.core.stop_words import STOP_WORDS

#: Runs of letters and digits; everything else separates, as it does in the index's own tokenizer.
INDEX_WORD_PATTERN = re.compile(r"[^\W_]+")
#: Where a word written in camel case is cut: aB, ABc, a1.
CAMEL_CASE_PATTERN = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)")
#: From here on scripts put no spaces between words.
UNSPACED_SCRIPTS_START = "\u2e80"
UNSPACED_RUN_PATTERN = re.compile(rf"[{UNSPACED_SCRIPTS_START}-\U0010ffff]+")
#: More words than this say no more about what is wanted.
QUERY_WORDS_MAX = 24
INDEX_WORD_MAX_CHARS = 64


def split_camel_case(word: str) -> list[str]:
    """Return the parts of a word in camel case; a plain word has one."""
    return [part for part in CAMEL_CASE_PATTERN.split(word) if part]


def list_name_parts(text: str) -> list[str]:
    """Return the parts of every camel-case word, each once: they are indexed beside the words themselves."""
    parts: dict[str, None] = {}
    for word in INDEX_WORD_PATTERN.findall(text):
        if len(word) <= INDEX_WORD_MAX_CHARS and not (word.islower() or word.isdigit()):
            found = split_camel_case(word)
            if len(found) > 1:
                parts.update(dict.fromkeys(part.lower() for part in found if len(part) > 1))
    return list(parts)


def list_letter_pairs(text: str) -> list[str]:
    """Return each two neighbouring letters of scripts without spaces, once: they are indexed as words."""
    if text.isascii():
        return []
    words = (word for word in INDEX_WORD_PATTERN.findall(text) if max(word) >= UNSPACED_SCRIPTS_START)
    pairs = (
        pair for word in words for run in UNSPACED_RUN_PATTERN.findall(word) for pair in letter_pairs(run)
    )
    return list(dict.fromkeys(pairs))


def letter_pairs(run: str) -> list[str]:
    """Return the neighbouring letters of a run without spaces, two by two; of a single letter itself."""
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]


def split_unspaced(word: str) -> list[str]:
    """Return a word as it is looked for: runs of scripts without spaces by pairs of letters."""
    if max(word) < UNSPACED_SCRIPTS_START:
        return [word]
    spaced = [part for part in UNSPACED_RUN_PATTERN.split(word) if part]
    return spaced + list_letter_pairs(word)


def content_words(text: str) -> list[str]:
    """Return the words that tell something, in order, each once; all of them when none tells anything."""
    words = dict.fromkeys(word.lower()[:INDEX_WORD_MAX_CHARS] for word in INDEX_WORD_PATTERN.findall(text))
    telling = [word for word in words if word not in STOP_WORDS]
    return telling or list(words)
