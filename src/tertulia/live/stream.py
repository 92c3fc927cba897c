"""Topics as one stream of server-sent events, resumed from any number."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from weakref import WeakValueDictionary

from fastapi.responses import StreamingResponse

from tertulia.core.errors import Invalid, NotFound, NotSignedIn
from tertulia.core.principal import Principal
from tertulia.core.threads import run_by_length
from tertulia.infra.db import Database
from tertulia.infra.events import Entry, EventLog
from tertulia.infra.events.log import Listener, first_kept, last_seq
from tertulia.infra.events.streams import TooManyStreams

PING_SECONDS = 15
#: What is written at once: about as much as a connection holds before it lets the writer wait.
WRITE_MAX_BYTES = 64_000
#: A body of this length is held once, however many listeners are being sent it.
LONG_BODY_MIN_CHARS = 64_000
END_OF_EVENT = b"\n\n"
#: Named, because scripts in a browser never see a comment and could not tell silence from a dead line. Its
#: id says how far the listener is, also when there was no event yet.
PING = 'event: ping\nid: {place}\ndata: {{"type":"ping"}}\n\n'
#: Sent instead of events that are no longer kept, or never were: fetch the state anew and go on from there.
RESET = b'data: {"type":"reset"}\n\n'
LAST_EVENTS = ('{"type":"conversation.deleted"',)
#: Characters that some clients take for the end of a line, as JSON may write them too.
LINE_BREAKS = {character: f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"}

#: The long bodies that are being sent just now, by their digest: whom they are sent to does not matter.
long_bodies: WeakValueDictionary[bytes, "LongBody"] = WeakValueDictionary()

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
    *followed: Heard, by: Principal, log: EventLog, db: Database, check: Check, redact: Redact
) -> StreamingResponse:
    """Answer with all that comes after the given numbers, for as long as the listener may hear it.

    The id of each event is its number; of several topics, all their numbers joined with dots.
    """
    if not log.streams.has_room(by.user_id):
        raise TooManyStreams
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
        frames(followed, numbers, by=by, log=log, check=check, redact=redact, first=RESET if missed else b""),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


@dataclass(frozen=True, slots=True, weakref_slot=True)
class LongBody:
    """The bytes of a long event; all listeners who are being sent the same ones hold them together."""

    data: bytes


@dataclass(frozen=True, slots=True)
class News:
    """What is written to one listener before anything more is read for them."""

    head: bytes
    body: LongBody | None = None
    is_last: bool = False

    def pieces(self) -> Iterator[bytes]:
        """Yield it in pieces that a connection takes one after the other, with others served in between."""
        yield from slices(self.head)
        if self.body is not None:
            yield from slices(self.body.data)
            yield END_OF_EVENT


async def frames(
    followed: Sequence[Heard],
    numbers: list[int],
    *,
    by: Principal,
    log: EventLog,
    check: Check,
    redact: Redact,
    first: bytes,
) -> AsyncGenerator[bytes, None]:
    """Yield the bytes of a stream; entries that come together go out in one write, unless they are long."""
    places = {one.topic: place for place, one in enumerate(followed)}
    lasting = {one.topic for one in followed if not one.ends_with_topic}
    if not log.streams.has_room(by.user_id):
        # Many were asked for at once, and each was told that there is room.
        return
    with log.streams.add(by.user_id) as preparing, log.listen(dict(zip(places, numbers, strict=True))) as ear:
        yield first + ping(numbers)
        while not log.is_closed:
            async with preparing:
                news = await read_news(ear, numbers, places, lasting=lasting, check=check, redact=redact)
            if news is None:
                return
            for piece in news.pieces():
                yield piece
                # Nothing else waits in here for a client who takes all at once, or is gone.
                await asyncio.sleep(0)
            if news.is_last:
                return
            if not news.head and not await ear.wait(PING_SECONDS):
                if await allowed_of([], places, check) is None:
                    return
                yield ping(numbers)


async def read_news(
    listener: Listener,
    numbers: list[int],
    places: dict[str, int],
    *,
    lasting: Collection[str],
    check: Check,
    redact: Redact,
) -> News | None:
    """Return what is next for a listener, if there is anything; None when the stream is over for them."""
    entries = await listener.read()
    if not entries:
        return News(b"")
    heard = await allowed_of(entries, places, check)
    if heard is None:
        return None
    is_last = any(entry.topic not in lasting and is_farewell(entry) for entry in heard)
    return await encoded(await redact(heard), numbers, places, is_last=is_last)


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
        return [entry for entry in entries if is_farewell(entry)] or None
    return entries


def is_farewell(entry: Entry) -> bool:
    """Tell whether an entry says no more than that its topic is gone: whoever could read it may hear that."""
    return entry.body.startswith(LAST_EVENTS)


async def encoded(
    entries: Sequence[Entry], numbers: list[int], places: dict[str, int], *, is_last: bool
) -> News:
    """Write entries as server-sent events, long ones off the event loop."""
    chars = sum(len(entry.body) for entry in entries)
    if len(entries) > 1 or chars < LONG_BODY_MIN_CHARS:
        data = await run_by_length(partial(encode, entries, numbers, places), chars=chars)
        return News(data, is_last=is_last)
    (entry,) = entries
    numbers[places[entry.topic]] = entry.seq
    data, digest = await run_by_length(partial(encode_long, entry.body), chars=chars)
    return News(start_of_event(numbers), long_bodies.setdefault(digest, LongBody(data)), is_last)


def encode_long(body: str) -> tuple[bytes, bytes]:
    """Return the bytes of an event and what they are known by."""
    data = escape_line_breaks(body).encode()
    return data, sha256(data).digest()


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
    return escape_line_breaks("".join(lines)).encode()


def start_of_event(numbers: Sequence[int]) -> bytes:
    """Return what stands before the body of an event."""
    return f"id: {joined(numbers)}\ndata: ".encode()


def escape_line_breaks(text: str) -> str:
    """Return JSON without characters that some clients take for the end of a line."""
    if text.isascii():
        return text
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
