"""A summary that costs nothing: what a text says first."""

import re
from collections.abc import Iterator

from tertulia.core.truncation import truncate_at_word
from tertulia.files.extract.file_kinds import Media

FILE_SUMMARY_MAX_CHARS = 200
SUMMARY_HEADING_PATTERN = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
#: What begins a comment or a docstring of several lines, in languages of all kinds, and what ends it.
COMMENT_DELIMITERS = {
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
COMMENT_START_PATTERN = re.compile(
    rf"(?:[rRuUbBfF]{{1,2}}(?=[\"']{{3}})|@\w+\s+~?[sS]?)?({'|'.join(map(re.escape, COMMENT_DELIMITERS))})"
)
#: What stands before words without saying anything: marks of comments, quotes, lists and rules.
LEADING_MARKS_PATTERN = re.compile(r"^[\s#/*;>%\-=+_|<!\"'`~.]+")
#: Rules that close a line, as boxes of comments have them, and the end of a quoted text.
TRAILING_RULE_PATTERN = re.compile(r"\s*[*=#~/_-]{2,}$")
QUOTED_TEXT_PATTERN = re.compile(r"""(["'`])(.*)\1[;,]?""")
SENTENCE_BREAK_PATTERN = re.compile(r"(?<=[.!?])\s")
#: Lines that open a file without telling about it.
PREAMBLE_LINE_PATTERN = re.compile(
    r"""\s*(\#!|<\?|<!doctype|package\ |import\ |from\ \S+\ import\ |use\ |using\ |\#include|["']use\ )"""
    r"""|\W*(-\*-|vim?:|coding[:=]|SPDX-|eslint-|@ts-)""",
    re.IGNORECASE | re.VERBOSE,
)


def summarise_text(text: str, media: Media = Media.TEXT) -> str:
    """Return the first heading of a text, or else its first sentence; in code a `#` heads nothing."""
    if media is not Media.CODE and (found := SUMMARY_HEADING_PATTERN.search(text)):
        return truncate_summary(found[1])
    return next(
        (
            truncate_summary(SENTENCE_BREAK_PATTERN.split(said, maxsplit=1)[0])
            for said in strip_comment_marks(text)
            if said
        ),
        "",
    )


def strip_comment_marks(text: str) -> Iterator[str]:
    """Yield what each line says, without what begins and ends comments and quotes."""
    end = ""
    for line in text.splitlines():
        if PREAMBLE_LINE_PATTERN.match(line):
            continue
        said = line.strip()
        if not end and (begun := COMMENT_START_PATTERN.match(said)):
            end, said = COMMENT_DELIMITERS[begun[1]], said[begun.end() :]
        if end and end in said:
            said, end = said.partition(end)[0], ""
        elif quoted := QUOTED_TEXT_PATTERN.fullmatch(said):
            said = quoted[2]
        yield TRAILING_RULE_PATTERN.sub("", LEADING_MARKS_PATTERN.sub("", said)).strip()


def truncate_summary(text: str) -> str:
    """Cut a text that is too long for a list, between words where it has any."""
    return truncate_at_word(" ".join(text.split()), FILE_SUMMARY_MAX_CHARS)
