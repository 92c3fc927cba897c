"""The tool that lists the files of a project."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.files.domain import WITHOUT_TEXT, File
from tertulia.infra.db import Database, Tx
from tertulia.models.quoting import framed, inert, on_one_line
from tertulia.tools.domain import Caller, Effect, Result
from tertulia.tools.parameters import parameters_of
from tertulia.tools.shelf import regular_start, shown

MOST_LISTED = 200
MOST_FOLDERS = 50
LONGEST_SUMMARY = 120
#: Characters of one listing.
ROOM = 16_000


class WhichFiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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
    shape = WhichFiles
    parameters = parameters_of(WhichFiles)
    effect = Effect.READ

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: WhichFiles, caller: Caller) -> Result:
        """List the files that are wanted and may be shown."""
        start = regular_start(arguments.prefix or "")
        tags = frozenset(arguments.tags or ())

        def look(tx: Tx) -> list[File]:
            return [file for file in shown(tx, start, caller) if not tags or tags.intersection(file.tags)]

        found = await self._db.read(look, by=caller.reader)
        if not found:
            return Result("There are no such files. Without a prefix and tags, all files are listed.")
        return listed(found, start)


def listed(files: Sequence[File], start: str) -> Result:
    """Return a list of files, and where it is too long, the folders of the rest."""
    lines: list[str] = []
    room = ROOM
    for file in files[:MOST_LISTED]:
        line = line_of(file)
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
    rest = files[len(lines) :]
    local = any(file.local_only for file in files)
    shown_ids = frozenset(file.id for file in files[: len(lines)])
    return Result(framed("files", *lines, after=folders_of(rest, start)), local_only=local, files=shown_ids)


def line_of(file: File) -> str:
    """Return one line about a file."""
    kind = f"{file.media}, no text" if file.media in WITHOUT_TEXT else str(file.media)
    tags = f", tags: {on_one_line(', '.join(file.tags), LONGEST_SUMMARY)}" if file.tags else ""
    about = f" - {on_one_line(file.summary, LONGEST_SUMMARY)}" if file.summary else ""
    return f"{inert(file.path)} ({kind}, {file.size:,} bytes{tags}){about}"


def folders_of(rest: Sequence[File], start: str) -> str:
    """Return where the files are that are not listed; empty when all are."""
    if not rest:
        return ""
    depth = start.count("/") + 1
    counts = Counter("/".join(file.path.split("/")[:-1][:depth]) for file in rest)
    folders = [
        f"{inert(name)}/ ({count})" if name else f"at the top ({count})" for name, count in counts.items()
    ]
    told = ", ".join(folders[:MOST_FOLDERS])
    return f"There are at least {len(rest):,} more: {told}. Narrow it with a longer prefix."
