"""Unpacking zip archives: member by member, and never more than was allowed for."""

import asyncio
import stat
import zipfile
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from io import BytesIO
from typing import IO

from tertulia.core.errors import TertuliaError
from tertulia.files.errors import ArchiveRefused, FileTooLarge
from tertulia.files.intake import BLOCK, INLINE, Intake, Received, Spool, received

MOST_MEMBERS = 10_000
#: An archive that unpacks to more than this must not be packed tighter than `TIGHTEST`.
UNSUSPICIOUS = 10_000_000
TIGHTEST = 100
ENCRYPTED = 0x1
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Member:
    """A file from an archive, or why it could not be had."""

    name: str
    received: Received | None
    problem: TertuliaError | None = None


async def unpack(archive: Received, *, spool: Spool, largest: int) -> AsyncIterator[Member]:
    """Yield every file of an archive; raise `ArchiveRefused` before the first if it cannot be trusted."""
    opened = await asyncio.to_thread(open_archive, archive, largest)
    left = largest
    with opened:
        for info in opened.infolist():
            if info.is_dir():
                continue
            member = await take(opened, info, spool=spool, left=left)
            left -= member.received.size if member.received else 0
            yield member


def open_archive(archive: Received, largest: int) -> zipfile.ZipFile:
    """Open an archive and judge it by its directory, before anything is unpacked."""
    source = BytesIO(archive.data) if archive.data is not None else archive.path
    try:
        opened = zipfile.ZipFile(source or BytesIO())
    except DAMAGED:
        raise ArchiveRefused("The archive is damaged, or no zip archive: nothing was unpacked.") from None
    try:
        check(opened.infolist(), packed=archive.size, largest=largest)
    except ArchiveRefused:
        opened.close()
        raise
    return opened


def check(members: list[zipfile.ZipInfo], *, packed: int, largest: int) -> None:
    """Raise where an archive says itself that it holds too much."""
    total = sum(member.file_size for member in members)
    if len(members) > MOST_MEMBERS:
        raise ArchiveRefused(f"An archive may hold at most {MOST_MEMBERS:,} files: nothing was unpacked.")
    if total > largest:
        raise ArchiveRefused(f"An archive may hold at most {largest:,} bytes: nothing was unpacked.")
    if total > UNSUSPICIOUS and total > packed * TIGHTEST:
        raise ArchiveRefused("The archive is packed as tight as a bomb: nothing was unpacked.")


async def take(opened: zipfile.ZipFile, info: zipfile.ZipInfo, *, spool: Spool, left: int) -> Member:
    """Take one file out of an archive."""
    try:
        check_member(info, left=min(left, spool.largest))
        if info.file_size < INLINE:
            return Member(info.filename, await asyncio.to_thread(small, opened, info))
        return Member(info.filename, await large(opened, info, spool.intake()))
    except TertuliaError as problem:
        return Member(info.filename, None, problem)
    except DAMAGED:
        damaged = ArchiveRefused("It is damaged, or packed in an unknown way.")
        return Member(info.filename, None, damaged)


def check_member(info: zipfile.ZipInfo, *, left: int) -> None:
    """Raise where a member is no plain file, or too much."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise ArchiveRefused("Links and devices are not unpacked.")
    if info.flag_bits & ENCRYPTED:
        raise ArchiveRefused("It is locked with a password: unpack it first.")
    if info.file_size > left:
        raise FileTooLarge(left)


def small(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> Received:
    """Unpack a small file into memory; it cannot give more than it announced."""
    with opened.open(info) as file:
        return received(file.read(info.file_size))


async def large(opened: zipfile.ZipFile, info: zipfile.ZipInfo, intake: Intake) -> Received:
    """Unpack a large file to the disk."""
    try:
        with opened.open(info) as file:
            while block := await asyncio.to_thread(read, file):
                await intake.feed(block)
        return await intake.finish()
    except BaseException:
        await intake.discard()
        raise


def read(file: IO[bytes]) -> bytes:
    """Return the next block."""
    return file.read(BLOCK)
