"""Opens what a job lends, and never what only leads to it."""

import asyncio
import os
import stat
from collections.abc import AsyncGenerator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from tertulia.core.errors import TertuliaError
from tertulia.sandbox.domain import Lent, Readable

BLOCK = 1 << 20
#: Opening a pipe that nobody writes to would wait for ever.
NO_WAITING = getattr(os, "O_NONBLOCK", 0)


class NotReadable(Exception):
    """A file cannot be read, now or any more."""


def size_of(file: Readable) -> int:
    """Return how long a file is; of a link, how long the link is."""
    if isinstance(file, Path):
        try:
            return file.stat(follow_symlinks=False).st_size
        except OSError:
            return 0
    return file.size if isinstance(file, Lent) else len(file)


async def blocks(file: Readable | None) -> AsyncGenerator[bytes]:
    """Give a file's bytes block by block, or raise `NotReadable`."""
    try:
        source = await opened(file)
        with source:
            while block := await asyncio.to_thread(source.read, BLOCK):
                yield block
    except (OSError, TertuliaError):
        raise NotReadable from None


async def opened(file: Readable | None) -> BinaryIO:
    """Open a file for reading."""
    if isinstance(file, bytes):
        return BytesIO(file)
    if isinstance(file, Lent):
        return await file.open()
    if file is None:
        raise NotReadable
    return await asyncio.to_thread(open_regular, file)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file; a link, a folder or a device is refused."""
    file = os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | NO_WAITING), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise NotReadable
    return file
