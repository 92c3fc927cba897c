"""Cutting what was said into sentences: along paragraphs, lists, tables and code, never inside a name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class SentenceKind(StrEnum):
    """What a sentence stands in."""

    PROSE = "prose"
    ITEM = "item"
    HEADING = "heading"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence or row, word for word, with single spaces."""

    text: str
    kind: SentenceKind
    #: Whether the one before it stands in the same paragraph.
    continues_paragraph: bool = False


SENTENCE_FENCE_PATTERN = re.compile(r"^\s{0,3}(`{3,}|~{3,})")
HEADING_MARK_PATTERN = re.compile(r"^\s{0,3}#{1,6}\s+")
LIST_ITEM_MARK_PATTERN = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)]|[a-zA-Z][.)]|\[[ xX]\])\s+(?:\[[ xX]\]\s+)?")
QUOTE_MARK_PATTERN = re.compile(r"^\s*(?:>\s?)+")
TABLE_RULE_PATTERN = re.compile(r"^[\s|:+=-]+$")
#: A row this long may have been wrapped, if the next one goes on in small letters.
WRAPPED_ROW_MIN_CHARS = 60
#: Where a sentence may end: its mark, what closes after it, and then a space; some scripts need none.
SENTENCE_END_PATTERN = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+(?=\s)|[。！？]+[」』”）]*")
ABBREVIATION_PATTERN = re.compile(
    r"(?:^|[\s(\"'“])(?:[A-Z]|[a-z]|Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|vs|cf|ca|approx|incl|excl|e\.g|i\.e|eg|ie|No|Nos|Nr"
    r"|Fig|Sec|Eq|Vol|pp|p|ed|Inc|Ltd|Co|Corp|z\.\s?B|d\.\s?h|u\.\s?a|bzw|ggf|usw|Abs|Art|Sra|Srta|Ud|p\.\s?ej"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$"
)
#: The number of a point in a row of them.
ENUMERATOR_PATTERN = re.compile(r"(?:^|[.!?:;,]\s)\(?(\d{1,2})\.$")
#: A day or an ordinal that is written with a full stop, as in "am 9. März" and "im 3. Stock".
ORDINAL_PATTERN = re.compile(
    r"(?:^|[\s(])(?:a[mb]|i[mn]|[vz]om|zu[mr]|bis|de[nmrs]|die|das|beim|seit|und|jede[nmrs]?|mein\w*|unser\w*)"
    r" \d{1,3}\.$",
    re.IGNORECASE,
)
MONTH_START_PATTERN = re.compile(
    r"\s(?:Jan|Feb|Fév|M[aä]r|Apr|Avr|Ma[ijyg]|Ju[nil]|Gen|Ago|Aug|Ao[uû]|Sep|Set|O[ckt]t|Nov|De[czs]|Déc|Di[cz])\w*"
)
CODE_SPAN_PATTERN = re.compile(r"`[^`\n]+`")


def split_text_sentences(text: str) -> list[Sentence]:
    """Return the sentences and rows of a text in order."""
    return [sentence for block, shape in read_text_blocks(text) for sentence in split_block(block, shape)]


def read_text_blocks(text: str) -> Iterator[tuple[str, SentenceKind]]:
    """Yield paragraphs, items, headings and rows of code, the marks before them left out."""
    paragraph = ""
    for said, shape in read_text_rows(text):
        if continues_sentence(paragraph, said, shape):
            paragraph = f"{paragraph} {said}"
            continue
        if paragraph:
            yield paragraph, SentenceKind.PROSE
        paragraph = said if shape is SentenceKind.PROSE else ""
        if said and not paragraph:
            yield said, shape
    if paragraph:
        yield paragraph, SentenceKind.PROSE


def read_text_rows(text: str) -> Iterator[tuple[str, SentenceKind]]:
    """Yield what each row says and what it is; rows that say nothing are empty."""
    fence = ""
    for row in text.splitlines():
        mark = SENTENCE_FENCE_PATTERN.match(row)
        if not fence and mark is None:
            yield classify_row(row)
        elif not fence or mark is None or not mark[1].startswith(fence):
            yield ("" if not fence else row.strip()), SentenceKind.CODE
            fence = fence or (mark[1] if mark else "")
        else:
            fence = ""


def classify_row(row: str) -> tuple[str, SentenceKind]:
    """Return what a row says and what it is; a rule between rows of a table says nothing."""
    plain = QUOTE_MARK_PATTERN.sub("", row)
    if TABLE_RULE_PATTERN.match(plain):
        return "", SentenceKind.PROSE
    if found := HEADING_MARK_PATTERN.match(plain):
        return plain[found.end() :].strip(), SentenceKind.HEADING
    if found := LIST_ITEM_MARK_PATTERN.match(plain):
        return plain[found.end() :].strip(), SentenceKind.ITEM
    if plain.lstrip().startswith("|"):
        return plain.strip(), SentenceKind.ITEM
    return plain.strip(), SentenceKind.PROSE


def continues_sentence(paragraph: str, row: str, kind: SentenceKind) -> bool:
    """Tell whether a row is the rest of a sentence that was wrapped."""
    if not paragraph or not row or kind is not SentenceKind.PROSE:
        return False
    return (
        len(paragraph) >= WRAPPED_ROW_MIN_CHARS
        and not SENTENCE_END_PATTERN.search(paragraph[-3:] + " ")
        and not row[0].isupper()
    )


def split_block(block: str, kind: SentenceKind) -> Iterator[Sentence]:
    """Yield the sentences of a paragraph or an item; headings and code stay whole."""
    plain = " ".join(block.split())
    if kind in (SentenceKind.CODE, SentenceKind.HEADING) or plain.startswith("|"):
        yield Sentence(plain, kind)
        return
    begin, follows = 0, False
    for end in find_sentence_ends(plain):
        if said := plain[begin:end].strip():
            yield Sentence(said, kind, follows)
            follows = True
        begin = end


def find_sentence_ends(plain: str) -> list[int]:
    """Return where the sentences of a paragraph end."""
    covered = CODE_SPAN_PATTERN.sub(lambda found: "x" * len(found[0]), plain)
    places = [
        found.end()
        for found in SENTENCE_END_PATTERN.finditer(covered)
        if is_sentence_end(covered, found.end())
    ]
    return [*places, len(plain)]


def is_sentence_end(plain: str, position: int) -> bool:
    """Tell whether a full stop ends a sentence, and not an abbreviation or a number before a point."""
    before = plain[max(0, position - 12) : position]
    if ABBREVIATION_PATTERN.search(before) or is_enumerator(plain, position):
        return False
    if ORDINAL_PATTERN.search(before):
        return False
    if before[-2:-1].isdigit() and MONTH_START_PATTERN.match(plain, position):
        return False
    after = plain[position : position + 2].lstrip()
    return not (after and after[0].islower() and plain[position - 1] in ".…")


def is_enumerator(plain: str, position: int) -> bool:
    """Tell whether a full stop stands after the number of a point: the first, or one after the one before."""
    found = ENUMERATOR_PATTERN.search(plain[max(0, position - 12) : position])
    if found is None:
        return False
    number = int(found[1])
    is_first = number == 1 or position <= len(found[0])
    return is_first or re.search(rf"(?<!\d){number - 1}\.\s", plain[:position]) is not None
