"""Starts the process that reads a file, and hears it out."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tertulia.files.extract.domain import PageStart
from tertulia.files.extract.file_kinds import Media
from tertulia.files.extract.frames import ExtractionAnswer, ExtractionRequest, ExtractionVerdict
from tertulia.files.extract.limits import ExtractionLimits
from tertulia.infra.child.process import ChildGone, ChildProcess, start_module

EXTRACTION_FRAME_MAX_BYTES = 1_000_000
#: Keeps the memory that threads set aside out of what the process is allowed.
SINGLE_ARENA = {"MALLOC_ARENA_MAX": "1"}
EXTRACTION_TIMED_OUT = "Reading the file took longer than {seconds:g} seconds and was stopped."
EXTRACTION_FAILED = "The file is damaged, or made to overload its reader, and could not be read."

answer_decoder = msgspec.msgpack.Decoder(ExtractionAnswer)


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
    report = ExtractionReport()
    child = await start_module(
        "tertulia.files.extract.process",
        frame_max_bytes=EXTRACTION_FRAME_MAX_BYTES,
        environment=SINGLE_ARENA,
        shows_errors=False,
    )
    try:
        async with asyncio.timeout(limits.seconds):
            await child.send(ExtractionRequest(str(source), str(into), media, limits))
            await read_report(child, report, limits=limits)
            # A process that is killed while it ends by itself may be missed by whoever waits for it.
            await child.wait()
    except TimeoutError:
        report.problem = EXTRACTION_TIMED_OUT.format(seconds=limits.seconds)
    except ChildGone:
        # It died, or the file has taken its reader over: there is no verdict to believe.
        report.problem, report.has_died = EXTRACTION_FAILED, True
    finally:
        await child.stop()
    return report


async def read_report(child: ChildProcess, report: ExtractionReport, *, limits: ExtractionLimits) -> None:
    """Take in the answers; the process may be in a stranger's hands, so they are checked."""
    while not isinstance(answer := await child.receive(answer_decoder), ExtractionVerdict):
        if len(report.pages) < limits.pages:
            report.pages.append(PageStart(answer.label, answer.start_line))
    report.title, report.problem, report.has_died = answer.title, answer.problem, False
