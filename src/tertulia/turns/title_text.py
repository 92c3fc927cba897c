"""The text of a title: a question's first words, or what a model answered when it was asked for one."""

import re

import msgspec

from tertulia.memory.sentences import Shape, sentences, told_apart
from tertulia.turns.title_shape import can_be_title

TITLE_MAX_CHARS = 60
#: So much of a question is looked at.
QUESTION_EXCERPT_CHARS = 2_000
#: A sentence with fewer words says too little, such as “Hi!”: the next one is taken along.
SENTENCE_MIN_WORDS = 3
WITHOUT_WORDS = "New conversation"

LINK = re.compile(r"!?\[([^\]\n]+)\]\([^)\s]*\)")
#: A mark of Markdown that opens before a word and closes after one; underscores are rather of names.
EMPHASIS = re.compile(r"(?<![\w*`])(\*{1,3}|`+)(?=[^\s*`])(.*?[^\s*`])\1(?![\w*`])")
#: All of a line, whatever stands in it.
EMPHASIZED = re.compile(r"\A(\*+)([^*]+)\1\Z")

REASONING_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
#: What a model thinks aloud; where it was cut off, all the rest.
REASONING = re.compile(rf"<({REASONING_TAGS})\b[^>]*>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
#: The end of thoughts whose beginning was written by a template.
REASONING_END = re.compile(rf"\A.*</(?:{REASONING_TAGS})\s*>", re.IGNORECASE | re.DOTALL)
FENCED = re.compile(r"\A\s*```\w*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
TITLE_TAG = re.compile(r"<title>(.*?)</title>", re.IGNORECASE | re.DOTALL)
FENCE = "```"
DATA = re.compile(r"\A\s*(?:\{|\[\s*[\[{\"])")
LABEL = re.compile(
    r"\A(?:(?:the|a|an|conversation|chat|suggested|possible)\s+)*"
    r"(?:title|titel|titre|t[ií]tulo|titolo)\W*?[:\uff1a]\s*",
    re.IGNORECASE,
)
QUOTATION_MARKS = '"“”„‟«»「」『』`'
SINGLE_MARKS = "'\u2018\u2019\u201a\u2039\u203a"


def title_of_question(question: str) -> str:
    """Return a question's first words, without markup; one that is all code is named by its first row."""
    said = sentences(question[:QUESTION_EXCERPT_CHARS])
    spoken = [one for one in said if one.shape is not Shape.CODE] or said
    title = ""
    for one in spoken:
        title = f"{title} {plain(one.text)}".strip()
        if len(title.split()) >= SENTENCE_MIN_WORDS or len(title) >= TITLE_MAX_CHARS:
            break
    return shorten(title) or WITHOUT_WORDS


def title_of_answer(answer: str) -> str:
    """Return the title that a model wrote, as one short plain line; empty where it wrote something else."""
    said = REASONING_END.sub("", REASONING.sub("", answer))
    if fenced := FENCED.match(said):
        said = fenced[1]
    if tagged := TITLE_TAG.search(said):
        said = tagged[1]
    if DATA.match(said):
        said = title_in_data(said)
    line = first_line(said)
    title = bare(line)
    return shorten(title) if can_be_title(title) and FENCE not in line else ""


def title_in_data(said: str) -> str:
    """Return the title in an object that a model wrote instead of one; empty where there is none."""
    try:
        found = msgspec.json.decode(said, type=dict[str, object]).get("title")
    except (msgspec.MsgspecError, RecursionError):
        return ""
    return found if isinstance(found, str) and not DATA.match(found) else ""


def first_line(said: str) -> str:
    """Return the first line that says something, and is not there to introduce the next."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].rstrip("*_").endswith(":"):
        return lines[1]
    return lines[0] if lines else ""


def bare(line: str) -> str:
    """Return a line without marks of Markdown, a label before it and quotation marks around it."""
    before = ""
    while line != before:
        before = line
        line = unquoted(LABEL.sub("", EMPHASIZED.sub(r"\2", plain(told_apart(line)[0])))).strip()
    return " ".join(line.split())


def unquoted(line: str) -> str:
    """Return a line without the quotation marks around all of it."""
    if len(line) > 1 and line[0] in SINGLE_MARKS and line[-1] in SINGLE_MARKS:
        return line[1:-1]
    inner = line.strip(QUOTATION_MARKS)
    return line if any(mark in inner for mark in QUOTATION_MARKS) else inner


def plain(sentence: str) -> str:
    """Return a sentence without marks for bold, code and links; those within words and sums stay."""
    return EMPHASIS.sub(r"\2", LINK.sub(r"\1", sentence))


def shorten(text: str) -> str:
    """Cut a line at a word near the longest title."""
    if len(text) <= TITLE_MAX_CHARS:
        return text
    kept = text[:TITLE_MAX_CHARS].rsplit(" ", 1)[0] or text[:TITLE_MAX_CHARS]
    return kept.rstrip(",;:- ") + "…"
