"""One line that says what a chunk holds, made by rule: no model is asked."""

import re

from tertulia.retrieval.chunking.domain import STEP, ChunkKind

LONGEST = 120
#: Rows and characters that are looked at: what matters stands at the beginning.
ROWS, CHARS = 24, 1_600
MARKUP = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()]{0,300}\)|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}|<[^>]{1,80}>")
LEAD = re.compile(r"\s*(?:#{1,6}\s+|>\s?|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+)*")
RULE = re.compile(r"[\s|:=\-*_~#+.`]*")
SENTENCE = re.compile(r".{20,}?[.!?\u3002\uff01\uff1f\u061f](?=\s|$|[^\x00-\x7f])")
COMMENT = re.compile(r"\s*(?:///?!?|/\*+!?|\*+(?!/)|#+!?(?![\[\w])|--+|;+|%+|<!--|\"\"\"|''')\s?(.*)")
NO_SIGNATURE = re.compile(
    r"\s*(?:@|#\[|#!\[|\[\w+\]|#include|import |from |use |using |package |\*/|[})\];]+\s*$|```|~~~)"
)
#: Control characters, which no line should carry.
UNSEEN = dict.fromkeys([*range(32), 127], " ")
#: What stands around the words of a comment.
AROUND = " \t\r*/-#\"'"
OPENING_DOC = re.compile(r"\s*[rRuUbB]{0,2}(?:\"\"\"|''')(.*)")


def summarise(content: str, *, kind: ChunkKind, language: str, context: str) -> str:
    """Return a line of at most 120 characters on what `content` holds."""
    rows = content[:CHARS].split("\n")[:ROWS]
    match kind:
        case ChunkKind.CODE:
            said = of_code(rows)
        case ChunkKind.TABLE:
            said = of_table(rows, context)
        case ChunkKind.PROSE:
            said = of_prose(rows)
    return shortened(shown(said) or shown(content[:CHARS]))


def of_prose(rows: list[str]) -> str:
    """Return the first sentence, its heading before it."""
    heading, text = "", ""
    for row in rows:
        plain = MARKUP.sub(r"\1", LEAD.sub("", row.lstrip("\ufeff"), count=1)).strip()
        if not plain or RULE.fullmatch(row):
            if text:
                break
        elif row.lstrip("\ufeff ").startswith("#") and not text:
            heading = plain.strip("# ")
        else:
            text += plain + " "
            if len(text) > LONGEST:
                break
    sentence = SENTENCE.match(text)
    first = sentence.group() if sentence else text
    return f"{heading}: {first}" if heading and first else heading or first


def of_code(rows: list[str]) -> str:
    """Return the signature and the first line of its documentation, which stands before or right after."""
    at = next((number for number, row in enumerate(rows) if is_signature(row, rows[:number])), None)
    if at is None:
        return first_said(rows) or next((row.strip() for row in rows if row.strip()), "")
    signature = rows[at].strip().rstrip("{:( ")
    doc = first_said(rows[:at]) or docstring(rows[at + 1 :])
    return f"{signature} — {doc}" if doc else signature


def is_signature(row: str, before: list[str]) -> bool:
    """Return whether a row says what the code is: no comment, import, decorator or inside of a docstring."""
    if not row.strip() or COMMENT.match(row) or OPENING_DOC.match(row) or NO_SIGNATURE.match(row):
        return False
    return sum(earlier.count('"""') for earlier in before) % 2 == 0


def first_said(rows: list[str]) -> str:
    """Return the first words in comments."""
    comments = (OPENING_DOC.match(row) or COMMENT.match(row) for row in rows)
    return next((said for comment in comments if comment and (said := comment[1].strip(AROUND))), "")


def docstring(rows: list[str]) -> str:
    """Return the first line of the documentation that follows a signature, which may take some rows."""
    for number, row in enumerate(rows[:8]):
        if documented := OPENING_DOC.match(row):
            return documented[1].strip(AROUND) or (rows[number + 1].strip() if number + 1 < len(rows) else "")
    return ""


def of_table(rows: list[str], context: str) -> str:
    """Return the header's cells: they stand around the rows, or are the first."""
    around = context.rsplit(STEP, 1)[-1]
    header = around if " | " in around else next((row for row in rows if not RULE.fullmatch(row)), "")
    return " | ".join(cell.strip(' "') for cell in re.split(r"[|\t,;]", header.strip("| ")) if cell.strip())


def shown(text: str) -> str:
    """Return text on one line, without what cannot be shown or written."""
    line = " ".join(text.split())
    if line.isascii() and line.isprintable():
        return line
    return line.encode("utf-8", "ignore").decode().translate(UNSEEN).strip()


def shortened(line: str) -> str:
    """Return a line of at most 120 characters, cut after a word where it has to be."""
    if len(line) <= LONGEST:
        return line
    cut = line[: LONGEST - 1]
    word = cut.rfind(" ", LONGEST // 2)
    return (cut[:word] if word > 0 else cut) + "…"
