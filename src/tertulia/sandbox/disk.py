"""All the files that the code sees: some lent, a few folders to write to, nothing of the host.

They live in memory. There are no links: a path leads to a regular file, a
folder or nowhere. The runtime makes each path absolute and regular before it
asks.
"""

import errno
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tertulia.core.byte_units import MEGABYTE_BYTES
from tertulia.sandbox.domain import FILES_FOLDER, SCRATCH_FOLDER, TOOLS_FOLDER
from tertulia.sandbox.errors import NameRefused
from tertulia.sandbox.tool_names import is_saved, normalise_tool_name

#: Where what runs around the code leaves its verdict and the pictures.
REPORT_FOLDER = "/report"
REPORT_MAX_BYTES = 32 * MEGABYTE_BYTES
REPORT_FILES_MAX = 100


@dataclass(slots=True)
class DiskQuota:
    """How much may still be written."""

    bytes: int
    files: int

    def take(self, *, size: int = 0, files: int = 0) -> None:
        """Use some of it, or raise as a full disk does."""
        if size > max(self.bytes, 0) or files > max(self.files, 0):
            raise OSError(errno.EDQUOT, "the disk is full")
        self.bytes -= size
        self.files -= files


class Disk:
    """Answers the runtime's questions about files, each by its path."""

    def __init__(
        self,
        *,
        stat: Callable[[str, int, int], Any],
        fetch: Callable[[str], bytes | None],
        tool_read: Callable[[str], None] = lambda _name: None,
    ) -> None:
        self._stat = stat
        self._fetch = fetch
        self._tool_read = tool_read
        self._tools_read: set[str] = set()
        self._times: dict[str, int] = {}
        self._folders: dict[str, set[str]] = {"/": set()}
        self._times["/"] = time.time_ns()
        self._files: dict[str, bytes] = {}
        self._lent: dict[str, int] = {}
        self._tools_before: dict[str, bytes] = {}
        self._file_max_bytes = 0
        self._quota = DiskQuota(MEGABYTE_BYTES, 100)
        self._report_quota = DiskQuota(REPORT_MAX_BYTES, REPORT_FILES_MAX)
        for folder in (FILES_FOLDER, TOOLS_FOLDER, SCRATCH_FOLDER, REPORT_FOLDER):
            self._make_folders(folder)

    def mount_job(
        self,
        files: Mapping[str, int],
        tools: Mapping[str, bytes],
        *,
        max_bytes: int,
        max_files: int,
        file_max_bytes: int,
    ) -> None:
        """Lay out what a job lends; say how much may be written besides, and how large a file may be."""
        self._file_max_bytes = file_max_bytes
        for name, length in files.items():
            self._create_entry(f"{FILES_FOLDER}/{name}")
            self._lent[f"{FILES_FOLDER}/{name}"] = length
        for name, body in tools.items():
            self.put_file(f"{TOOLS_FOLDER}/{name}", body)
        self._tools_before = {
            path: body for path, body in self._files.items() if path.startswith(f"{TOOLS_FOLDER}/")
        }
        self._quota = DiskQuota(max_bytes, max_files)

    def put_file(self, path: str, body: bytes) -> None:
        """Put a file of our own onto the disk."""
        self._create_entry(path)
        self._files[path] = body

    def changed_tools(self) -> dict[str, bytes]:
        """Return the tools that are new or not what they were, by name."""
        found: dict[str, bytes] = {}
        for path, body in self._files.items():
            name = path.removeprefix(f"{TOOLS_FOLDER}/")
            if name != path and is_saved(name) and self._tools_before.get(path) != body:
                found[name] = body
        return found

    def removed_tools(self) -> list[str]:
        """Return the names of tools that were lent and are no longer there."""
        return [
            path.removeprefix(f"{TOOLS_FOLDER}/") for path in self._tools_before if path not in self._files
        ]

    def read_report(self, name: str) -> bytes | None:
        """Return a file that was left for us."""
        return self._files.get(f"{REPORT_FOLDER}/{name}")

    def stat(self, path: str) -> Any:
        """Tell what is at a path."""
        if path in self._folders:
            return self._stat("dir", 0, self._times[path])
        if path in self._lent:
            return self._stat("file", self._lent[path], self._times[path])
        if path in self._files:
            return self._stat("file", len(self._files[path]), self._times[path])
        raise self._missing(path)

    def list(self, path: str) -> list[tuple[str, str]]:
        """Return what is in a folder."""
        if path not in self._folders:
            raise self._missing(path, errno.ENOTDIR)
        root = path.rstrip("/")
        kinds = ((name, f"{root}/{name}" in self._folders) for name in sorted(self._folders[path]))
        return [(name, "dir" if is_folder else "file") for name, is_folder in kinds]

    def read(self, path: str) -> bytes:
        """Return a file's bytes; one that was lent is asked for now."""
        if path in self._lent:
            if self._lent[path] > self._file_max_bytes:
                raise OSError(errno.EFBIG, "the file does not fit into memory")
            body = self._fetch(path.removeprefix(f"{FILES_FOLDER}/"))
            if body is None:
                raise OSError(errno.EIO, "the file cannot be read")
            return body
        if path not in self._files:
            raise self._missing(path, errno.EISDIR)
        self._tell_tool_read(path)
        return self._files[path]

    def write(self, path: str, data: bytes) -> None:
        """Replace a file's bytes, or make a file."""
        room = self._writable(path)
        if path in self._folders:
            raise OSError(errno.EISDIR, path)
        self._check_parent(path)
        old = self._files.get(path)
        room.take(size=len(data) - len(old or b""), files=1 if old is None else 0)
        self._files[path] = data
        self._add_entry(path)

    def mkdir(self, path: str) -> None:
        """Make a folder, if something may lie in it."""
        room = self._writable(f"{path}/x")
        if path in self._folders or path in self._files:
            raise OSError(errno.EEXIST, path)
        self._check_parent(path)
        room.take(files=1)
        self._folders[path] = set()
        self._add_entry(path)

    def remove(self, path: str) -> None:
        """Remove a file."""
        room = self._writable(path)
        if path not in self._files:
            raise self._missing(path, errno.EISDIR)
        room.take(size=-len(self._files.pop(path)), files=-1)
        self._remove_entry(path)

    def rmdir(self, path: str) -> None:
        """Remove an empty folder."""
        room = self._writable(path)
        if path not in self._folders:
            raise self._missing(path, errno.ENOTDIR)
        if self._folders[path]:
            raise OSError(errno.ENOTEMPTY, path)
        room.take(files=-1)
        del self._folders[path]
        self._remove_entry(path)

    def rename(self, source: str, target: str) -> None:
        """Move a file; a folder is moved by whoever asks, file by file."""
        self._writable(source)
        self._writable(target)
        if source not in self._files:
            raise self._missing(source, errno.EXDEV)
        if source != target:
            self._tell_tool_read(source)
            self.write(target, self._files[source])
            self.remove(source)

    def _tell_tool_read(self, path: str) -> None:
        """Tell of a tool that was lent when the code first has its bytes."""
        if path in self._tools_before and path not in self._tools_read:
            self._tools_read.add(path)
            self._tool_read(path.removeprefix(f"{TOOLS_FOLDER}/"))

    def _writable(self, path: str) -> DiskQuota:
        top = next(
            (
                folder
                for folder in (TOOLS_FOLDER, SCRATCH_FOLDER, REPORT_FOLDER)
                if path.startswith(f"{folder}/")
            ),
            None,
        )
        if top is None:
            raise OSError(errno.EROFS, path)
        if top == TOOLS_FOLDER:
            try:
                normalise_tool_name(path.removeprefix(f"{TOOLS_FOLDER}/"))
            except NameRefused as refused:
                raise OSError(errno.EPERM, refused.message) from None
        return self._report_quota if top == REPORT_FOLDER else self._quota

    def _check_parent(self, path: str) -> None:
        if parent(path) not in self._folders:
            raise self._missing(parent(path), errno.ENOTDIR)

    def _missing(self, path: str, otherwise: int = errno.ENOENT) -> OSError:
        """Return what is wrong with a path: nothing is there, or something else than was wanted."""
        there = path in self._folders or path in self._files or path in self._lent
        if not there and any(step in self._files or step in self._lent for step in ancestors(path)):
            return OSError(errno.ENOTDIR, path)
        return OSError(otherwise if there else errno.ENOENT, path)

    def _create_entry(self, path: str) -> None:
        self._make_folders(parent(path))
        self._add_entry(path)

    def _add_entry(self, path: str) -> None:
        self._folders[parent(path)].add(base_name(path))
        # Python looks into a folder anew only when its time has changed.
        self._times[path] = self._times[parent(path)] = time.time_ns()

    def _remove_entry(self, path: str) -> None:
        self._folders[parent(path)].discard(base_name(path))
        self._times[parent(path)] = time.time_ns()
        del self._times[path]

    def _make_folders(self, folder: str) -> None:
        """Make a folder and all that it lies in."""
        for step in (*ancestors(folder), folder):
            if step not in self._folders:
                self._folders[step] = set()
                self._add_entry(step)


class ReadOnlyFiles:
    """The lent files alone, so that the runtime refuses at once to open one for writing."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def stat(self, path: str) -> Any:
        """Tell what is at a path."""
        return self._disk.stat(disk_path(path))

    def list(self, path: str) -> list[tuple[str, str]]:
        """Return what is in a folder."""
        return self._disk.list(disk_path(path))

    def read(self, path: str) -> bytes:
        """Return a file's bytes."""
        return self._disk.read(disk_path(path))


def disk_path(path: str) -> str:
    """Return the path on the disk of a path among the lent files."""
    return f"{FILES_FOLDER}{path}".rstrip("/")


def parent(path: str) -> str:
    """Return the folder that a path lies in."""
    return path.rpartition("/")[0] or "/"


def base_name(path: str) -> str:
    """Return the last name of a path."""
    return path.rpartition("/")[2]


def ancestors(path: str) -> list[str]:
    """Return every folder above a path but the topmost."""
    parts = path.strip("/").split("/")
    return ["/" + "/".join(parts[:depth]) for depth in range(1, len(parts))]
