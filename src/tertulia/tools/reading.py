"""The tool that reads a file of a project, some lines at a time."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.core.errors import Invalid
from tertulia.files.domain import File
from tertulia.files.lines import Lines
from tertulia.files.service import Files
from tertulia.infra.db import Database
from tertulia.models.quoting import framed, in_a_tag, inert
from tertulia.tools.domain import Caller, Effect, Result
from tertulia.tools.hints import find_or_hint
from tertulia.tools.parameters import parameters_of
from tertulia.tools.shelf import NoSuchFile, may_be_shown

MOST_LINES = 400
LONGEST_LINE = 2_000
#: Characters of one reading; what a loop lets through is a little more.
ROOM = 16_000
#: No text has more lines; a larger number is a mistake, and too large for some databases.
LAST_LINE = 1_000_000_000

LineNumber = Annotated[int, Meta(ge=1, le=LAST_LINE)]


class WhichLines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which file to read, and what of it."""

    path: Annotated[str, Meta(description="The file's path in the project, such as 'docs/api.md'.")]
    start_line: Annotated[LineNumber | None, Meta(description="The first line to read, from 1.")] = None
    end_line: Annotated[
        LineNumber | None, Meta(description=f"The last line to read. At most {MOST_LINES} lines are read.")
    ] = None


class ReadProjectFile:
    """Reads a file."""

    name = "read_project_file"
    description = (
        "Read a file of the current project as text with line numbers. Name lines to read "
        "a part that a search or a list has pointed to."
    )
    shape = WhichLines
    parameters = parameters_of(WhichLines)
    effect = Effect.READ

    def __init__(self, db: Database, files: Files) -> None:
        self._db = db
        self._files = files

    async def run(self, arguments: WhichLines, caller: Caller) -> Result:
        """Read as many of the wanted lines as one answer holds, and say what is left."""
        start, end = span_of(arguments)
        known = await find_or_hint(self._db, arguments.path, caller)
        file, lines = await self._files.lines(known, start=start, end=end, by=caller.reader)
        if not may_be_shown(file, caller):
            raise NoSuchFile(file.path)
        if lines is None:
            return Result(f"{file.path!r} cannot be read as text. {file.problem}".strip(), failed=True)
        return as_read(file, lines)


def span_of(wanted: WhichLines) -> tuple[int, int]:
    """Return the first and the last line to read."""
    start = wanted.start_line or 1
    if wanted.end_line is not None and wanted.end_line < start:
        raise Invalid(f"end_line {wanted.end_line} comes before start_line {start}.")
    most = start + MOST_LINES - 1
    return start, min(wanted.end_line or most, most)


def as_read(file: File, lines: Lines) -> Result:
    """Return lines of a file as a quotation, and how to go on."""
    if not lines.content:
        return Result(f"{file.path!r} has {lines.total_lines:,} lines.", failed=lines.total_lines > 0)
    shown = numbered(lines.content, lines.start_line)
    last = lines.start_line + len(shown) - 1
    where = f"{lines.start_line}-{last} of {lines.total_lines}"
    left = ""
    if last < lines.total_lines:
        left = f"Lines {last + 1}-{lines.total_lines} are left: go on with start_line={last + 1}."
    frame = f'file path="{in_a_tag(file.path)}" lines="{where}"'
    return Result(framed(frame, *shown, after=left), local_only=file.local_only, files=frozenset({file.id}))


def numbered(content: str, first: int) -> list[str]:
    """Return lines with their numbers, as many as there is room for and at least one."""
    shown: list[str] = []
    room = ROOM
    for number, line in enumerate(content.removesuffix("\n").split("\n"), first):
        told = f"{number}: {short(inert(line.removesuffix(chr(13))))}"
        room -= len(told)
        if room < 0 and shown:
            break
        shown.append(told)
    return shown


def short(line: str) -> str:
    """Return a line, or the beginning of an endless one."""
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE]}… (the rest of this line is not shown; search_project finds passages in it)"
