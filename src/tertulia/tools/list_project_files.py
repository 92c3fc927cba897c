"""The tool that lists the files of a project."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.files.domain import MEDIA_WITHOUT_TEXT, File
from tertulia.infra.db import Database, Tx
from tertulia.models.prompt_frames import escape_frame_tags, frame_quotation, truncate_to_line
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.file_access import list_visible_files, normalise_prefix
from tertulia.tools.parameters import parameters_of

LIST_TOOL_FILES_MAX = 200
LIST_TOOL_FOLDERS_MAX = 50
LIST_TOOL_SUMMARY_MAX_CHARS = 120
#: Characters of one listing.
LIST_TOOL_OUTPUT_MAX_CHARS = 16_000


class ListFilesArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which files to list."""

    prefix: Annotated[
        str | None, Meta(description="Only paths that begin so, such as 'docs/'. All when left out.")
    ] = None
    tags: Annotated[list[str] | None, Meta(description="Only files with at least one of these tags.")] = None


class ListProjectFiles:
    """Lists what there is to read."""

    name = "list_project_files"
    description = (
        "List the files of the current project with their sizes and what they are about, "
        "optionally only those whose path begins with a prefix, or that have a tag."
    )
    shape = ListFilesArguments
    parameters = parameters_of(ListFilesArguments)
    effect = Effect.READ

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: ListFilesArguments, caller: ToolCaller) -> ToolOutput:
        """List the files that are wanted and may be shown."""
        start = normalise_prefix(arguments.prefix or "")
        tags = frozenset(arguments.tags or ())

        def look(tx: Tx) -> list[File]:
            return [
                file
                for file in list_visible_files(tx, start, caller)
                if not tags or tags.intersection(file.tags)
            ]

        found = await self._db.read(look, by=caller.reader)
        if not found:
            return ToolOutput("There are no such files. Without a prefix and tags, all files are listed.")
        return render_file_list(found, start)


def render_file_list(files: Sequence[File], start: str) -> ToolOutput:
    """Return a list of files, and where it is too long, the folders of the rest."""
    lines: list[str] = []
    room = LIST_TOOL_OUTPUT_MAX_CHARS
    for file in files[:LIST_TOOL_FILES_MAX]:
        line = render_file_line(file)
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
    rest = files[len(lines) :]
    local = any(file.local_only for file in files)
    shown_ids = frozenset(file.id for file in files[: len(lines)])
    return ToolOutput(
        frame_quotation("files", *lines, after=render_other_folders(rest, start)),
        local_only=local,
        files=shown_ids,
    )


def render_file_line(file: File) -> str:
    """Return one line about a file."""
    kind = f"{file.media}, no text" if file.media in MEDIA_WITHOUT_TEXT else str(file.media)
    tags = (
        f", tags: {truncate_to_line(', '.join(file.tags), LIST_TOOL_SUMMARY_MAX_CHARS)}" if file.tags else ""
    )
    about = f" - {truncate_to_line(file.summary, LIST_TOOL_SUMMARY_MAX_CHARS)}" if file.summary else ""
    return f"{escape_frame_tags(file.path)} ({kind}, {file.size:,} bytes{tags}){about}"


def render_other_folders(rest: Sequence[File], start: str) -> str:
    """Return where the files are that are not listed; empty when all are."""
    if not rest:
        return ""
    depth = start.count("/") + 1
    counts = Counter("/".join(file.path.split("/")[:-1][:depth]) for file in rest)
    folders = [
        f"{escape_frame_tags(name)}/ ({count})" if name else f"at the top ({count})"
        for name, count in counts.items()
    ]
    told = ", ".join(folders[:LIST_TOOL_FOLDERS_MAX])
    return f"There are at least {len(rest):,} more: {told}. Narrow it with a longer prefix."
