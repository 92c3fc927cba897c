"""Making a summary: by a model where one can, by extraction where not, and nothing lost either way."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, TypeVar

from tertulia.memory.condensation import condense_points, select_within, sort_by_round
from tertulia.memory.domain import MADE_BY_EXTRACTION, Point, PointKind, SourceMessage, build_point
from tertulia.memory.extractive_summary import extract_points
from tertulia.memory.input_limit import limit_total_chars
from tertulia.memory.model_summary import build_summary_prompt, read_points
from tertulia.memory.point_authors import (
    NO_AUTHORS,
    AuthorNamesByMessage,
    MessageAuthors,
    name_messages,
    with_authors_of,
)
from tertulia.memory.point_support import keep_supported_points
from tertulia.memory.point_tokens import count_points_tokens
from tertulia.memory.required_lines import find_missing_lines, find_required_lines, to_verbatim_points
from tertulia.memory.reversed_points import pair_reversals
from tertulia.memory.source_attribution import attribute_sources
from tertulia.memory.transcript_parts import split_into_parts

log = logging.getLogger("tertulia.memory")

#: Asks the utility model (system, text, output limit) and returns what it says.
AskModel = Callable[[str, str, int], Awaitable[str]]

#: What is read for one summary. Of what is pinned every word is kept besides.
SUMMARY_INPUT_MAX_CHARS = 1_000_000
SUMMARY_MODEL_TIMEOUT_SECONDS = 45.0
SUMMARY_PART_MAX_TOKENS = 6_000
#: Parts that are written at the same time; a local model does one after the other.
CONCURRENT_SUMMARY_PARTS_MAX = 3
SUMMARY_OUTPUT_MIN_TOKENS, SUMMARY_OUTPUT_MAX_TOKENS = 800, 4_000
#: What the points of a summary take at most. A prompt shows those of them that it has room for.
SUMMARY_MAX_TOKENS = 12_000
#: What sentences may take that are chosen because they tell most; what must not be lost comes besides.
EXTRACTED_MIN_TOKENS, EXTRACTED_TOKENS_PER_MESSAGE = 300, 40
#: What earlier points may take that the utility model is shown, so that it does not repeat them.
EARLIER_POINTS_SHOWN_MAX_TOKENS = 1_500

#: Reading keeps the interpreter to itself, so only one summary is read at a time, whoever wants it.
summary_executor = ThreadPoolExecutor(1, thread_name_prefix="summary")

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SummaryWriter:
    """The utility model at work on one summary."""

    ask_model: AskModel
    is_local: bool
    output_limit: int
    slots: asyncio.Semaphore
    #: What people are called, where several write.
    names: AuthorNamesByMessage


@dataclass(slots=True)
class SummaryPart:
    """Some of the messages and, once a model has written them, their points."""

    messages: list[SourceMessage]
    points: list[Point] | None = None


async def summarise_messages(
    messages: Sequence[SourceMessage],
    earlier: Sequence[Point],
    *,
    ask_model: AskModel | None,
    is_local_model: bool,
    made_by: str,
    authors: MessageAuthors = NO_AUTHORS,
    names: Mapping[str, str] = NO_AUTHORS,
    max_tokens: int = SUMMARY_MAX_TOKENS,
    max_chars: int = SUMMARY_INPUT_MAX_CHARS,
) -> tuple[list[Point], str]:
    """Return the earlier points and those of new messages, verified and within bounds, and who made them.

    Pinned messages are kept word for word even where they alone are more than `max_tokens`. `authors` are the
    people who said what earlier points come from, where several write, and `names` what those are called.
    """
    pinned = [line for line in messages if line.pinned]
    messages = limit_total_chars(messages, max_chars)
    authors = with_authors_of(authors, messages)
    if ask_model is None:
        return await _run_in_executor(
            _extract_summary, messages, pinned, earlier, max_tokens, authors=authors
        ), MADE_BY_EXTRACTION
    output = min(SUMMARY_OUTPUT_MAX_TOKENS, max(SUMMARY_OUTPUT_MIN_TOKENS, max_tokens * 3 // 2))
    writer = SummaryWriter(
        ask_model,
        is_local_model,
        output,
        asyncio.Semaphore(1 if is_local_model else CONCURRENT_SUMMARY_PARTS_MAX),
        name_messages(authors, messages, names),
    )
    parts = await _write_parts(messages, earlier, writer)
    if all(part.points is None for part in parts):
        return await _run_in_executor(
            _extract_summary, messages, pinned, earlier, max_tokens, authors=authors
        ), MADE_BY_EXTRACTION
    points = await _run_in_executor(
        _complete_summary, messages, pinned, earlier, parts, max_tokens, authors=authors
    )
    return points, made_by


async def _run_in_executor(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do what takes long beside the event loop, one after the other; what nobody waits for is not begun."""
    return await asyncio.get_running_loop().run_in_executor(summary_executor, partial(work, *args, **kwargs))


