"""Words of a text as the index knows them: identifiers whole and in parts, nothing that tells nothing."""

import re
from collections.abc import Iterable

from tertulia.models.ranking import STOP_WORDS

#: Runs of letters and digits; everything else separates, as it does in the index's own tokenizer.
WORD = re.compile(r"[^\W_]+")
#: A name as programs write it: parts joined by underscores, dots, slashes, dashes or colons.
NAME = re.compile(r"[^\W\d_]\w*(?:(?:\.|::|->|/|-)\w+)*", re.UNICODE)
#: Where a word written in camel case is cut: aB, ABc, a1.
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)")
QUOTED = re.compile(r"`([^`\n]{2,80})`")
CALL = re.compile(r"\b([A-Za-z_]\w+)\(")
#: More words than this say no more about what is wanted.
MOST_WORDS = 24
LONGEST_WORD = 64


def humps(word: str) -> list[str]:
    """Return the parts of a word in camel case; a plain word has one."""
    return [part for part in HUMP.split(word) if part]


def split_names(text: str) -> list[str]:
    """Return the parts of every camel-case word, each once: they are indexed beside the words themselves."""
    parts: dict[str, None] = {}
    for word in WORD.findall(text):
        if len(word) <= LONGEST_WORD and not (word.islower() or word.isdigit()):
            found = humps(word)
            if len(found) > 1:
                parts.update(dict.fromkeys(part.lower() for part in found if len(part) > 1))
    return list(parts)


def content_words(text: str) -> list[str]:
    """Return the words that tell something, in order, each once; all of them when none tells anything."""
    words = dict.fromkeys(word.lower()[:LONGEST_WORD] for word in WORD.findall(text))
    telling = [word for word in words if word not in STOP_WORDS]
    return telling or list(words)


def names_in(text: str) -> list[str]:
    """Return the identifiers of a query: quoted, called, or written as only programs write."""
    found: dict[str, None] = {}
    for quoted in QUOTED.findall(text):
        found.update(dict.fromkeys(NAME.findall(quoted)))
    found.update(dict.fromkeys(CALL.findall(text)))
    found.update(dict.fromkeys(name for name in NAME.findall(text) if looks_like_code(name)))
    return [name for name in found if len(name) > 1][:16]


def looks_like_code(name: str) -> bool:
    """Tell whether a word is written as only programs write: joined, in camel case, or all in capitals."""
    if "_" in name.strip("_") or "::" in name or "->" in name:
        return True
    if re.search(r"\w\.\w", name) and not re.fullmatch(r"(?:\w\.)+\w?", name):
        return True
    if "/" in name:
        return any(looks_like_code(part) or "." in part for part in name.split("/"))
    return len(humps(name)) > 1 and any(letter.isupper() for letter in name[1:]) and not name.isupper()


def phrase(text: str) -> str:
    """Return text as a phrase of the full-text language, in which nothing has a meaning of its own."""
    return '"' + " ".join(WORD.findall(text)) + '"'


def any_of(words: Iterable[str]) -> str:
    """Return a query for texts with any of these words."""
    return " OR ".join(phrase(word) for word in words)
