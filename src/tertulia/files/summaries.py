"""A summary that costs nothing: what a text says first."""

import re

LONGEST = 200
HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
#: What stands before words without saying anything: marks of comments, quotes, lists and rules.
MARKS = re.compile(r"^[\s#/*;>%\-=+_|<!\"'`~.]+")
SENTENCE = re.compile(r"(?<=[.!?])\s")
#: Lines that open a file without telling about it.
OPENING = re.compile(
    r"\s*(#!|<\?|<!doctype|package |import |from \S+ import |use |using |#include)", re.IGNORECASE
)


def summary_of(text: str) -> str:
    """Return the first heading of a text, or else its first sentence."""
    if found := HEADING.search(text):
        return shortened(found[1])
    for line in text.splitlines():
        said = MARKS.sub("", line).strip()
        if said and not OPENING.match(line):
            return shortened(SENTENCE.split(said, maxsplit=1)[0])
    return ""


def shortened(text: str) -> str:
    """Cut a text that is too long for a list, between words where it has any."""
    plain = " ".join(text.split())
    if len(plain) <= LONGEST:
        return plain
    cut = plain[: LONGEST - 1]
    return (cut.rpartition(" ")[0] or cut) + "…"
