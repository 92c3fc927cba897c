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
from tertulia.files.spool import (
    INLINE_FILE_MAX_BYTES,
    INTAKE_BLOCK_BYTES,
    FileIntake,
    ReceivedFile,
    Spool,
    to_received_file,
)

ARCHIVE_MEMBERS_MAX = 10_000
#: An archive that unpacks to more than this is held to `ARCHIVE_COMPRESSION_RATIO_MAX`.
ARCHIVE_UNCHECKED_MAX_BYTES = 10_000_000
ARCHIVE_COMPRESSION_RATIO_MAX = 100
ARCHIVE_ENCRYPTED_FLAG = 0x1
ARCHIVE_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A file from an archive, or why it could not be had."""

    name: str
    received: ReceivedFile | None
    problem: TertuliaError | None = None


async def unpack_archive(
    archive: ReceivedFile, *, spool: Spool, max_bytes: int
) -> AsyncIterator[ArchiveMember]:
    """Yield every file of an archive; raise `ArchiveRefused` before the first if it cannot be trusted."""
    opened = await asyncio.to_thread(open_archive, archive, max_bytes)
    left = max_bytes
    with opened:
        for info in opened.infolist():
            if info.is_dir():
                continue
            member = await unpack_member(opened, info, spool=spool, remaining_bytes=left)
            left -= member.received.size if member.received else 0
            yield member


def open_archive(archive: ReceivedFile, max_bytes: int) -> zipfile.ZipFile:
    """Open an archive and judge it by its directory, before anything is unpacked."""
    source = BytesIO(archive.data) if archive.data is not None else archive.path
    try:
        opened = zipfile.ZipFile(source or BytesIO())
    except ARCHIVE_ERRORS:
        raise ArchiveRefused("The archive is damaged, or no zip archive: nothing was unpacked.") from None
    try:
        check_archive(opened.infolist(), packed_bytes=archive.size, max_bytes=max_bytes)
    except ArchiveRefused:
        opened.close()
        raise
    return opened


def check_archive(members: list[zipfile.ZipInfo], *, packed_bytes: int, max_bytes: int) -> None:
    """Raise where an archive says itself that it holds too much."""
    total = sum(member.file_size for member in members)
    if len(members) > ARCHIVE_MEMBERS_MAX:
        raise ArchiveRefused(
            f"An archive may hold at most {ARCHIVE_MEMBERS_MAX:,} files: nothing was unpacked."
        )
    if total > max_bytes:
        raise ArchiveRefused(f"An archive may hold at most {max_bytes:,} bytes: nothing was unpacked.")
    if total > ARCHIVE_UNCHECKED_MAX_BYTES and total > packed_bytes * ARCHIVE_COMPRESSION_RATIO_MAX:
        raise ArchiveRefused("The archive is packed as tight as a bomb: nothing was unpacked.")


async def unpack_member(
    zip_file: zipfile.ZipFile, info: zipfile.ZipInfo, *, spool: Spool, remaining_bytes: int
) -> ArchiveMember:
    """Take one file out of an archive."""
    try:
        check_member(info, remaining_bytes=min(remaining_bytes, spool.max_bytes))
        if info.file_size < INLINE_FILE_MAX_BYTES:
            return ArchiveMember(info.filename, await asyncio.to_thread(unpack_to_memory, zip_file, info))
        return ArchiveMember(info.filename, await unpack_to_disk(zip_file, info, spool.open_intake()))
    except TertuliaError as problem:
        return ArchiveMember(info.filename, None, problem)
    except ARCHIVE_ERRORS:
        damaged = ArchiveRefused("It is damaged, or packed in an unknown way.")
        return ArchiveMember(info.filename, None, damaged)


def check_member(info: zipfile.ZipInfo, *, remaining_bytes: int) -> None:
    """Raise where a member is no plain file, or too much."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise ArchiveRefused("Links and devices are not unpacked.")
    if info.flag_bits & ARCHIVE_ENCRYPTED_FLAG:
        raise ArchiveRefused("It is locked with a password: unpack it first.")
    if info.file_size > remaining_bytes:
        raise FileTooLarge(remaining_bytes)


def unpack_to_memory(zip_file: zipfile.ZipFile, info: zipfile.ZipInfo) -> ReceivedFile:
    """Unpack a small file into memory; it cannot give more than it announced."""
    with zip_file.open(info) as file:
        return to_received_file(file.read(info.file_size))


async def unpack_to_disk(
    zip_file: zipfile.ZipFile, info: zipfile.ZipInfo, intake: FileIntake
) -> ReceivedFile:
    """Unpack a large file to the disk."""
    try:
        with zip_file.open(info) as file:
            while block := await asyncio.to_thread(read_block, file):
                await intake.feed(block)
        return await intake.finish()
    except BaseException:
        await intake.discard()
        raise


def read_block(file: IO[bytes]) -> bytes:
    """Return the next block."""
    return file.read(INTAKE_BLOCK_BYTES)
