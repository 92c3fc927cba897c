"""Receiving bytes: hashed and looked at on the way; small ones stay in memory, larger ones go to disk."""

import asyncio
import codecs
import errno
import hashlib
from collections.abc import AsyncIterable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from tertulia.core.ids import new_id
from tertulia.files.errors import FileTooLarge
from tertulia.files.extract.file_kinds import FILE_HEAD_BYTES
from tertulia.infra.db.errors import DiskFull

#: What is smaller lies in the database, the rest in the blob store.
INLINE_FILE_MAX_BYTES = 1_000_000
INTAKE_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """Bytes that arrived whole: in memory, or in a file of their own."""

    hash: str
    size: int
    head: bytes
    #: Whether it is UTF-8 with plain line ends, so that it is its own text.
    is_clean: bool
    data: bytes | None
    path: Path | None

    def open(self) -> BinaryIO:
        """Open it for reading."""
        return BytesIO(self.data or b"") if self.path is None else self.path.open("rb")

    async def discard(self) -> None:
        """Delete what may lie on disk."""
        if self.path is not None:
            await asyncio.to_thread(self.path.unlink, missing_ok=True)


class ContentInspector:
    """Goes over bytes once: their hash, their beginning, and whether they are clean text."""

    def __init__(self) -> None:
        self.size = 0
        self.head = b""
        self._hash = hashlib.sha256()
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._is_clean = True

    def inspect(self, block: bytes | bytearray) -> None:
        """Look at the next block."""
        if len(self.head) < FILE_HEAD_BYTES:
            self.head += bytes(block[: FILE_HEAD_BYTES - len(self.head)])
        self._hash.update(block)
        self.size += len(block)
        self._is_clean = self._is_clean and self._is_clean_text(block)

    def to_received(self, *, data: bytes | None, path: Path | None) -> ReceivedFile:
        """Return what was found."""
        clean = (
            self._is_clean
            and self._is_clean_text(b"", final=True)
            and not self.head.startswith(codecs.BOM_UTF8)
        )
        return ReceivedFile(self._hash.hexdigest(), self.size, self.head, clean, data, path)

    def _is_clean_text(self, block: bytes | bytearray, *, final: bool = False) -> bool:
        try:
            self._decoder.decode(block, final)
        except UnicodeDecodeError:
            return False
        return b"\r" not in block and b"\0" not in block


class FileIntake:
    """One file on its way in. Feed it blocks, then finish it or discard it."""

    def __init__(self, path: Path, *, max_bytes: int) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._inspector = ContentInspector()
        self._buffer = bytearray()
        self._file: BinaryIO | None = None

    async def feed(self, block: bytes) -> None:
        """Take the next block, or raise `FileTooLarge`."""
        if self._inspector.size + len(self._buffer) + len(block) > self._max_bytes:
            raise FileTooLarge(self._max_bytes)
        self._buffer += block
        if len(self._buffer) >= INTAKE_BLOCK_BYTES:
            await asyncio.to_thread(self._write)

    async def finish(self) -> ReceivedFile:
        """Return all that arrived."""
        if self._file is None and len(self._buffer) < INLINE_FILE_MAX_BYTES:
            self._inspector.inspect(self._buffer)
            return self._inspector.to_received(data=bytes(self._buffer), path=None)
        await asyncio.to_thread(self._write, last=True)
        return self._inspector.to_received(data=None, path=self._path)

    async def discard(self) -> None:
        """Forget what arrived."""
        if self._file is not None:
            await asyncio.to_thread(self._remove)

    def _write(self, *, last: bool = False) -> None:
        with raise_disk_full():
            if self._file is None:
                self._file = self._path.open("xb", buffering=0)
            self._inspector.inspect(self._buffer)
            self._file.write(self._buffer)
            self._buffer.clear()
            if last:
                self._file.close()

    def _remove(self) -> None:
        if self._file is not None:
            self._file.close()
        self._path.unlink(missing_ok=True)


class Spool:
    """The folder where files lie while they arrive, or while they are read."""

    def __init__(self, folder: Path, *, max_bytes: int) -> None:
        self.folder = folder
        self.max_bytes = max_bytes

    def new_path(self) -> Path:
        """Return a place for a file that is not there yet."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.folder / new_id("tmp")

    def open_intake(self) -> FileIntake:
        """Begin to receive a file."""
        return FileIntake(self.new_path(), max_bytes=self.max_bytes)

    async def receive(self, blocks: AsyncIterable[bytes]) -> ReceivedFile:
        """Receive a whole file, or nothing of it."""
        intake = self.open_intake()
        try:
            async for block in blocks:
                await intake.feed(block)
            return await intake.finish()
        except BaseException:
            await intake.discard()
            raise

    def inspect_file(self, path: Path) -> ReceivedFile:
        """Return what lies in a file of ours as if it had arrived; a small one is taken into memory."""
        look = ContentInspector()
        with path.open("rb") as file:
            if path.stat().st_size < INLINE_FILE_MAX_BYTES:
                look.inspect(data := file.read())
                return look.to_received(data=data, path=None)
            while block := file.read(INTAKE_BLOCK_BYTES):
                look.inspect(block)
        return look.to_received(data=None, path=path)


def to_received_file(data: bytes) -> ReceivedFile:
    """Return bytes that are at hand as received; only for what is small."""
    look = ContentInspector()
    look.inspect(data)
    return look.to_received(data=data, path=None)


@contextmanager
def raise_disk_full() -> Generator[None]:
    """Say that the disk is full where it is."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull from error
        raise
