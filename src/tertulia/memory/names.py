"""Names: of people and places, files, code and addresses."""

import re

#: A word in capitals that does not begin the sentence.
CAPITALISED_NAME_PATTERN = re.compile(r"(?<=[\w,;:)\"'] )[^\W\d_a-z]\w{2,}")
#: A name as programs write it: quoted, a path, joined by dots or underscores, or in camel case.
CODE_NAME_PATTERN = re.compile(r"`[^`\n]{2,80}`|\b\w+(?:[./_]\w+)++|\b[a-z]++[A-Z]\w*+")


def find_names(text: str) -> frozenset[str]:
    """Return the names in a text, each once."""
    return frozenset((*CAPITALISED_NAME_PATTERN.findall(text), *CODE_NAME_PATTERN.findall(text)))
