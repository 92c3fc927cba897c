"""The tool that reads a file of a project, some lines at a time."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.core.errors import Invalid
from tertulia.files.domain import File
from tertulia.files.service import Files
from tertulia.files.text_lines import TextLines
from tertulia.infra.db import Database
from tertulia.models.prompt_frames import escape_attribute, escape_frame_tags, frame_quotation
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.file_access import NoSuchFile, can_show
from tertulia.tools.parameters import parameters_of
from tertulia.tools.path_suggestions import find_or_suggest

READ_TOOL_LINES_MAX = 400
READ_TOOL_LINE_MAX_CHARS = 2_000
#: Characters of one reading; what a loop lets through is a little more.
READ_TOOL_OUTPUT_MAX_CHARS = 16_000
#: No text has more lines; a larger number is a mistake, and too large for some databases.
LINE_NUMBER_MAX = 1_000_000_000

LineNumber = Annotated[int, Meta(ge=1, le=LINE_NUMBER_MAX)]


class ReadFileArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which file to read, and what of it."""

    path: Annotated[str, Meta(description="The file's path in the project, such as 'docs/api.md'.")]
    start_line: Annotated[LineNumber | None, Meta(description="The first line to read, from 1.")] = None
    end_line: Annotated[
        LineNumber | None,
        Meta(description=f"The last line to read. At most {READ_TOOL_LINES_MAX} lines are read."),
    ] = None


class ReadProjectFile:
    """Reads a file."""

    name = "read_project_file"
    description = (
        "Read a file of the current project as text with line numbers. Name lines to read "
        "a part that a search or a list has pointed to."
    )
    shape = ReadFileArguments
    parameters = parameters_of(ReadFileArguments)
    effect = Effect.READ

    def __init__(self, db: Database, files: Files) -> None:
        self._db = db
        self._files = files

    async def run(self, arguments: ReadFileArguments, caller: ToolCaller) -> ToolOutput:
        """Read as many of the wanted lines as one answer holds, and say what is left."""
        start, end = line_range_of(arguments)
        known = await find_or_suggest(self._db, arguments.path, caller)
        file, lines = await self._files.read_file_lines(known, start=start, end=end, by=caller.reader)
        if not can_show(file, caller):
            raise NoSuchFile(file.path)
        if lines is None:
            return ToolOutput(f"{file.path!r} cannot be read as text. {file.problem}".strip(), failed=True)
        return render_lines(file, lines)


def line_range_of(wanted: ReadFileArguments) -> tuple[int, int]:
    """Return the first and the last line to read."""
    start = wanted.start_line or 1
    if wanted.end_line is not None and wanted.end_line < start:
        raise Invalid(f"end_line {wanted.end_line} comes before start_line {start}.")
    most = start + READ_TOOL_LINES_MAX - 1
    return start, min(wanted.end_line or most, most)


def render_lines(file: File, lines: TextLines) -> ToolOutput:
    """Return lines of a file as a quotation, and how to go on."""
    if not lines.content:
        return ToolOutput(f"{file.path!r} has {lines.total_lines:,} lines.", failed=lines.total_lines > 0)
    shown = number_lines(lines.content, lines.start_line)
    last = lines.start_line + len(shown) - 1
    where = f"{lines.start_line}-{last} of {lines.total_lines}"
    left = ""
    if last < lines.total_lines:
        left = f"Lines {last + 1}-{lines.total_lines} are left: go on with start_line={last + 1}."
    frame = f'file path="{escape_attribute(file.path)}" lines="{where}"'
    return ToolOutput(
        frame_quotation(frame, *shown, after=left), local_only=file.local_only, files=frozenset({file.id})
    )


def number_lines(content: str, first: int) -> list[str]:
    """Return lines with their numbers, as many as there is room for and at least one."""
    shown: list[str] = []
    room = READ_TOOL_OUTPUT_MAX_CHARS
    for number, line in enumerate(content.removesuffix("\n").split("\n"), first):
        told = f"{number}: {truncate_line(escape_frame_tags(line.removesuffix(chr(13))))}"
        room -= len(told)
        if room < 0 and shown:
            break
        shown.append(told)
    return shown


def truncate_line(line: str) -> str:
    """Return a line, or the beginning of an endless one."""
    if len(line) <= READ_TOOL_LINE_MAX_CHARS:
        return line
    shown = line[:READ_TOOL_LINE_MAX_CHARS]
    return f"{shown}… (the rest of this line is not shown; search_project finds passages in it)"
