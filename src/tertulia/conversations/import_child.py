"""Has a large import read by a process of its own, so that nobody else waits for it."""

import asyncio
import sys
from pathlib import Path

import msgspec

from tertulia.conversations.errors import ImportUnreadable
from tertulia.conversations.import_process import ImportRequest, ImportVerdict
from tertulia.files.extract.child import kill_extraction, restricted_environment

IMPORT_TIMEOUT_SECONDS = 120.0
#: What the process needs besides the text of the file, which it holds a few times.
IMPORT_MEMORY_BASE_BYTES = 700_000_000
IMPORT_MEMORY_BYTES_PER_FILE_BYTE = 8


class ImportTooComplex(ImportUnreadable):
    """A file would take too long, or too much memory, to read."""

    code = "import_too_complex"

    def __init__(self) -> None:
        super().__init__("The file takes too long, or too much memory, to read; nothing was changed.")


async def check_in_child(source: Path, into: Path, *, size: int) -> ImportVerdict:
    """Have a process check a file and write its rounds; raise what is wrong with it."""
    memory = IMPORT_MEMORY_BASE_BYTES + IMPORT_MEMORY_BYTES_PER_FILE_BYTE * size
    orders = ImportRequest(str(source), str(into), memory, IMPORT_TIMEOUT_SECONDS)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "tertulia.conversations.import_process",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=restricted_environment(),
    )
    try:
        async with asyncio.timeout(IMPORT_TIMEOUT_SECONDS):
            told, _ = await process.communicate(msgspec.json.encode(orders) + b"\n")
        verdict = await asyncio.to_thread(msgspec.json.decode, told, type=ImportVerdict)
    except (TimeoutError, msgspec.DecodeError):
        raise ImportTooComplex from None
    finally:
        await kill_extraction(process)
    if verdict.problem:
        raise ImportUnreadable(verdict.problem, **({"where": verdict.where} if verdict.where else {}))
    return verdict
