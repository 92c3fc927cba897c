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
from tertulia.files.extract.media import HEAD
from tertulia.infra.db.errors import DiskFull

#: What is smaller lies in the database, the rest in the blob store.
INLINE = 1_000_000
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Received:
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


class Look:
    """Goes over bytes once: their hash, their beginning, and whether they are clean text."""

    def __init__(self) -> None:
        self.size = 0
        self.head = b""
        self._hash = hashlib.sha256()
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._clean = True

    def at(self, block: bytes | bytearray) -> None:
        """Look at the next block."""
        if len(self.head) < HEAD:
            self.head += bytes(block[: HEAD - len(self.head)])
        self._hash.update(block)
        self.size += len(block)
        self._clean = self._clean and self._reads(block)

    def received(self, *, data: bytes | None, path: Path | None) -> Received:
        """Return what was found."""
        clean = self._clean and self._reads(b"", final=True) and not self.head.startswith(codecs.BOM_UTF8)
        return Received(self._hash.hexdigest(), self.size, self.head, clean, data, path)

    def _reads(self, block: bytes | bytearray, *, final: bool = False) -> bool:
        try:
            self._decoder.decode(block, final)
        except UnicodeDecodeError:
            return False
        return b"\r" not in block and b"\0" not in block


class Intake:
    """One file on its way in. Feed it blocks, then finish it or discard it."""

    def __init__(self, path: Path, *, largest: int) -> None:
        self._path = path
        self._largest = largest
        self._look = Look()
        self._held = bytearray()
        self._file: BinaryIO | None = None

    async def feed(self, block: bytes) -> None:
        """Take the next block, or raise `FileTooLarge`."""
        if self._look.size + len(self._held) + len(block) > self._largest:
            raise FileTooLarge(self._largest)
        self._held += block
        if len(self._held) >= BLOCK:
            await asyncio.to_thread(self._write)

    async def finish(self) -> Received:
        """Return all that arrived."""
        if self._file is None and len(self._held) < INLINE:
            self._look.at(self._held)
            return self._look.received(data=bytes(self._held), path=None)
        await asyncio.to_thread(self._write, last=True)
        return self._look.received(data=None, path=self._path)

    async def discard(self) -> None:
        """Forget what arrived."""
        if self._file is not None:
            await asyncio.to_thread(self._remove)

    def _write(self, *, last: bool = False) -> None:
        with full_disks():
            if self._file is None:
                self._file = self._path.open("xb", buffering=0)
            self._look.at(self._held)
            self._file.write(self._held)
            self._held.clear()
            if last:
                self._file.close()

    def _remove(self) -> None:
        if self._file is not None:
            self._file.close()
        self._path.unlink(missing_ok=True)


class Spool:
    """The folder where files lie while they arrive, or while they are read."""

    def __init__(self, folder: Path, *, largest: int) -> None:
        self.folder = folder
        self.largest = largest

    def new_path(self) -> Path:
        """Return a place for a file that is not there yet."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.folder / new_id("tmp")

    def intake(self) -> Intake:
        """Begin to receive a file."""
        return Intake(self.new_path(), largest=self.largest)

    async def receive(self, blocks: AsyncIterable[bytes]) -> Received:
        """Receive a whole file, or nothing of it."""
        intake = self.intake()
        try:
            async for block in blocks:
                await intake.feed(block)
            return await intake.finish()
        except BaseException:
            await intake.discard()
            raise

    def look_at(self, path: Path) -> Received:
        """Return what lies in a file of ours as if it had arrived; a small one is taken into memory."""
        look = Look()
        with path.open("rb") as file:
            if path.stat().st_size < INLINE:
                look.at(data := file.read())
                return look.received(data=data, path=None)
            while block := file.read(BLOCK):
                look.at(block)
        return look.received(data=None, path=path)


def received(data: bytes) -> Received:
    """Return bytes that are at hand as received; only for what is small."""
    look = Look()
    look.at(data)
    return look.received(data=data, path=None)


@contextmanager
def full_disks() -> Generator[None]:
    """Say that the disk is full where it is."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull from error
        raise
