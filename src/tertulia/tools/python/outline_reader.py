"""Looks into Python sources, of which none holds anybody up."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from hashlib import sha256

import msgspec

from tertulia.files.file_summaries import truncate_summary
from tertulia.files.tool_modules import PROJECT_TOOLS_FOLDER, module_name
from tertulia.infra.child.process import ChildGone, ChildProcess, start_python
from tertulia.tools.python import module_outline
from tertulia.tools.python.module_outline import OUTLINE_SOURCE_MAX_BYTES, ModuleOutline

#: For all that is asked at once.
OUTLINE_TIMEOUT_SECONDS = 20.0
#: What is remembered: pages with tools are opened again and again.
OUTLINE_CACHE_MAX_ENTRIES = 1_000
#: Of what one source may say about itself, as JSON.
OUTLINE_ANSWER_MAX_BYTES = 4_000_000
#: How many processes look at once.
OUTLINE_PROCESSES_MAX = 2
OUTLINE_TOO_EXPENSIVE = ModuleOutline(
    problem="It cannot be read as Python: it takes too long or too much memory."
)
OUTLINE_TIMED_OUT = ModuleOutline(problem="It was not looked into: others took too long.")


class OutlineReader:
    """Tells what is in sources; a process of its own reads them, and is ended where one takes too long."""

    def __init__(self, *, seconds: float = OUTLINE_TIMEOUT_SECONDS) -> None:
        self._seconds = seconds
        self._cache: dict[bytes, ModuleOutline] = {}
        self._slots = asyncio.Semaphore(OUTLINE_PROCESSES_MAX)

    async def read(self, sources: Sequence[bytes]) -> list[ModuleOutline]:
        """Return what each source says about itself."""
        keys = [sha256(source).digest() for source in sources]
        wanted = dict(zip(keys, sources, strict=True))
        found = {key: self._cache[key] for key in wanted if key in self._cache}
        if len(found) < len(wanted):
            async with self._slots:
                found |= await self._read_uncached({key: wanted[key] for key in wanted if key not in found})
        return [found.get(key, OUTLINE_TIMED_OUT) for key in keys]

    async def tools_used(self, code: str, tools: Mapping[str, bytes]) -> set[str]:
        """Return the names of the tools that code imports, and that those import in turn."""
        modules = {module: name for name in tools if (module := module_name(f"{PROJECT_TOOLS_FOLDER}{name}"))}
        used: set[str] = set()
        left = [code.encode(errors="replace")] if may_import_any(code, modules) else []
        while left:
            imported = {module for source in await self.read(left) for module in source.imports}
            found = {modules[module] for module in imported if module in modules} - used
            used |= found
            left = [tools[name] for name in sorted(found)]
        return used

    async def _read_uncached(self, wanted: Mapping[bytes, bytes]) -> dict[bytes, ModuleOutline]:
        """Return what is in sources, as many as there is time for; who waited may find them known."""
        found = {key: self._cache[key] for key in wanted if key in self._cache}
        left = [key for key in wanted if key not in found]
        with suppress(TimeoutError):
            async with (
                asyncio.timeout(self._seconds),
                aclosing(stream_outlines([wanted[path] for path in left])) as heard,
            ):
                async for source in heard:
                    found[left.pop(0)] = source
        self._remember(found)
        return found

    def _remember(self, found: Mapping[bytes, ModuleOutline]) -> None:
        self._cache |= found
        for key in list(self._cache)[: max(0, len(self._cache) - OUTLINE_CACHE_MAX_ENTRIES)]:
            del self._cache[key]


def may_import_any(code: str, modules: Mapping[str, str]) -> bool:
    """Tell whether code may import one of these modules at all: most code does not."""
    return any(module.partition(".")[0] in code for module in modules)


async def stream_outlines(sources: Sequence[bytes]) -> AsyncGenerator[ModuleOutline]:
    """Yield what is in each source; a process that one of them has ended is replaced."""
    child = await start_outline_process()
    try:
        for source in sources:
            answer = await request_outline(child, source)
            if answer is None:
                await child.stop()
                child = await start_outline_process()
            yield answer or OUTLINE_TOO_EXPENSIVE
    finally:
        await child.stop()


async def start_outline_process() -> ChildProcess:
    """Start a process that looks into sources: with nothing of ours, and nothing of our environment."""
    return await start_python(
        "-I", "-S", module_outline.__file__, frame_max_bytes=OUTLINE_ANSWER_MAX_BYTES, shows_errors=False
    )


async def request_outline(child: ChildProcess, source: bytes) -> ModuleOutline | None:
    """Return what is in a source; None where it was too much for the process."""
    try:
        # What is longer is not looked into: it is told by a length alone.
        await child.send_bytes(source[: OUTLINE_SOURCE_MAX_BYTES + 1])
        outline = msgspec.json.decode(await child.receive_bytes(), type=ModuleOutline)
    except (ChildGone, msgspec.DecodeError):  # it has ended, or says more than anybody reads
        return None
    return replace(outline, description=truncate_summary(outline.description))
