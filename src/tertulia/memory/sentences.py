"""Cutting what was said into sentences: along paragraphs, lists, tables and code, never inside a name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Shape(StrEnum):
    """What a sentence stands in."""

    PROSE = "prose"
    ITEM = "item"
    HEADING = "heading"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence or row, word for word, with single spaces."""

    text: str
    shape: Shape
    #: Whether the one before it stands in the same paragraph.
    follows: bool = False


FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})")
HEADING = re.compile(r"^\s{0,3}#{1,6}\s+")
ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)]|[a-zA-Z][.)]|\[[ xX]\])\s+(?:\[[ xX]\]\s+)?")
QUOTE = re.compile(r"^\s*(?:>\s?)+")
TABLE_RULE = re.compile(r"^[\s|:+=-]+$")
#: A row this long may have been wrapped, if the next one goes on in small letters.
WRAPPED = 60
#: Where a sentence may end: its mark, what closes after it, and then a space; some scripts need none.
END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+(?=\s)|[。！？]+[」』”）]*")  # noqa: RUF001 - marks of other scripts
ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'“])(?:[A-Z]|[a-z]|Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|vs|cf|ca|approx|incl|excl|e\.g|i\.e|eg|ie|No|Nos|Nr"
    r"|Fig|Sec|Eq|Vol|pp|p|ed|Inc|Ltd|Co|Corp|z\.\s?B|d\.\s?h|u\.\s?a|bzw|ggf|usw|Abs|Art|Sra|Srta|Ud|p\.\s?ej"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$"
)
#: The number of a point in a row of them.
ENUMERATOR = re.compile(r"(?:^|[.!?:;,]\s)\(?\d{1,2}\.$")
CODE_SPAN = re.compile(r"`[^`\n]+`")


def sentences(text: str) -> list[Sentence]:
    """Return the sentences and rows of a text in order."""
    return [one for block, shape in blocks(text) for one in cut(block, shape)]


def blocks(text: str) -> Iterator[tuple[str, Shape]]:
    """Yield paragraphs, items, headings and rows of code, the marks before them left out."""
    paragraph = ""
    for said, shape in rows(text):
        if goes_on(paragraph, said, shape):
            paragraph = f"{paragraph} {said}"
            continue
        if paragraph:
            yield paragraph, Shape.PROSE
        paragraph = said if shape is Shape.PROSE else ""
        if said and not paragraph:
            yield said, shape
    if paragraph:
        yield paragraph, Shape.PROSE


def rows(text: str) -> Iterator[tuple[str, Shape]]:
    """Yield what each row says and what it is; rows that say nothing are empty."""
    fence = ""
    for row in text.splitlines():
        mark = FENCE.match(row)
        if not fence and mark is None:
            yield told_apart(row)
        elif not fence or mark is None or not mark[1].startswith(fence):
            yield ("" if not fence else row.strip()), Shape.CODE
            fence = fence or (mark[1] if mark else "")
        else:
            fence = ""


def told_apart(row: str) -> tuple[str, Shape]:
    """Return what a row says and what it is; a rule between rows of a table says nothing."""
    plain = QUOTE.sub("", row)
    if TABLE_RULE.match(plain):
        return "", Shape.PROSE
    if found := HEADING.match(plain):
        return plain[found.end() :].strip(), Shape.HEADING
    if found := ITEM.match(plain):
        return plain[found.end() :].strip(), Shape.ITEM
    if plain.lstrip().startswith("|"):
        return plain.strip(), Shape.ITEM
    return plain.strip(), Shape.PROSE


def goes_on(paragraph: str, said: str, shape: Shape) -> bool:
    """Tell whether a row is the rest of a sentence that was wrapped."""
    if not paragraph or not said or shape is not Shape.PROSE:
        return False
    return len(paragraph) >= WRAPPED and not END.search(paragraph[-3:] + " ") and not said[0].isupper()


def cut(block: str, shape: Shape) -> Iterator[Sentence]:
    """Yield the sentences of a paragraph or an item; headings and code stay whole."""
    plain = " ".join(block.split())
    if shape in (Shape.CODE, Shape.HEADING) or plain.startswith("|"):
        yield Sentence(plain, shape)
        return
    begin, follows = 0, False
    for end in ends(plain):
        if said := plain[begin:end].strip():
            yield Sentence(said, shape, follows)
            follows = True
        begin = end


def ends(plain: str) -> list[int]:
    """Return where the sentences of a paragraph end."""
    covered = CODE_SPAN.sub(lambda found: "x" * len(found[0]), plain)
    places = [found.end() for found in END.finditer(covered) if is_end(covered, found.end())]
    return [*places, len(plain)]


def is_end(plain: str, place: int) -> bool:
    """Tell whether a full stop ends a sentence, and not an abbreviation or a number before a point."""
    before = plain[max(0, place - 12) : place]
    if ABBREVIATION.search(before) or ENUMERATOR.search(before):
        return False
    after = plain[place : place + 2].lstrip()
    return not (after and after[0].islower() and plain[place - 1] in ".…")
