"""Has a large import read by a process of its own, so that nobody else waits for it."""

import asyncio
from pathlib import Path

import msgspec

from tertulia.conversations.errors import ImportUnreadable
from tertulia.conversations.import_process import ImportRequest, ImportVerdict
from tertulia.files.extract.child import SINGLE_ARENA
from tertulia.infra.child.process import ChildGone, start_module

IMPORT_TIMEOUT_SECONDS = 120.0
#: What the process needs besides the text of the file, which it holds a few times.
IMPORT_MEMORY_BASE_BYTES = 700_000_000
IMPORT_MEMORY_BYTES_PER_FILE_BYTE = 8
#: Larger than what is around the rounds of any file that may be imported.
IMPORT_VERDICT_MAX_BYTES = 500_000_000

verdict_decoder = msgspec.msgpack.Decoder(ImportVerdict)


class ImportTooComplex(ImportUnreadable):
    """A file would take too long, or too much memory, to read."""

    code = "import_too_complex"

    def __init__(self) -> None:
        super().__init__("The file takes too long, or too much memory, to read; nothing was changed.")


async def check_in_child(source: Path, into: Path, *, size: int) -> ImportVerdict:
    """Have a process check a file and write its rounds; raise what is wrong with it."""
    memory = IMPORT_MEMORY_BASE_BYTES + IMPORT_MEMORY_BYTES_PER_FILE_BYTE * size
    child = await start_module(
        "tertulia.conversations.import_process",
        frame_max_bytes=IMPORT_VERDICT_MAX_BYTES,
        environment=SINGLE_ARENA,
    )
    try:
        async with asyncio.timeout(IMPORT_TIMEOUT_SECONDS):
            await child.send(ImportRequest(str(source), str(into), memory, IMPORT_TIMEOUT_SECONDS))
            verdict = await child.receive(verdict_decoder)
            await child.wait()
    except (TimeoutError, ChildGone):
        raise ImportTooComplex from None
    finally:
        await child.stop()
    if verdict.problem:
        raise ImportUnreadable(verdict.problem, **({"where": verdict.where} if verdict.where else {}))
    return verdict
