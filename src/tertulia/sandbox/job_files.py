"""Opens what a job lends, and never what only leads to it."""

import asyncio
import os
import stat
from collections.abc import AsyncGenerator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from tertulia.core.errors import TertuliaError
from tertulia.sandbox.domain import JobFile, LentFile

JOB_FILE_BLOCK_BYTES = 1 << 20
#: Opening a pipe that nobody writes to would wait for ever.
OPEN_NONBLOCKING = getattr(os, "O_NONBLOCK", 0)


class JobFileUnreadable(Exception):
    """A file cannot be read, now or any more."""


def job_file_size(file: JobFile) -> int:
    """Return how long a file is; of a link, how long the link is."""
    if isinstance(file, Path):
        try:
            return file.stat(follow_symlinks=False).st_size
        except OSError:
            return 0
    return file.size if isinstance(file, LentFile) else len(file)


async def read_blocks(file: JobFile | None) -> AsyncGenerator[bytes]:
    """Give a file's bytes block by block, or raise `JobFileUnreadable`."""
    try:
        source = await open_job_file(file)
        with source:
            while block := await asyncio.to_thread(source.read, JOB_FILE_BLOCK_BYTES):
                yield block
    except (OSError, TertuliaError):
        raise JobFileUnreadable from None


async def open_job_file(file: JobFile | None) -> BinaryIO:
    """Open a file for reading."""
    if isinstance(file, bytes):
        return BytesIO(file)
    if isinstance(file, LentFile):
        return await file.open()
    if file is None:
        raise JobFileUnreadable
    return await asyncio.to_thread(open_regular_file, file)


def open_regular_file(path: Path) -> BinaryIO:
    """Open a regular file; a link, a folder or a device is refused."""
    file = os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | OPEN_NONBLOCKING), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise JobFileUnreadable
    return file
