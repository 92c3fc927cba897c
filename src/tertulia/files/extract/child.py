"""Starts the process that reads a file, and hears it out."""

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tertulia.files.extract.domain import Limits, Page
from tertulia.files.extract.media import Media

#: All of the environment that the process is given: no keys, no addresses.
PASSED_ON = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "PYTHONPATH", "SYSTEMROOT", "TMPDIR", "TEMP")
SLOW = "Reading the file took longer than {seconds:g} seconds and was stopped."
BROKEN = "The file is damaged, or made to overload its reader, and could not be read."


@dataclass(slots=True)
class Told:
    """What the process told; without a verdict it died."""

    pages: list[Page] = field(default_factory=list[Page])
    title: str = ""
    problem: str = BROKEN
    died: bool = True


async def read_in_child(source: Path, *, media: Media, into: Path, limits: Limits) -> Told:
    """Have a process of its own read the file, and end it at its deadline."""
    orders = {"source": str(source), "into": str(into), "media": media, "limits": asdict(limits)}
    told, process = Told(), await start()
    try:
        async with asyncio.timeout(limits.seconds):
            await introduce(process, json.dumps(orders))
            await hear(process, told, limits=limits)
            # A process that is killed while it ends by itself may be missed by whoever waits for it.
            await process.wait()
    except TimeoutError:
        told.problem = SLOW.format(seconds=limits.seconds)
    except (ValueError, KeyError, TypeError):
        # No answer of ours: the file has taken its reader over.
        told.problem, told.died = BROKEN, True
    finally:
        await end(process)
    return told


async def start() -> asyncio.subprocess.Process:
    """Start the process; -P keeps the working directory from lending it modules."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "tertulia.files.extract.process",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment(),
    )


def environment() -> dict[str, str]:
    """Return all of the environment that a process is given which reads what nobody vouches for."""
    return {name: os.environ[name] for name in PASSED_ON if name in os.environ} | {"MALLOC_ARENA_MAX": "1"}


async def introduce(process: asyncio.subprocess.Process, orders: str) -> None:
    """Give the process its orders; one that died already is heard of soon enough."""
    if process.stdin is None:
        raise OSError("the process has no input")
    try:
        process.stdin.write(f"{orders}\n".encode())
        await process.stdin.drain()
    except (BrokenPipeError, ConnectionResetError):
        return


async def hear(process: asyncio.subprocess.Process, told: Told, *, limits: Limits) -> None:
    """Take in the answers; the process may be in a stranger's hands, so they are checked."""
    if process.stdout is None:
        raise OSError("the process has no output")
    while line := await process.stdout.readline():
        answer: Any = json.loads(line)
        if "problem" in answer:
            told.title, told.problem, told.died = str(answer["title"]), str(answer["problem"]), False
            return
        if len(told.pages) < limits.pages:
            told.pages.append(Page(str(answer["label"]), int(answer["start_line"])))


async def end(process: asyncio.subprocess.Process) -> None:
    """End the process at once, whatever it is doing."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    await process.wait()
