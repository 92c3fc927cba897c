"""Looks into Python sources, of which none holds anybody up."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from hashlib import sha256

import msgspec

from tertulia.files.modules import TOOLS, module_of
from tertulia.files.summaries import shortened
from tertulia.models.child import bare_environment
from tertulia.tools.python import outline
from tertulia.tools.python.outline import LONGEST, Source

#: For all that is asked at once.
SECONDS = 20.0
#: What is remembered: pages with tools are opened again and again.
MOST_KNOWN = 1_000
#: Of what one source may say about itself, as JSON.
LARGEST_ANSWER = 4_000_000
#: How many processes look at once.
AT_ONCE = 2
TOO_LONG = Source(problem="It cannot be read as Python: it takes too long or too much memory.")
NOT_REACHED = Source(problem="It was not looked into: others took too long.")


class SourceReader:
    """Tells what is in sources; a process of its own reads them, and is ended where one takes too long."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._known: dict[bytes, Source] = {}
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def read(self, sources: Sequence[bytes]) -> list[Source]:
        """Return what each source says about itself."""
        keys = [sha256(source).digest() for source in sources]
        wanted = dict(zip(keys, sources, strict=True))
        found = {key: self._known[key] for key in wanted if key in self._known}
        if len(found) < len(wanted):
            async with self._turn:
                found |= await self._look({key: wanted[key] for key in wanted if key not in found})
        return [found.get(key, NOT_REACHED) for key in keys]

    async def tools_used(self, code: str, tools: Mapping[str, bytes]) -> set[str]:
        """Return the names of the tools that code imports, and that those import in turn."""
        modules = {module: name for name in tools if (module := module_of(f"{TOOLS}{name}"))}
        used: set[str] = set()
        left = [code.encode(errors="replace")] if names_any(code, modules) else []
        while left:
            imported = {module for source in await self.read(left) for module in source.imports}
            found = {modules[module] for module in imported if module in modules} - used
            used |= found
            left = [tools[name] for name in sorted(found)]
        return used

    async def _look(self, wanted: Mapping[bytes, bytes]) -> dict[bytes, Source]:
        """Return what is in sources, as many as there is time for; who waited may find them known."""
        found = {key: self._known[key] for key in wanted if key in self._known}
        left = [key for key in wanted if key not in found]
        with suppress(TimeoutError):
            async with (
                asyncio.timeout(self._seconds),
                aclosing(answers([wanted[one] for one in left])) as heard,
            ):
                async for source in heard:
                    found[left.pop(0)] = source
        self._remember(found)
        return found

    def _remember(self, found: Mapping[bytes, Source]) -> None:
        self._known |= found
        for key in list(self._known)[: max(0, len(self._known) - MOST_KNOWN)]:
            del self._known[key]


def names_any(code: str, modules: Mapping[str, str]) -> bool:
    """Tell whether code may import one of these modules at all: most code does not."""
    return any(module.partition(".")[0] in code for module in modules)


async def answers(sources: Sequence[bytes]) -> AsyncGenerator[Source]:
    """Yield what is in each source; a process that one of them has ended is replaced."""
    process = await start()
    try:
        for source in sources:
            answer = await answer_of(process, source)
            if answer is None:
                await end(process)
                process = await start()
            yield answer or TOO_LONG
    finally:
        await end(process)


async def start() -> Process:
    """Start a process that looks into sources: with nothing of ours, and nothing of our environment."""
    command = (sys.executable, "-I", "-S", outline.__file__)
    return await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=bare_environment(), limit=LARGEST_ANSWER
    )


async def answer_of(process: Process, source: bytes) -> Source | None:
    """Return what is in a source; None where it was too much for the process."""
    if process.stdin is None or process.stdout is None:
        raise OSError("the process cannot be spoken to")
    # What is longer is not looked into: it is told by a length alone.
    sent = source[: LONGEST + 1]
    try:
        process.stdin.write(len(sent).to_bytes(4) + sent)
        await process.stdin.drain()
        told = msgspec.json.decode(await process.stdout.readline(), type=Source)
    except (OSError, ValueError, msgspec.DecodeError):  # it has ended, or says more than anybody reads
        return None
    return replace(told, description=shortened(told.description))


async def end(process: Process) -> None:
    """End a process, whatever it is doing."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    await process.wait()
