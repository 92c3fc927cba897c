"""Starts the process that reads a file, and hears it out."""

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tertulia.files.extract.domain import ExtractionLimits, PageStart
from tertulia.files.extract.file_kinds import Media

#: All of the environment that the process is given: no keys, no addresses.
EXTRACTION_ENVIRONMENT_NAMES = (
    "PATH",
    "HOME",
    "LANG",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "SYSTEMROOT",
    "TMPDIR",
    "TEMP",
)
EXTRACTION_TIMED_OUT = "Reading the file took longer than {seconds:g} seconds and was stopped."
EXTRACTION_FAILED = "The file is damaged, or made to overload its reader, and could not be read."


@dataclass(slots=True)
class ExtractionReport:
    """What the process told; without a verdict it died."""

    pages: list[PageStart] = field(default_factory=list[PageStart])
    title: str = ""
    problem: str = EXTRACTION_FAILED
    has_died: bool = True


async def read_in_child(
    source: Path, *, media: Media, into: Path, limits: ExtractionLimits
) -> ExtractionReport:
    """Have a process of its own read the file, and end it at its deadline."""
    orders = {"source": str(source), "into": str(into), "media": media, "limits": asdict(limits)}
    report, process = ExtractionReport(), await start_extraction()
    try:
        async with asyncio.timeout(limits.seconds):
            await send_orders(process, json.dumps(orders))
            await read_report(process, report, limits=limits)
            # A process that is killed while it ends by itself may be missed by whoever waits for it.
            await process.wait()
    except TimeoutError:
        report.problem = EXTRACTION_TIMED_OUT.format(seconds=limits.seconds)
    except (ValueError, KeyError, TypeError):
        # No answer of ours: the file has taken its reader over.
        report.problem, report.has_died = EXTRACTION_FAILED, True
    finally:
        await kill_extraction(process)
    return report


async def start_extraction() -> asyncio.subprocess.Process:
    """Start the process; -P keeps the working directory from lending it modules."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "tertulia.files.extract.process",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=restricted_environment(),
    )


def restricted_environment() -> dict[str, str]:
    """Return all of the environment that a process is given which reads what nobody vouches for."""
    return {name: os.environ[name] for name in EXTRACTION_ENVIRONMENT_NAMES if name in os.environ} | {
        "MALLOC_ARENA_MAX": "1"
    }


async def send_orders(process: asyncio.subprocess.Process, orders: str) -> None:
    """Give the process its orders; one that died already is heard of soon enough."""
    if process.stdin is None:
        raise OSError("the process has no input")
    try:
        process.stdin.write(f"{orders}\n".encode())
        await process.stdin.drain()
    except (BrokenPipeError, ConnectionResetError):
        return


async def read_report(
    process: asyncio.subprocess.Process, report: ExtractionReport, *, limits: ExtractionLimits
) -> None:
    """Take in the answers; the process may be in a stranger's hands, so they are checked."""
    if process.stdout is None:
        raise OSError("the process has no output")
    while line := await process.stdout.readline():
        answer: Any = json.loads(line)
        if "problem" in answer:
            report.title, report.problem, report.has_died = (
                str(answer["title"]),
                str(answer["problem"]),
                False,
            )
            return
        if len(report.pages) < limits.pages:
            report.pages.append(PageStart(str(answer["label"]), int(answer["start_line"])))


async def kill_extraction(process: asyncio.subprocess.Process) -> None:
    """End the process at once, whatever it is doing."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    await process.wait()
