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

from tertulia.sandbox.domain import FILES, MB, SCRATCH, TOOLS
from tertulia.sandbox.errors import NameRefused
from tertulia.sandbox.names import is_kept, tool_name

#: Where what runs around the code leaves its verdict and the pictures.
REPORT = "/report"
REPORT_BYTES = 32 * MB
REPORT_FILES = 100


@dataclass(slots=True)
class Room:
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
        self._held: dict[str, bytes] = {}
        self._lent: dict[str, int] = {}
        self._before: dict[str, bytes] = {}
        self._largest = 0
        self._room = Room(MB, 100)
        self._report_room = Room(REPORT_BYTES, REPORT_FILES)
        for folder in (FILES, TOOLS, SCRATCH, REPORT):
            self._grow(folder)

    def lend(
        self, files: Mapping[str, int], tools: Mapping[str, bytes], *, size: int, most: int, largest: int
    ) -> None:
        """Lay out what a job lends; say how much may be written besides, and how large a file may be."""
        self._largest = largest
        for name, length in files.items():
            self._place(f"{FILES}/{name}")
            self._lent[f"{FILES}/{name}"] = length
        for name, body in tools.items():
            self.hold(f"{TOOLS}/{name}", body)
        self._before = {path: body for path, body in self._held.items() if path.startswith(f"{TOOLS}/")}
        self._room = Room(size, most)

    def hold(self, path: str, body: bytes) -> None:
        """Put a file of our own onto the disk."""
        self._place(path)
        self._held[path] = body

    def changed_tools(self) -> dict[str, bytes]:
        """Return the tools that are new or not what they were, by name."""
        found: dict[str, bytes] = {}
        for path, body in self._held.items():
            name = path.removeprefix(f"{TOOLS}/")
            if name != path and is_kept(name) and self._before.get(path) != body:
                found[name] = body
        return found

    def removed_tools(self) -> list[str]:
        """Return the names of tools that were lent and are no longer there."""
        return [path.removeprefix(f"{TOOLS}/") for path in self._before if path not in self._held]

    def report(self, name: str) -> bytes | None:
        """Return a file that was left for us."""
        return self._held.get(f"{REPORT}/{name}")

    def stat(self, path: str) -> Any:
        """Tell what is at a path."""
        if path in self._folders:
            return self._stat("dir", 0, self._times[path])
        if path in self._lent:
            return self._stat("file", self._lent[path], self._times[path])
        if path in self._held:
            return self._stat("file", len(self._held[path]), self._times[path])
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
            if self._lent[path] > self._largest:
                raise OSError(errno.EFBIG, "the file does not fit into memory")
            body = self._fetch(path.removeprefix(f"{FILES}/"))
            if body is None:
                raise OSError(errno.EIO, "the file cannot be read")
            return body
        if path not in self._held:
            raise self._missing(path, errno.EISDIR)
        self._tell_tool_read(path)
        return self._held[path]

    def write(self, path: str, data: bytes) -> None:
        """Replace a file's bytes, or make a file."""
        room = self._writable(path)
        if path in self._folders:
            raise OSError(errno.EISDIR, path)
        self._check_parent(path)
        old = self._held.get(path)
        room.take(size=len(data) - len(old or b""), files=1 if old is None else 0)
        self._held[path] = data
        self._enter(path)

    def mkdir(self, path: str) -> None:
        """Make a folder, if something may lie in it."""
        room = self._writable(f"{path}/x")
        if path in self._folders or path in self._held:
            raise OSError(errno.EEXIST, path)
        self._check_parent(path)
        room.take(files=1)
        self._folders[path] = set()
        self._enter(path)

    def remove(self, path: str) -> None:
        """Remove a file."""
        room = self._writable(path)
        if path not in self._held:
            raise self._missing(path, errno.EISDIR)
        room.take(size=-len(self._held.pop(path)), files=-1)
        self._leave(path)

    def rmdir(self, path: str) -> None:
        """Remove an empty folder."""
        room = self._writable(path)
        if path not in self._folders:
            raise self._missing(path, errno.ENOTDIR)
        if self._folders[path]:
            raise OSError(errno.ENOTEMPTY, path)
        room.take(files=-1)
        del self._folders[path]
        self._leave(path)

    def rename(self, source: str, target: str) -> None:
        """Move a file; a folder is moved by whoever asks, file by file."""
        self._writable(source)
        self._writable(target)
        if source not in self._held:
            raise self._missing(source, errno.EXDEV)
        if source != target:
            self._tell_tool_read(source)
            self.write(target, self._held[source])
            self.remove(source)

    def _tell_tool_read(self, path: str) -> None:
        """Tell of a tool that was lent when the code first has its bytes."""
        if path in self._before and path not in self._tools_read:
            self._tools_read.add(path)
            self._tool_read(path.removeprefix(f"{TOOLS}/"))

    def _writable(self, path: str) -> Room:
        top = next((one for one in (TOOLS, SCRATCH, REPORT) if path.startswith(f"{one}/")), None)
        if top is None:
            raise OSError(errno.EROFS, path)
        if top == TOOLS:
            try:
                tool_name(path.removeprefix(f"{TOOLS}/"))
            except NameRefused as refused:
                raise OSError(errno.EPERM, refused.message) from None
        return self._report_room if top == REPORT else self._room

    def _check_parent(self, path: str) -> None:
        if parent(path) not in self._folders:
            raise self._missing(parent(path), errno.ENOTDIR)

    def _missing(self, path: str, otherwise: int = errno.ENOENT) -> OSError:
        """Return what is wrong with a path: nothing is there, or something else than was wanted."""
        there = path in self._folders or path in self._held or path in self._lent
        if not there and any(step in self._held or step in self._lent for step in steps(path)):
            return OSError(errno.ENOTDIR, path)
        return OSError(otherwise if there else errno.ENOENT, path)

    def _place(self, path: str) -> None:
        self._grow(parent(path))
        self._enter(path)

    def _enter(self, path: str) -> None:
        self._folders[parent(path)].add(last(path))
        # Python looks into a folder anew only when its time has changed.
        self._times[path] = self._times[parent(path)] = time.time_ns()

    def _leave(self, path: str) -> None:
        self._folders[parent(path)].discard(last(path))
        self._times[parent(path)] = time.time_ns()
        del self._times[path]

    def _grow(self, folder: str) -> None:
        """Make a folder and all that it lies in."""
        for step in (*steps(folder), folder):
            if step not in self._folders:
                self._folders[step] = set()
                self._enter(step)


class Shelf:
    """The lent files alone, so that the runtime refuses at once to open one for writing."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def stat(self, path: str) -> Any:
        """Tell what is at a path."""
        return self._disk.stat(on_disk(path))

    def list(self, path: str) -> list[tuple[str, str]]:
        """Return what is in a folder."""
        return self._disk.list(on_disk(path))

    def read(self, path: str) -> bytes:
        """Return a file's bytes."""
        return self._disk.read(on_disk(path))


def on_disk(path: str) -> str:
    """Return where the disk has what the shelf has at a path."""
    return f"{FILES}{path}".rstrip("/")


def parent(path: str) -> str:
    """Return the folder that a path lies in."""
    return path.rpartition("/")[0] or "/"


def last(path: str) -> str:
    """Return the last name of a path."""
    return path.rpartition("/")[2]


def steps(path: str) -> list[str]:
    """Return every folder above a path but the topmost."""
    parts = path.strip("/").split("/")
    return ["/" + "/".join(parts[:depth]) for depth in range(1, len(parts))]
