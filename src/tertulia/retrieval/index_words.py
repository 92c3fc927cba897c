"""Words of a text as the index knows them: identifiers whole and in parts, nothing that tells nothing."""

import re
from collections.abc import Iterable

from tertulia.core.stop_words import STOP_WORDS

#: Runs of letters and digits; everything else separates, as it does in the index's own tokenizer.
INDEX_WORD_PATTERN = re.compile(r"[^\W_]+")
#: A name as programs write it: parts joined by underscores, dots, slashes, dashes or colons.
IDENTIFIER_PATTERN = re.compile(r"[^\W\d_]\w*(?:(?:\.|::|->|/|-)\w+)*", re.UNICODE)
#: Where a word written in camel case is cut: aB, ABc, a1.
CAMEL_CASE_PATTERN = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)")
BACKQUOTED_PATTERN = re.compile(r"`([^`\n]{2,80})`")
CALL_PATTERN = re.compile(r"\b([A-Za-z_]\w+)\(")
DOTTED_PATTERN = re.compile(r"\w\.\w")
ABBREVIATION_PATTERN = re.compile(r"(?:\w\.)+\w?")
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


def content_words(text: str) -> list[str]:
    """Return the words that tell something, in order, each once; all of them when none tells anything."""
    words = dict.fromkeys(word.lower()[:INDEX_WORD_MAX_CHARS] for word in INDEX_WORD_PATTERN.findall(text))
    telling = [word for word in words if word not in STOP_WORDS]
    return telling or list(words)


def find_identifiers(text: str) -> list[str]:
    """Return the identifiers of a query: quoted, called, or written as only programs write."""
    found: dict[str, None] = {}
    for quoted in BACKQUOTED_PATTERN.findall(text):
        found.update(dict.fromkeys(IDENTIFIER_PATTERN.findall(quoted)))
    found.update(dict.fromkeys(CALL_PATTERN.findall(text)))
    names = dict.fromkeys(IDENTIFIER_PATTERN.findall(text))
    found.update(dict.fromkeys(name for name in names if looks_like_code(name)))
    return [name for name in found if len(name) > 1][:16]


def looks_like_code(name: str) -> bool:
    """Tell whether a word is written as only programs write: joined, in camel case, or all in capitals."""
    if "_" in name.strip("_") or "::" in name or "->" in name:
        return True
    if DOTTED_PATTERN.search(name) and not ABBREVIATION_PATTERN.fullmatch(name):
        return True
    if "/" in name:
        return any(looks_like_code(part) or "." in part for part in name.split("/"))
    return (
        len(split_camel_case(name)) > 1
        and any(letter.isupper() for letter in name[1:])
        and not name.isupper()
    )


def fts_phrase(text: str) -> str:
    """Return text as a phrase of the full-text language, in which nothing has a meaning of its own."""
    return '"' + " ".join(INDEX_WORD_PATTERN.findall(text)) + '"'


def fts_any_of(words: Iterable[str]) -> str:
    """Return a query for texts with any of these words."""
    return " OR ".join(fts_phrase(word) for word in words)
