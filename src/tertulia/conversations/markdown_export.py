"""A conversation as text to be read: the branch that is shown, speaker by speaker."""

import re
import unicodedata

from tertulia.conversations.domain import Conversation, ReplyKind, ReplyStatus, ToolStatus
from tertulia.conversations.export_documents import (
    ReplyDocument,
    RoundDocument,
    TableDocument,
    ToolCallDocument,
)

UNTITLED_FILE_NAME = "Conversation"
EXPORT_NAME_MAX_CHARS = 80
#: What opens or closes a block of code, indented by at most three spaces.
EXPORT_FENCE_PATTERN = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
MARKDOWN_SPECIAL_PATTERN = re.compile(r"([\\`*_\[\]<>#|])")
#: Names that Windows keeps for devices.
WINDOWS_RESERVED_NAMES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
REPLY_KIND_LABELS = {ReplyKind.ANSWER: "", ReplyKind.MERGE: "merged", ReplyKind.JUDGE: "judge"}
REPLY_STATUS_LABELS = {
    ReplyStatus.DONE: "",
    ReplyStatus.STOPPED: "stopped",
    ReplyStatus.INTERRUPTED: "interrupted",
    ReplyStatus.FAILED: "failed",
}


def head_blocks(conversation: Conversation, *, shown_rounds: int, total_rounds: int) -> list[str]:
    """Return what stands before the rounds."""
    parts = [
        f"# {escape_inline(conversation.title or UNTITLED_FILE_NAME)}",
        f"*{render_subtitle(conversation, shown_rounds, total_rounds)}*",
    ]
    if conversation.instructions.strip():
        parts += ["## Instructions", close_open_fence(conversation.instructions)]
    return parts


def render_subtitle(conversation: Conversation, shown_rounds: int, total_rounds: int) -> str:
    """Say when a conversation began and how many of its rounds are shown."""
    more = total_rounds - shown_rounds
    branches = f", and {more} on other branches" if more else ""
    count = f"{shown_rounds} round{'' if shown_rounds == 1 else 's'}"
    return f"Begun {conversation.created_at:%Y-%m-%d %H:%M} UTC. {count}{branches}."


def round_blocks(round_: RoundDocument) -> list[str]:
    """Return the question and the newest reply of each lane."""
    parts = ["---", "## You", close_open_fence(round_.question.content)]
    if count := len(round_.question.attachments):
        parts.append(f"*With {count} picture{'' if count == 1 else 's'}.*")
    for reply in newest_replies(round_.replies):
        parts += reply_blocks(reply)
    return parts


def newest_replies(replies: list[ReplyDocument]) -> list[ReplyDocument]:
    """Return the last attempt of each lane, in the order of the table."""
    return list({reply.lane: reply for reply in replies}.values())


def reply_blocks(reply: ReplyDocument) -> list[str]:
    """Return who replied, what they said, and how it ended if it did not end well."""
    notes = ", ".join(
        note for note in (REPLY_KIND_LABELS[reply.kind], REPLY_STATUS_LABELS[reply.status]) if note
    )
    speaker = reply.lane.removeprefix(f"{reply.kind}:")
    parts = [f"## {escape_inline(speaker)}{f' ({notes})' if notes else ''}"]
    for call in reply.tool_calls:
        parts += call_blocks(call)
    parts += [f"*You, meanwhile: {escape_inline(note)}*" for note in reply.notes]
    if reply.content.strip():
        parts.append(close_open_fence(reply.content))
    parts += [
        f"*It says {escape_inline(correction.said)}; the right date is {escape_inline(correction.right)}.*"
        for correction in reply.corrections
    ]
    if reply.error:
        parts.append(f"*{escape_inline(reply.error.message)}*")
    return parts


def call_blocks(call: ToolCallDocument) -> list[str]:
    """Return what a tool was given and what it gave."""
    ended = "" if call.status is ToolStatus.DONE else f" ({call.status})"
    parts = [f"*Called the tool {escape_inline(call.name)}{ended}:*", fence_text(call.arguments)]
    if call.result:
        parts += ["*It gave:*", fence_text(call.result)]
    parts += [render_table(table) for table in call.tables]
    if count := len(call.attachments):
        parts.append(f"*It drew {count} picture{'' if count == 1 else 's'}.*")
    return parts + [
        f"*It saved {escape_inline(file_document.path)}, version {file_document.version}.*"
        for file_document in call.saved
    ]


def fence_text(text: str) -> str:
    """Return text as a block of code, whatever stands in it."""
    marks = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 0)
    return f"{marks}\n{text.strip(chr(10))}\n{marks}"


def render_table(table: TableDocument) -> str:
    """Return a table, and how much of it that is."""
    lines = [table.columns, ["---"] * len(table.columns), *table.rows]
    drawn = "\n".join(f"| {' | '.join(map(escape_inline, cells))} |" for cells in lines)
    left = table.rows_in_all - len(table.rows)
    return f"{drawn}\n\n*And {left:,} more row{'' if left == 1 else 's'}.*" if left > 0 else drawn


def close_open_fence(text: str) -> str:
    """Return text whose last block of code ends, so that what comes after is not drawn into it."""
    fence = ""
    for line in text.splitlines():
        found = EXPORT_FENCE_PATTERN.fullmatch(line)
        if found is None:
            continue
        marks, rest = found.groups()
        if not fence and not (marks[0] == "`" and "`" in rest):
            fence = marks
        elif fence and marks.startswith(fence) and not rest.strip():
            fence = ""
    text = text.strip("\n")
    return f"{text}\n{fence}" if fence else text


def escape_inline(text: str) -> str:
    """Make any text stand for itself on one line of Markdown."""
    return MARKDOWN_SPECIAL_PATTERN.sub(r"\\\1", " ".join(text.split()))


def export_file_name(title: str | None, extension: str) -> str:
    """Return a name for a file that is safe on every system, made from a title."""
    kept = (
        char if char.isalnum() or char in " -_.,()" else " "
        for char in unicodedata.normalize("NFC", title or "")
    )
    name = " ".join("".join(kept).split()).strip(" .")[:EXPORT_NAME_MAX_CHARS].strip(" .")
    if not name or WINDOWS_RESERVED_NAMES.fullmatch(name.partition(".")[0].strip()):
        name = f"{UNTITLED_FILE_NAME} {name}".strip()
    return f"{name}.{extension}"


def ascii_file_name(name: str) -> str:
    """Return a file's name in plain letters, for those who cannot read others."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    stem, _, ending = plain.rpartition(".")
    return f"{stem.strip(' .') or UNTITLED_FILE_NAME}.{ending}"
