"""How long code waits for a sandbox, how soon it can be stopped, and what many runs at once cost."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from time import perf_counter

import psutil

from bench.figures import Measure, Point, milliseconds, single
from tertulia.sandbox.domain import PrintedText, RunOutcome, RunStatus, SandboxJob, SandboxLimits
from tertulia.sandbox.service import Sandbox
from tertulia.settings import Settings

ABOUT = "Sandbox (Python in WebAssembly, its machine code compiled before)"
COLD_AIM, PREPARED_AIM, STOP_AIM = 1500.0, 50.0, 100.0
#: What a worker takes to be prepared again.
PAUSE = 0.25
LIMITS = SandboxLimits(seconds=60, output_bytes=1_000_000)
#: What it takes to have the libraries imported as well.
LONG_PAUSE = 6.0
LIBRARIES = "import pandas as pd\nint(pd.Series([1, 2]).sum())"


def measure(place: Path, *, times: int, at_once: int, say: Callable[[str], None]) -> list[Measure]:
    """Run code in a sandbox of its own, one by one and many at once."""
    return asyncio.run(measured(place / "sandbox", times, at_once, say))


async def measured(data_dir: Path, times: int, at_once: int, say: Callable[[str], None]) -> list[Measure]:
    """Measure everything that people wait for."""
    settings = Settings(data_dir=data_dir)
    say("sandbox: starting")
    # Not the first: it may include every attempt to escape, which are made once on a machine.
    _, *cold = [await first_run(settings) for _ in range(4)]
    sandbox = Sandbox(settings)
    try:
        say("sandbox: one by one")
        await seconds(sandbox, "1 + 1")
        prepared = [await seconds(sandbox, "1 + 1", pause=PAUSE) for _ in range(times)]
        await seconds(sandbox, LIBRARIES)
        libraries = [await seconds(sandbox, LIBRARIES, pause=LONG_PAUSE) for _ in range(2)]
        stopped = [await seconds_to_stop(sandbox) for _ in range(max(times // 4, 3))]
        say(f"sandbox: {at_once} at once")
        together = await seconds_together(sandbox, at_once)
        memory = max(child.memory_info().rss for child in psutil.Process().children()) / 1e6
    finally:
        await sandbox.close()
    median, most = milliseconds(prepared)
    return [
        single(ABOUT, "a run that starts its worker", "ms", milliseconds(cold)[0], aim=COLD_AIM, digits=0),
        single(ABOUT, "a prepared run, median", "ms", median, aim=PREPARED_AIM),
        single(ABOUT, "a prepared run, p95", "ms", most, aim=PREPARED_AIM),
        single(ABOUT, "a prepared run that imports pandas", "ms", milliseconds(libraries)[0], digits=0),
        single(ABOUT, "until a stopped run has ended, p95", "ms", milliseconds(stopped)[1], aim=STOP_AIM),
        Measure(ABOUT, "many runs at once, all of them", "s", [Point(f"{at_once}", together)]),
        single(ABOUT, "memory of the largest worker", "MB", memory, digits=0),
    ]


async def first_run(settings: Settings) -> float:
    """Return how long the first run of a new sandbox takes."""
    sandbox = Sandbox(settings)
    try:
        return await seconds(sandbox, "1 + 1")
    finally:
        await sandbox.close()


async def seconds(sandbox: Sandbox, code: str, *, pause: float = 0) -> float:
    """Return how long a run takes that comes after a pause."""
    await asyncio.sleep(pause)
    began = perf_counter()
    async with aclosing(sandbox.run(SandboxJob(code, LIMITS))) as events:
        *_, last = [event async for event in events]
    if not isinstance(last, RunOutcome) or last.status is not RunStatus.OK:
        raise RuntimeError(f"the sandbox failed: {last}")
    return perf_counter() - began


async def seconds_to_stop(sandbox: Sandbox) -> float:
    """Return how long it takes until code that hears nothing is stopped."""
    stop, began = asyncio.Event(), 0.0
    code = "import re\nprint('go')\nre.match('(a+)+$', 'a' * 60 + 'b')"
    async with aclosing(sandbox.run(SandboxJob(code, LIMITS), stop=stop)) as events:
        async for event in events:
            if isinstance(event, PrintedText):
                await asyncio.sleep(PAUSE)
                began = perf_counter()
                stop.set()
    return perf_counter() - began


async def seconds_together(sandbox: Sandbox, count: int) -> float:
    """Return how long it takes until all of many runs have ended."""
    began = perf_counter()
    await asyncio.gather(*[seconds(sandbox, f"sum(range({number}))") for number in range(count)])
    return perf_counter() - began
