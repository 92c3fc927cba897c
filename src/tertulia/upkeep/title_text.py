"""The title in what a model answered when it was asked for one."""

import re

import msgspec

from tertulia.conversations.question_title import shorten_title, strip_inline_markdown
from tertulia.conversations.sentences import classify_row
from tertulia.upkeep.title_check import can_be_title

#: All of a line, whatever stands in it.
EMPHASISED_LINE = re.compile(r"\A(\*+)([^*]+)\1\Z")

REASONING_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
#: What a model thinks aloud; where it was cut off, all the rest.
REASONING = re.compile(rf"<({REASONING_TAGS})\b[^>]*>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
#: The end of thoughts whose beginning was written by a template.
REASONING_END = re.compile(rf"\A.*</(?:{REASONING_TAGS})\s*>", re.IGNORECASE | re.DOTALL)
FENCED_ANSWER = re.compile(r"\A\s*```\w*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
TITLE_TAG = re.compile(r"<title>(.*?)</title>", re.IGNORECASE | re.DOTALL)
TITLE_CODE_FENCE = "```"
JSON_START = re.compile(r"\A\s*(?:\{|\[\s*[\[{\"])")
TITLE_LABEL = re.compile(
    r"\A(?:(?:the|a|an|conversation|chat|suggested|possible)\s+)*"
    r"(?:title|titel|titre|t[ií]tulo|titolo)(?:\W*?[:\uff1a]\s*|\s+[-\u2013\u2014]\s+)",
    re.IGNORECASE,
)
#: How long the title is, told after it.
TITLE_WORD_COUNT = re.compile(r"\s*[(\[]\d+ words?[)\]]\W*\Z", re.IGNORECASE)
QUOTATION_MARKS = '"“”„‟«»「」『』`'
SINGLE_MARKS = "'\u2018\u2019\u201a\u2039\u203a"


def title_from_answer(answer: str) -> str:
    """Return the title that a model wrote, as one short plain line; empty where it wrote something else."""
    said = REASONING_END.sub("", REASONING.sub("", answer))
    if fenced := FENCED_ANSWER.match(said):
        said = fenced[1]
    if tagged := TITLE_TAG.search(said):
        said = tagged[1]
    if JSON_START.match(said):
        said = title_from_json(said)
    line = first_line(said)
    title = strip_markup(line)
    return shorten_title(title) if can_be_title(title) and TITLE_CODE_FENCE not in line else ""


def title_from_json(said: str) -> str:
    """Return the title in an object that a model wrote instead of one; empty where there is none."""
    try:
        found = msgspec.json.decode(said, type=dict[str, object]).get("title")
    except (msgspec.MsgspecError, RecursionError):
        return ""
    return found if isinstance(found, str) and not JSON_START.match(found) else ""


def first_line(said: str) -> str:
    """Return the first line that says something, and is not there to introduce the next."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].rstrip("*_").endswith(":"):
        return lines[1]
    return lines[0] if lines else ""


def strip_markup(line: str) -> str:
    """Return a line without marks of Markdown, a label before it and quotation marks around it."""
    before = ""
    while line != before:
        before = line
        line = strip_quotes(
            TITLE_WORD_COUNT.sub(
                "",
                TITLE_LABEL.sub("", EMPHASISED_LINE.sub(r"\2", strip_inline_markdown(classify_row(line)[0]))),
            )
        ).strip()
    return " ".join(line.split())


def strip_quotes(line: str) -> str:
    """Return a line without the quotation marks around all of it."""
    if len(line) > 1 and line[0] in SINGLE_MARKS and line[-1] in SINGLE_MARKS:
        return line[1:-1]
    inner = line.strip(QUOTATION_MARKS)
    return line if any(mark in inner for mark in QUOTATION_MARKS) else inner
