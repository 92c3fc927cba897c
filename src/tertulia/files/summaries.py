"""A summary that costs nothing: what a text says first."""

import re
from collections.abc import Iterator

from tertulia.files.extract.media import Media

SUMMARY_MAX_CHARACTERS = 200
HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
#: What begins a comment or a docstring of several lines, in languages of all kinds, and what ends it.
BLOCKS = {
    '"""': '"""',
    "'''": "'''",
    "/*": "*/",
    "<!--": "-->",
    "<%--": "--%>",
    "{{!--": "--}}",
    "{#": "#}",
    "{-": "-}",
    "(*": "*)",
    "--[[": "]]",
    "#|": "|#",
    "#=": "=#",
    "<#": "#>",
    "=begin": "=end",
}
#: One of them, after what Python and Elixir may put before a docstring.
BLOCK = re.compile(
    rf"(?:[rRuUbBfF]{{1,2}}(?=[\"']{{3}})|@\w+\s+~?[sS]?)?({'|'.join(map(re.escape, BLOCKS))})"
)
#: What stands before words without saying anything: marks of comments, quotes, lists and rules.
MARKS = re.compile(r"^[\s#/*;>%\-=+_|<!\"'`~.]+")
#: Rules that close a line, as boxes of comments have them, and the end of a quoted text.
TAIL = re.compile(r"\s*[*=#~/_-]{2,}$")
QUOTED = re.compile(r"""(["'`])(.*)\1[;,]?""")
SENTENCE = re.compile(r"(?<=[.!?])\s")
#: Lines that open a file without telling about it.
OPENING = re.compile(
    r"""\s*(\#!|<\?|<!doctype|package\ |import\ |from\ \S+\ import\ |use\ |using\ |\#include|["']use\ )"""
    r"""|\W*(-\*-|vim?:|coding[:=]|SPDX-|eslint-|@ts-)""",
    re.IGNORECASE | re.VERBOSE,
)


def summary_of(text: str, media: Media = Media.TEXT) -> str:
    """Return the first heading of a text, or else its first sentence; in code a `#` heads nothing."""
    if media is not Media.CODE and (found := HEADING.search(text)):
        return shortened(found[1])
    return next((shortened(SENTENCE.split(said, maxsplit=1)[0]) for said in spoken(text) if said), "")


def spoken(text: str) -> Iterator[str]:
    """Yield what each line says, without what begins and ends comments and quotes."""
    end = ""
    for line in text.splitlines():
        if OPENING.match(line):
            continue
        said = line.strip()
        if not end and (begun := BLOCK.match(said)):
            end, said = BLOCKS[begun[1]], said[begun.end() :]
        if end and end in said:
            said, end = said.partition(end)[0], ""
        elif quoted := QUOTED.fullmatch(said):
            said = quoted[2]
        yield TAIL.sub("", MARKS.sub("", said)).strip()


def shortened(text: str) -> str:
    """Cut a text that is too long for a list, between words where it has any."""
    plain = " ".join(text.split())
    if len(plain) <= SUMMARY_MAX_CHARACTERS:
        return plain
    cut = plain[: SUMMARY_MAX_CHARACTERS - 1]
    return (cut.rpartition(" ")[0] or cut) + "…"
