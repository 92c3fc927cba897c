"""One line that says what a chunk holds, made by rule: no model is asked."""

import re

from tertulia.core.truncation import truncate_at_word
from tertulia.retrieval.chunking.domain import CHUNK_CONTEXT_SEPARATOR, ChunkKind

CHUNK_SUMMARY_MAX_CHARS = 120
#: Rows and characters that are looked at: what matters stands at the beginning.
CHUNK_SUMMARY_READ_MAX_ROWS, CHUNK_SUMMARY_READ_MAX_CHARS = 24, 1_600
INLINE_MARKUP_PATTERN = re.compile(
    r"!?\[([^\[\]]{0,200})\]\([^()]{0,300}\)|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}|<[^>]{1,80}>"
)
ROW_LEAD_PATTERN = re.compile(r"\s*(?:#{1,6}\s+|>\s?|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+)*")
RULE_ROW_PATTERN = re.compile(r"[\s|:=\-*_~#+.`]*")
FIRST_SENTENCE_PATTERN = re.compile(r".{20,}?[.!?\u3002\uff01\uff1f\u061f](?=\s|$|[^\x00-\x7f])")
COMMENT_ROW_PATTERN = re.compile(
    r"\s*(?:///?!?|/\*+!?|\*+(?!/)|#+!?(?![\[\w])|--+|;+|%+|<!--|\"\"\"|''')\s?(.*)"
)
NON_SIGNATURE_PATTERN = re.compile(
    r"\s*(?:@|#\[|#!\[|\[\w+\]|#include|import |from |use |using |package |\*/|[})\];]+\s*$|```|~~~)"
)
#: Control characters, which no line should carry.
CONTROL_CHAR_TABLE = dict.fromkeys([*range(32), 127], " ")
#: What stands around the words of a comment.
COMMENT_EDGE_CHARS = " \t\r*/-#\"'"
DOCSTRING_START_PATTERN = re.compile(r"\s*[rRuUbB]{0,2}(?:\"\"\"|''')(.*)")


def summarise_chunk(content: str, *, kind: ChunkKind, language: str, context: str) -> str:
    """Return a line of at most 120 characters on what `content` holds."""
    rows = content[:CHUNK_SUMMARY_READ_MAX_CHARS].split("\n")[:CHUNK_SUMMARY_READ_MAX_ROWS]
    match kind:
        case ChunkKind.CODE:
            said = summarise_code(rows)
        case ChunkKind.TABLE:
            said = summarise_table(rows, context)
        case ChunkKind.PROSE:
            said = summarise_prose(rows)
    line = to_visible_line(said) or to_visible_line(content[:CHUNK_SUMMARY_READ_MAX_CHARS])
    return truncate_at_word(line, CHUNK_SUMMARY_MAX_CHARS)


def summarise_prose(rows: list[str]) -> str:
    """Return the first sentence, its heading before it."""
    heading, text = "", ""
    for row in rows:
        plain = INLINE_MARKUP_PATTERN.sub(
            r"\1", ROW_LEAD_PATTERN.sub("", row.lstrip("\ufeff"), count=1)
        ).strip()
        if not plain or RULE_ROW_PATTERN.fullmatch(row):
            if text:
                break
        elif row.lstrip("\ufeff ").startswith("#") and not text:
            heading = plain.strip("# ")
        else:
            text += plain + " "
            if len(text) > CHUNK_SUMMARY_MAX_CHARS:
                break
    sentence = FIRST_SENTENCE_PATTERN.match(text)
    first = sentence.group() if sentence else text
    return f"{heading}: {first}" if heading and first else heading or first


def summarise_code(rows: list[str]) -> str:
    """Return the signature and the first line of its documentation, which stands before or right after."""
    at = next((number for number, row in enumerate(rows) if is_signature(row, rows[:number])), None)
    if at is None:
        return first_comment(rows) or next((row.strip() for row in rows if row.strip()), "")
    signature = rows[at].strip().rstrip("{:( ")
    doc = first_comment(rows[:at]) or first_docstring_line(rows[at + 1 :])
    return f"{signature} — {doc}" if doc else signature


def is_signature(row: str, before: list[str]) -> bool:
    """Return whether a row says what the code is: no comment, import, decorator or inside of a docstring."""
    if (
        not row.strip()
        or COMMENT_ROW_PATTERN.match(row)
        or DOCSTRING_START_PATTERN.match(row)
        or NON_SIGNATURE_PATTERN.match(row)
    ):
        return False
    return sum(earlier.count('"""') for earlier in before) % 2 == 0


def first_comment(rows: list[str]) -> str:
    """Return the first words in comments."""
    comments = (DOCSTRING_START_PATTERN.match(row) or COMMENT_ROW_PATTERN.match(row) for row in rows)
    return next(
        (said for comment in comments if comment and (said := comment[1].strip(COMMENT_EDGE_CHARS))), ""
    )


def first_docstring_line(rows: list[str]) -> str:
    """Return the first line of the documentation that follows a signature, which may take some rows."""
    for number, row in enumerate(rows[:8]):
        if documented := DOCSTRING_START_PATTERN.match(row):
            return documented[1].strip(COMMENT_EDGE_CHARS) or (
                rows[number + 1].strip() if number + 1 < len(rows) else ""
            )
    return ""


def summarise_table(rows: list[str], context: str) -> str:
    """Return the header's cells: they stand around the rows, or are the first."""
    around = context.rsplit(CHUNK_CONTEXT_SEPARATOR, 1)[-1]
    header = (
        around if " | " in around else next((row for row in rows if not RULE_ROW_PATTERN.fullmatch(row)), "")
    )
    return " | ".join(cell.strip(' "') for cell in re.split(r"[|\t,;]", header.strip("| ")) if cell.strip())


def to_visible_line(text: str) -> str:
    """Return text on one line, without what cannot be shown or written."""
    line = " ".join(text.split())
    if line.isascii() and line.isprintable():
        return line
    return line.encode("utf-8", "ignore").decode().translate(CONTROL_CHAR_TABLE).strip()
