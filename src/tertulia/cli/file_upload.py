"""Sending files to a server: found in folders, sent in batches, with the progress shown."""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from io import BufferedReader, FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from tertulia.cli.errors import NothingToSend, ServerRefused
from tertulia.cli.output import ProgressCallback, print_to_stderr, progress_bar
from tertulia.core.json_object import JsonObject

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

#: What people rarely mean when they name a folder.
UPLOAD_SKIPPED_NAMES = frozenset({"node_modules", "__pycache__"})
UPLOAD_BATCH_MAX_FILES = 50
UPLOAD_BATCH_MAX_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file to be sent, and the name it is to have."""

    path: Path
    name: str
    size: int


class CountingFile(FileIO):
    """A file that tells how much of it was read."""

    def __init__(self, path: Path, progress: "UploadProgress") -> None:
        super().__init__(path)
        self._progress = progress

    def readinto(self, buffer: Any, /) -> int:
        """Read, and tell how much that was."""
        count = cast("int", super().readinto(buffer) or 0)
        self._progress.add(count)
        return count


class UploadProgress:
    """Counts the bytes that have gone."""

    def __init__(self, total: int, report_progress: ProgressCallback) -> None:
        self._total = total
        self._report_progress = report_progress
        self._done = 0

    def add(self, count: int) -> None:
        """Show that more has gone."""
        self._done += count
        self._report_progress("Sending", min(self._done, self._total), self._total)


def upload_all(
    server: "ApiClient", api_path: str, paths: Iterable[Path], *, fields: dict[str, str], include_hidden: bool
) -> tuple[list[JsonObject], int]:
    """Send files and folders, say what was not kept, and return what was and how many were not."""
    found = [file for path in paths for file in find_files(path, include_hidden=include_hidden)]
    if not found:
        raise NothingToSend
    kept: list[JsonObject] = []
    skipped = 0
    with progress_bar(in_bytes=True) as show:
        progress = UploadProgress(sum(local_file.size for local_file in found), show)
        for batch in split_batches(found):
            files, problems = upload_batch(server, api_path, batch, fields=fields, progress=progress)
            kept += files
            skipped += len(problems)
            for problem in problems:
                print_to_stderr(problem)
    return kept, skipped


def find_files(path: Path, *, include_hidden: bool) -> Iterator[LocalFile]:
    """Yield a file, or those in a folder at any depth under the folder's own name."""
    if path.is_file():
        yield LocalFile(path, path.name, path.stat().st_size)
        return
    top = path.resolve().name if path.name == ".." else path.name
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if include_hidden or is_included_name(name))
        inside = Path(folder).relative_to(path)
        for name in sorted(name for name in names if include_hidden or is_included_name(name)):
            found = Path(folder, name)
            # Links may lead out of the folder, and pipes never end.
            if found.is_symlink() or not found.is_file():
                print_to_stderr(f"{found}: Only plain files are sent.")
                continue
            yield LocalFile(found, (Path(top) / inside / name).as_posix(), found.stat().st_size)


def is_included_name(name: str) -> bool:
    """Tell whether someone who names a folder means this in it."""
    return not name.startswith(".") and name not in UPLOAD_SKIPPED_NAMES


def split_batches(found: Iterable[LocalFile]) -> Iterator[list[LocalFile]]:
    """Yield some files at a time: not too many, and not too much."""
    batch: list[LocalFile] = []
    size = 0
    for local_file in found:
        if batch and (
            len(batch) >= UPLOAD_BATCH_MAX_FILES or size + local_file.size > UPLOAD_BATCH_MAX_BYTES
        ):
            yield batch
            batch, size = [], 0
        batch.append(local_file)
        size += local_file.size
    if batch:
        yield batch


def upload_batch(
    server: "ApiClient",
    api_path: str,
    batch: list[LocalFile],
    *,
    fields: dict[str, str],
    progress: UploadProgress,
) -> tuple[list[JsonObject], list[str]]:
    """Send some files, and return those that were kept and what is to be said of the others."""
    problems: list[str] = []
    with ExitStack() as opened:
        parts: list[tuple[str, BinaryIO]] = []
        for local_file in batch:
            try:
                parts.append(
                    (
                        local_file.name,
                        opened.enter_context(BufferedReader(CountingFile(local_file.path, progress))),
                    )
                )
            except OSError as error:
                problems.append(f"{local_file.path}: {error.strerror}.")
        if not parts:
            return [], problems
        try:
            answer = server.upload_files(api_path, parts, **fields)
        except ServerRefused as error:
            if error.status in (401, 403, 404):
                raise
            return [], [*problems, *(f"{name}: {error.message}" for name, _ in parts)]
    return answer["files"], problems + [
        f"{skipped['path']}: {skipped['reason']}" for skipped in answer["skipped"]
    ]


def wait_until_indexed(server: "ApiClient", project_id: str, paths: set[str]) -> None:
    """Wait for the index, and say which of some files cannot be read."""
    from tertulia.cli.index_progress import wait_for_index

    with progress_bar() as show:
        wait_for_index(server, [project_id], report_progress=show)
    for problem in server.get(f"/api/projects/{project_id}/index")["problems"]:
        if problem["path"] in paths:
            print_to_stderr(f"{problem['path']}: {problem['problem']}")
