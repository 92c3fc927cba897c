"""Sending files to a server: found in folders, sent in batches, with the progress shown."""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from io import BufferedReader, FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from tertulia.cli.errors import NothingToSend, ServerRefused
from tertulia.cli.output import Meter, meter, note

if TYPE_CHECKING:
    from tertulia.cli.client import Client

#: What people rarely mean when they name a folder.
LEFT_OUT = frozenset({"node_modules", "__pycache__"})
BATCH = 50
BATCH_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class Found:
    """A file to be sent, and the name it is to have."""

    path: Path
    name: str
    size: int


class Counted(FileIO):
    """A file that tells how much of it was read."""

    def __init__(self, path: Path, heard: "Sent") -> None:
        super().__init__(path)
        self._heard = heard

    def readinto(self, buffer: Any, /) -> int:
        """Read, and tell how much that was."""
        count = cast("int", super().readinto(buffer) or 0)
        self._heard.add(count)
        return count


class Sent:
    """Counts the bytes that have gone."""

    def __init__(self, total: int, show: Meter) -> None:
        self._total = total
        self._show = show
        self._done = 0

    def add(self, count: int) -> None:
        """Show that more has gone."""
        self._done += count
        self._show("Sending", min(self._done, self._total), self._total)


def send_all(
    server: "Client", place: str, paths: Iterable[Path], *, fields: dict[str, str], hidden: bool
) -> tuple[list[dict[str, Any]], int]:
    """Send files and folders, say what was not kept, and return what was and how many were not."""
    found = [one for path in paths for one in files_in(path, hidden=hidden)]
    if not found:
        raise NothingToSend
    kept: list[dict[str, Any]] = []
    skipped = 0
    with meter(size=True) as show:
        heard = Sent(sum(one.size for one in found), show)
        for batch in batches(found):
            files, problems = send(server, place, batch, fields=fields, heard=heard)
            kept += files
            skipped += len(problems)
            for problem in problems:
                note(problem)
    return kept, skipped


def files_in(path: Path, *, hidden: bool) -> Iterator[Found]:
    """Yield a file, or those in a folder at any depth under the folder's own name."""
    if path.is_file():
        yield Found(path, path.name, path.stat().st_size)
        return
    top = path.resolve().name if path.name == ".." else path.name
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if hidden or is_meant(name))
        inside = Path(folder).relative_to(path)
        for name in sorted(name for name in names if hidden or is_meant(name)):
            one = Path(folder, name)
            # Links may lead out of the folder, and pipes never end.
            if one.is_symlink() or not one.is_file():
                note(f"{one}: Only plain files are sent.")
                continue
            yield Found(one, (Path(top) / inside / name).as_posix(), one.stat().st_size)


def is_meant(name: str) -> bool:
    """Tell whether someone who names a folder means this in it."""
    return not name.startswith(".") and name not in LEFT_OUT


def batches(found: Iterable[Found]) -> Iterator[list[Found]]:
    """Yield some files at a time: not too many, and not too much."""
    batch: list[Found] = []
    size = 0
    for one in found:
        if batch and (len(batch) >= BATCH or size + one.size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += one.size
    if batch:
        yield batch


def send(
    server: "Client", place: str, batch: list[Found], *, fields: dict[str, str], heard: Sent
) -> tuple[list[dict[str, Any]], list[str]]:
    """Send some files, and return those that were kept and what is to be said of the others."""
    problems: list[str] = []
    with ExitStack() as opened:
        parts: list[tuple[str, BinaryIO]] = []
        for one in batch:
            try:
                parts.append((one.name, opened.enter_context(BufferedReader(Counted(one.path, heard)))))
            except OSError as error:
                problems.append(f"{one.path}: {error.strerror}.")
        if not parts:
            return [], problems
        try:
            answer = server.send_files(place, parts, **fields)
        except ServerRefused as error:
            if error.status in (401, 403, 404):
                raise
            return [], [*problems, *(f"{name}: {error.message}" for name, _ in parts)]
    return answer["files"], problems + [f"{one['path']}: {one['reason']}" for one in answer["skipped"]]


def wait_until_found(server: "Client", project_id: str, paths: set[str]) -> None:
    """Wait for the index, and say which of some files cannot be read."""
    from tertulia.cli.indexing import wait_for_index  # noqa: PLC0415 - only where someone waits

    with meter() as show:
        wait_for_index(server, [project_id], show=show)
    for one in server.get(f"/api/projects/{project_id}/index")["problems"]:
        if one["path"] in paths:
            note(f"{one['path']}: {one['problem']}")
