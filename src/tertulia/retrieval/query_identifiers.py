"""Which words of a query are identifiers: names out of a program, also looked for whole."""

import re

from tertulia.retrieval.index_words import split_camel_case

#: A name as programs write it: parts joined by underscores, dots, slashes, dashes or colons.
IDENTIFIER_PATTERN = re.compile(r"[^\W\d_]\w*(?:(?:\.|::|->|/|-)\w+)*", re.UNICODE)
BACKQUOTED_PATTERN = re.compile(r"`([^`\n]{2,80})`")
CALL_PATTERN = re.compile(r"\b([A-Za-z_]\w+)\(")
DOTTED_PATTERN = re.compile(r"\w\.\w")
DOTTED_LETTERS_PATTERN = re.compile(r"(?:\w\.)+\w?")
#: More of them say no more about what is wanted.
QUERY_IDENTIFIERS_MAX = 16


def find_identifiers(text: str) -> list[str]:
    """Return the identifiers of a query: quoted, called, or written as only programs write."""
    found: dict[str, None] = {}
    for quoted in BACKQUOTED_PATTERN.findall(text):
        found.update(dict.fromkeys(IDENTIFIER_PATTERN.findall(quoted)))
    found.update(dict.fromkeys(CALL_PATTERN.findall(text)))
    names = dict.fromkeys(IDENTIFIER_PATTERN.findall(text))
    found.update(dict.fromkeys(name for name in names if looks_like_code(name)))
    return [name for name in found if len(name) > 1][:QUERY_IDENTIFIERS_MAX]


def looks_like_code(name: str) -> bool:
    """Tell whether a word is written as only programs write: joined, in camel case, or all in capitals."""
    if "_" in name.strip("_") or "::" in name or "->" in name:
        return True
    if DOTTED_PATTERN.search(name) and not DOTTED_LETTERS_PATTERN.fullmatch(name):
        return True
    if "/" in name:
        return any(looks_like_code(part) or "." in part for part in name.split("/"))
    return (
        len(split_camel_case(name)) > 1
        and any(letter.isupper() for letter in name[1:])
        and not name.isupper()
    )