def _extract_summary(
    messages: Sequence[SourceMessage],
    pinned: Sequence[SourceMessage],
    earlier: Sequence[Point],
    max_tokens: int,
    *,
    authors: MessageAuthors,
) -> list[Point]:
    """Return a summary that no model had a part in."""
    points = [*earlier, *_extract_telling_points(messages, max_tokens)]
    return fit_points(messages, pinned, points, max_tokens=max_tokens, authors=authors)


def _complete_summary(
    messages: Sequence[SourceMessage],
    pinned: Sequence[SourceMessage],
    earlier: Sequence[Point],
    parts: Sequence[SummaryPart],
    max_tokens: int,
    *,
    authors: MessageAuthors,
) -> list[Point]:
    """Return what a model wrote, with what it did not see or did not manage extracted."""
    written = [point for part in parts for point in part.points or ()]
    left = [line for part in parts if part.points is None for line in part.messages]
    extracted = _extract_telling_points(left, max_tokens)
    points = [*earlier, *written, *extracted]
    return fit_points(messages, pinned, points, max_tokens=max_tokens, authors=authors)


def _extract_telling_points(messages: Sequence[SourceMessage], max_tokens: int) -> list[Point]:
    """Return the sentences that tell most: some of each message, on the average."""
    room = max(EXTRACTED_MIN_TOKENS, EXTRACTED_TOKENS_PER_MESSAGE * len(messages))
    return extract_points(messages, max_tokens=min(max_tokens, room))


def fit_points(
    messages: Sequence[SourceMessage],
    pinned: Sequence[SourceMessage],
    points: Sequence[Point],
    *,
    max_tokens: int,
    authors: MessageAuthors = NO_AUTHORS,
) -> list[Point]:
    """Return points that fit, with the lines among them that could not be recovered otherwise."""
    verbatim = pair_reversals(to_verbatim_points(find_required_lines(pinned)), messages, authors)
    sources = {line.id for line in pinned}
    others = [line for line in messages if not line.pinned]
    whole = [*points, *to_verbatim_points(find_missing_lines(points, others))]
    told = [point for point in whole if not set(point.sources) <= sources]
    rest = pair_reversals(told, messages, authors)
    local = {line.id for line in messages if line.local_only}
    fitting = condense_points(
        [*rest, *to_created_points(messages)],
        max_tokens=max_tokens - count_points_tokens(verbatim),
        local=local,
        authors=authors,
    )
    return sort_by_round([*fitting, *verbatim])


def to_created_points(messages: Sequence[SourceMessage]) -> list[Point]:
    """Return what replies made or changed with tools as points: no model has to tell of it."""
    return [build_point(PointKind.CREATED, change, line) for line in messages for change in line.changes]


async def _write_parts(
    messages: Sequence[SourceMessage], earlier: Sequence[Point], writer: SummaryWriter
) -> list[SummaryPart]:
    """Let the model write what it may see, within the time there is."""
    # What only local models may see is never mixed with the rest: the points would be as hidden.
    parts = await _run_in_executor(_split_parts, [line for line in messages if not line.local_only])
    local = await _run_in_executor(_split_parts, [line for line in messages if line.local_only])
    shown = [*parts, *local] if writer.is_local else parts
    # Earlier points may come from messages for local models alone.
    known = await _run_in_executor(_select_shown_earlier, earlier) if writer.is_local else []
    try:
        async with asyncio.timeout(SUMMARY_MODEL_TIMEOUT_SECONDS):
            await asyncio.gather(*(_write_part(part, known, writer) for part in shown))
    except TimeoutError:
        log.warning("The utility model took too long over a summary; the rest of it was extracted.")
    return [*parts, *local]


def _select_shown_earlier(earlier: Sequence[Point]) -> list[Point]:
    most = EARLIER_POINTS_SHOWN_MAX_TOKENS
    return select_within(earlier, max_tokens=most, longest=most)


def _split_parts(messages: Sequence[SourceMessage]) -> list[SummaryPart]:
    return [SummaryPart(part) for part in split_into_parts(messages, max_tokens=SUMMARY_PART_MAX_TOKENS)]


async def _write_part(part: SummaryPart, known: Sequence[Point], writer: SummaryWriter) -> None:
    """Let the model write one part; it stays unwritten where that fails."""
    system, text = build_summary_prompt(part.messages, known, names=writer.names)
    async with writer.slots:
        try:
            answer = await writer.ask_model(system, text, writer.output_limit)
            told = keep_supported_points(read_points(answer, part.messages), part.messages)
            part.points = attribute_sources(told, part.messages, known) or None
        except Exception as error:  # noqa: BLE001 - whatever a model's answer does, a summary is made
            log.warning("A part of a summary could not be written: %s", type(error).__name__)
