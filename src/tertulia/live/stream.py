"""Topics as one stream of server-sent events, resumed from any number."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial

from fastapi.responses import StreamingResponse

from tertulia.core.errors import Invalid, NotFound, NotSignedIn
from tertulia.core.threads import run_by_length
from tertulia.infra.db import Database
from tertulia.infra.events import Entry, EventLog
from tertulia.infra.events.log import first_kept, last_seq

PING_SECONDS = 15
#: What is written at once: about as much as a connection holds before it lets the writer wait.
WRITE_MAX_BYTES = 64_000
#: Named, because scripts in a browser never see a comment and could not tell silence from a dead line. Its
#: id says how far the listener is, also when there was no event yet.
PING = 'event: ping\nid: {place}\ndata: {{"type":"ping"}}\n\n'
#: Sent instead of events that are no longer kept, or never were: fetch the state anew and go on from there.
RESET = b'data: {"type":"reset"}\n\n'
LAST_EVENTS = ('{"type":"conversation.deleted"',)
#: Characters that some clients take for the end of a line, as JSON may write them too.
LINE_BREAKS = {character: f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"}

#: Raises `NotSignedIn` when the listener may, at this moment, hear nothing, and `NotFound` when they may not
#: hear all of the named topics.
Check = Callable[[Collection[str]], Awaitable[None]]
#: Returns events as the listener may, at this moment, hear them.
Redact = Callable[[Sequence[Entry]], Awaitable[Sequence[Entry]]]


class EventNumberInvalid(Invalid):
    """`Last-Event-ID` is not one of our numbers."""

    code = "event_number_invalid"

    def __init__(self, text: str) -> None:
        super().__init__(f"Last-Event-ID must be the number of an event, not {text[:40]!r}.")


def event_number(text: str | None) -> int | None:
    """Read a `Last-Event-ID`; None when there is none."""
    if text is None or not text.strip():
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise EventNumberInvalid(text)
    return int(text)


@dataclass(frozen=True, slots=True)
class Heard:
    """A topic that a listener follows, from a number on; without one, from the first event still kept."""

    topic: str
    after: int | None
    #: Whether to start with what is yet to come when there is no number.
    from_now: bool = False
    #: Whether the stream is over once the topic is gone.
    ends_with_topic: bool = True


async def stream(
    *followed: Heard, log: EventLog, db: Database, check: Check, redact: Redact
) -> StreamingResponse:
    """Answer with all that comes after the given numbers, for as long as the listener may hear it.

    The id of each event is its number; of several topics, all their numbers joined with dots.
    """
    known = await db.glance(
        lambda tx: [(first_kept(tx, one.topic), last_seq(tx, one.topic)) for one in followed], by=None
    )
    wanted = [
        (last if one.from_now else first - 1) if one.after is None else one.after
        for one, (first, last) in zip(followed, known, strict=True)
    ]
    missed = any(not first - 1 <= number <= last for number, (first, last) in zip(wanted, known, strict=True))
    numbers = [last for _, last in known] if missed else wanted
    return StreamingResponse(
        frames(followed, numbers, log=log, check=check, redact=redact, first=RESET if missed else b""),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def frames(
    followed: Sequence[Heard],
    numbers: list[int],
    *,
    log: EventLog,
    check: Check,
    redact: Redact,
    first: bytes,
) -> AsyncGenerator[bytes, None]:
    """Yield the bytes of a stream; entries that come together go out in one write, unless they are long."""
    yield first + ping(numbers)
    lasting = {one.topic for one in followed if not one.ends_with_topic}
    places = {one.topic: place for place, one in enumerate(followed)}
    async with aclosing(merged(places, numbers, log=log)) as batches:
        async for entries in batches:
            heard = await allowed_of(entries, places, check)
            if heard is None:
                return
            news = await encoded(await redact(heard), numbers, places) if heard else ping(numbers)
            for piece in slices(news):
                yield piece
            if any(entry.topic not in lasting and is_last(entry) for entry in heard):
                return


async def allowed_of(
    entries: Sequence[Entry], topics: Collection[str], check: Check
) -> Sequence[Entry] | None:
    """Return the entries that the listener may hear, or None when the stream is over for them."""
    try:
        # Asked after the entries were read: whatever was written after access ended is not sent.
        await check({entry.topic for entry in entries} or topics)
    except NotSignedIn:
        return None
    except NotFound:
        return [entry for entry in entries if is_last(entry)] or None
    return entries


def is_last(entry: Entry) -> bool:
    """Tell whether an entry says no more than that its topic is gone: whoever could read it may hear that."""
    return entry.body.startswith(LAST_EVENTS)


async def merged(
    places: dict[str, int], numbers: list[int], *, log: EventLog
) -> AsyncGenerator[Sequence[Entry], None]:
    """Yield the entries of all topics as they come, each topic's in order."""
    if len(places) == 1:
        (topic,) = places
        async with aclosing(log.follow(topic, numbers[0], idle_seconds=PING_SECONDS)) as batches:
            async for entries in batches:
                yield entries
        return
    queue: asyncio.Queue[Sequence[Entry] | None] = asyncio.Queue(maxsize=16)

    async def pour(topic: str, after: int) -> None:
        async with aclosing(log.follow(topic, after, idle_seconds=PING_SECONDS)) as batches:
            async for entries in batches:
                await queue.put(entries)
        await queue.put(None)

    pouring = [asyncio.create_task(pour(topic, numbers[place])) for topic, place in places.items()]
    try:
        while (entries := await queue.get()) is not None:
            yield entries
    finally:
        for task in pouring:
            task.cancel()
        await asyncio.gather(*pouring, return_exceptions=True)


async def encoded(entries: Sequence[Entry], numbers: list[int], places: dict[str, int]) -> bytes:
    """Write entries as server-sent events, long ones off the event loop."""
    chars = sum(len(entry.body) for entry in entries)
    return await run_by_length(partial(encode, entries, numbers, places), chars=chars)


def slices(data: bytes) -> Iterator[bytes]:
    """Yield bytes in pieces that a connection takes one after the other, with others served in between."""
    for start in range(0, len(data), WRITE_MAX_BYTES):
        yield data[start : start + WRITE_MAX_BYTES]


def encode(entries: Sequence[Entry], numbers: list[int], places: dict[str, int]) -> bytes:
    """Write entries as server-sent events, and note in `numbers` how far each topic has come."""
    lines: list[str] = []
    for entry in entries:
        numbers[places[entry.topic]] = entry.seq
        lines.append(f"id: {joined(numbers)}\ndata: {entry.body}\n\n")
    text = "".join(lines)
    return (text if text.isascii() else escape_line_breaks(text)).encode()


def escape_line_breaks(text: str) -> str:
    """Return JSON without characters that some clients take for the end of a line."""
    # Not `translate`, which looks up each character by itself: of 5 MB that takes half a second.
    for character, escaped in LINE_BREAKS.items():
        text = text.replace(character, escaped)
    return text


def ping(numbers: Sequence[int]) -> bytes:
    """Say that the stream is alive, and where it is."""
    return PING.format(place=joined(numbers)).encode()


def joined(numbers: Sequence[int]) -> str:
    """Return the id of an event: how far each topic has come."""
    return ".".join(map(str, numbers))
