"""A conversation as text to be read: the branch that is shown, speaker by speaker."""

import re
import unicodedata

from tertulia.conversations.domain import Conversation, ReplyKind, ReplyStatus, ToolStatus
from tertulia.conversations.export_schemas import (
    ReplyDocument,
    RoundDocument,
    TableDocument,
    ToolCallDocument,
)

UNTITLED = "Conversation"
LONGEST_NAME = 80
#: What opens or closes a block of code, indented by at most three spaces.
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")
#: Names that Windows keeps for devices.
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
KINDS = {ReplyKind.ANSWER: "", ReplyKind.MERGE: "merged", ReplyKind.JUDGE: "judge"}
ENDS = {
    ReplyStatus.DONE: "",
    ReplyStatus.STOPPED: "stopped",
    ReplyStatus.INTERRUPTED: "interrupted",
    ReplyStatus.FAILED: "failed",
}


def head_parts(conversation: Conversation, *, shown: int, in_all: int) -> list[str]:
    """Return what stands before the rounds."""
    parts = [f"# {inline(conversation.title or UNTITLED)}", f"*{about(conversation, shown, in_all)}*"]
    if conversation.instructions.strip():
        parts += ["## Instructions", closed(conversation.instructions)]
    return parts


def about(conversation: Conversation, shown: int, in_all: int) -> str:
    """Say when a conversation began and how many of its rounds are shown."""
    more = in_all - shown
    branches = f", and {more} on other branches" if more else ""
    count = f"{shown} round{'' if shown == 1 else 's'}"
    return f"Begun {conversation.created_at:%Y-%m-%d %H:%M} UTC. {count}{branches}."


def round_parts(one: RoundDocument) -> list[str]:
    """Return the question and the newest reply of each lane."""
    parts = ["---", "## You", closed(one.question.content)]
    if count := len(one.question.attachments):
        parts.append(f"*With {count} picture{'' if count == 1 else 's'}.*")
    for reply in newest(one.replies):
        parts += reply_parts(reply)
    return parts


def newest(replies: list[ReplyDocument]) -> list[ReplyDocument]:
    """Return the last attempt of each lane, in the order of the table."""
    return list({reply.lane: reply for reply in replies}.values())


def reply_parts(reply: ReplyDocument) -> list[str]:
    """Return who replied, what they said, and how it ended if it did not end well."""
    notes = ", ".join(note for note in (KINDS[reply.kind], ENDS[reply.status]) if note)
    speaker = reply.lane.removeprefix(f"{reply.kind}:")
    parts = [f"## {inline(speaker)}{f' ({notes})' if notes else ''}"]
    for call in reply.tool_calls:
        parts += call_parts(call)
    parts += [f"*You, meanwhile: {inline(note)}*" for note in reply.notes]
    if reply.content.strip():
        parts.append(closed(reply.content))
    if reply.error:
        parts.append(f"*{inline(reply.error.message)}*")
    return parts


def call_parts(call: ToolCallDocument) -> list[str]:
    """Return what a tool was given and what it gave."""
    ended = "" if call.status is ToolStatus.DONE else f" ({call.status})"
    parts = [f"*Called the tool {inline(call.name)}{ended}:*", fenced(call.arguments)]
    if call.result:
        parts += ["*It gave:*", fenced(call.result)]
    parts += [grid(table) for table in call.tables]
    if count := len(call.attachments):
        parts.append(f"*It drew {count} picture{'' if count == 1 else 's'}.*")
    return parts + [f"*It saved {inline(one.path)}, version {one.version}.*" for one in call.saved]


def fenced(text: str) -> str:
    """Return text as a block of code, whatever stands in it."""
    marks = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 0)
    return f"{marks}\n{text.strip(chr(10))}\n{marks}"


def grid(table: TableDocument) -> str:
    """Return a table, and how much of it that is."""
    lines = [table.columns, ["---"] * len(table.columns), *table.rows]
    drawn = "\n".join(f"| {' | '.join(map(inline, cells))} |" for cells in lines)
    left = table.rows_in_all - len(table.rows)
    return f"{drawn}\n\n*And {left:,} more row{'' if left == 1 else 's'}.*" if left > 0 else drawn


def closed(text: str) -> str:
    """Return text whose last block of code ends, so that what comes after is not drawn into it."""
    fence = ""
    for line in text.splitlines():
        found = FENCE.fullmatch(line)
        if found is None:
            continue
        marks, rest = found.groups()
        if not fence and not (marks[0] == "`" and "`" in rest):
            fence = marks
        elif fence and marks.startswith(fence) and not rest.strip():
            fence = ""
    text = text.strip("\n")
    return f"{text}\n{fence}" if fence else text


def inline(text: str) -> str:
    """Make any text stand for itself on one line of Markdown."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))


def file_name(title: str | None, ending: str) -> str:
    """Return a name for a file that is safe on every system, made from a title."""
    kept = (
        char if char.isalnum() or char in " -_.,()" else " "
        for char in unicodedata.normalize("NFC", title or "")
    )
    name = " ".join("".join(kept).split()).strip(" .")[:LONGEST_NAME].strip(" .")
    if not name or RESERVED.fullmatch(name.partition(".")[0].strip()):
        name = f"{UNTITLED} {name}".strip()
    return f"{name}.{ending}"


def ascii_name(name: str) -> str:
    """Return a file's name in plain letters, for those who cannot read others."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    stem, _, ending = plain.rpartition(".")
    return f"{stem.strip(' .') or UNTITLED}.{ending}"
