"""Making a summary: by a model where one can, by extraction where not, and nothing lost either way."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, TypeVar

from tertulia.memory.condense import condense, in_order
from tertulia.memory.domain import EXTRACTIVE, Line, Point
from tertulia.memory.extract import extract
from tertulia.memory.ground import ground
from tertulia.memory.hold import hold
from tertulia.memory.measure import total
from tertulia.memory.parts import in_parts
from tertulia.memory.reading import read_within
from tertulia.memory.verify import kept_verbatim, missing, must_keep
from tertulia.memory.write import points_from, prompt_for

log = logging.getLogger("tertulia.memory")

#: Asks the utility model (system, text, output limit) and returns what it says.
Writer = Callable[[str, str, int], Awaitable[str]]

#: What is read for one summary. Of what is pinned every word is kept besides.
READ_MAX_CHARS = 1_000_000
PATIENCE_SECONDS = 45.0
PART_TOKENS = 6_000
#: Parts that are written at the same time; a local model does one after the other.
AT_ONCE = 3
LEAST_OUTPUT, MOST_OUTPUT = 800, 4_000

#: Reading keeps the interpreter to itself, so only one summary is read at a time, whoever wants it.
readers = ThreadPoolExecutor(1, thread_name_prefix="summary")

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pen:
    """The utility model at work on one summary."""

    write: Writer
    is_local: bool
    output_limit: int
    turn: asyncio.Semaphore


@dataclass(slots=True)
class Part:
    """Some of the messages and, once a model has written them, their points."""

    lines: list[Line]
    points: list[Point] | None = None


async def summarise(
    lines: Sequence[Line],
    earlier: Sequence[Point],
    *,
    most_tokens: int,
    write: Writer | None,
    writer_is_local: bool,
    made_by: str,
    max_chars: int = READ_MAX_CHARS,
) -> tuple[list[Point], str]:
    """Return the earlier points and those of new messages, verified and within bounds, and who made them.

    Pinned messages are kept word for word even where they alone are more than `most_tokens`.
    """
    pinned = [line for line in lines if line.pinned]
    lines = read_within(lines, max_chars)
    if write is None:
        return await _apart(_extracted, lines, pinned, earlier, most_tokens), EXTRACTIVE
    output = min(MOST_OUTPUT, max(LEAST_OUTPUT, most_tokens * 3 // 2))
    pen = Pen(write, writer_is_local, output, asyncio.Semaphore(1 if writer_is_local else AT_ONCE))
    parts = await _written(lines, earlier, pen)
    if all(part.points is None for part in parts):
        return await _apart(_extracted, lines, pinned, earlier, most_tokens), EXTRACTIVE
    return await _apart(_finished, lines, pinned, earlier, parts, most_tokens), made_by


async def _apart(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do what takes long beside the event loop, one after the other; what nobody waits for is not begun."""
    return await asyncio.get_running_loop().run_in_executor(readers, partial(work, *args, **kwargs))


def _extracted(
    lines: Sequence[Line], pinned: Sequence[Line], earlier: Sequence[Point], most_tokens: int
) -> list[Point]:
    """Return a summary that no model had a part in."""
    points = [*earlier, *extract(lines, most_tokens=most_tokens)]
    return settled(lines, pinned, points, most_tokens=most_tokens)


def _finished(
    lines: Sequence[Line],
    pinned: Sequence[Line],
    earlier: Sequence[Point],
    parts: Sequence[Part],
    most_tokens: int,
) -> list[Point]:
    """Return what a model wrote, with what it did not see or did not manage extracted."""
    written = [point for part in parts for point in part.points or ()]
    left = [line for part in parts if part.points is None for line in part.lines]
    extracted = extract(left, most_tokens=most_tokens)
    return settled(lines, pinned, [*earlier, *written, *extracted], most_tokens=most_tokens)


def settled(
    lines: Sequence[Line], pinned: Sequence[Line], points: Sequence[Point], *, most_tokens: int
) -> list[Point]:
    """Return points that fit, with the lines among them that could not be recovered otherwise."""
    verbatim = kept_verbatim(must_keep(pinned))
    sources = {line.id for line in pinned}
    others = [line for line in lines if not line.pinned]
    whole = [*points, *kept_verbatim(missing(points, others))]
    rest = [point for point in whole if not set(point.sources) <= sources]
    local = {line.id for line in lines if line.local_only}
    fitting = condense(rest, most_tokens=most_tokens - total(verbatim), local=local)
    return in_order([*fitting, *verbatim])


async def _written(lines: Sequence[Line], earlier: Sequence[Point], pen: Pen) -> list[Part]:
    """Let the model write what it may see, within the time there is."""
    # What only local models may see is never mixed with the rest: the points would be as hidden.
    parts = await _apart(_parts, [line for line in lines if not line.local_only])
    local = await _apart(_parts, [line for line in lines if line.local_only])
    shown = [*parts, *local] if pen.is_local else parts
    # Earlier points may come from messages for local models alone.
    known = list(earlier) if pen.is_local else []
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await asyncio.gather(*(_write_part(part, known, pen) for part in shown))
    except TimeoutError:
        log.warning("The utility model took too long over a summary; the rest of it was extracted.")
    return [*parts, *local]


def _parts(lines: Sequence[Line]) -> list[Part]:
    return [Part(part) for part in in_parts(lines, most_tokens=PART_TOKENS)]


async def _write_part(part: Part, known: Sequence[Point], pen: Pen) -> None:
    """Let the model write one part; it stays unwritten where that fails."""
    system, text = prompt_for(part.lines, known)
    async with pen.turn:
        try:
            answer = await pen.write(system, text, pen.output_limit)
            told = hold(points_from(answer, part.lines), part.lines)
            part.points = ground(told, part.lines, known) or None
        except Exception as error:  # noqa: BLE001 - whatever a model's answer does, a summary is made
            log.warning("A part of a summary could not be written: %s", type(error).__name__)
