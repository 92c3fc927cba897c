"""Topics as one stream of server-sent events, resumed from any number."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from weakref import WeakValueDictionary

from fastapi.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from tertulia.core.errors import Invalid, NotFound, NotSignedIn, Unavailable
from tertulia.core.principal import Principal
from tertulia.core.tasks import cancel_tasks
from tertulia.core.threads import run_in_thread_if_long
from tertulia.infra.db import Database
from tertulia.infra.events import EventEntry, EventLog
from tertulia.infra.events.log import Listener, first_stored_seq, last_seq
from tertulia.infra.events.streams import TooManyStreams

live_log = logging.getLogger("tertulia.live")

HEARTBEAT_SECONDS = 15
#: What is written at once: about as much as a connection holds before it lets the writer wait.
SSE_WRITE_MAX_BYTES = 64_000
#: A body of this length is held once, however many listeners are being sent it.
LONG_BODY_MIN_CHARS = 64_000
END_OF_EVENT = b"\n\n"
END_OF_STREAM: Message = {"type": "http.response.body", "body": b"", "more_body": False}
#: Named, because scripts in a browser never see a comment and could not tell silence from a dead line. Its
#: id says how far the listener is, also when there was no event yet.
HEARTBEAT_FRAME = 'event: ping\nid: {place}\ndata: {{"type":"ping"}}\n\n'
#: Sent instead of events that are no longer kept, or never were: fetch the state anew and go on from there.
RESET_FRAME = b'data: {"type":"reset"}\n\n'
#: So soon after its deletion a topic's end is heard, from whichever process.
TOPIC_END_SECONDS = 0.5
MARK_SEPARATOR = "-"
#: A number that no event has: whoever asks to go on after it is told to fetch the state anew.
FOREIGN_CURSOR = -1
TOPIC_END_PREFIXES = ('{"type":"conversation.deleted"',)
#: Characters that some clients take for the end of a line, as JSON may write them too.
LINE_BREAK_ESCAPES = {character: f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"}

#: The long bodies that are being sent just now, by their digest: whom they are sent to does not matter.
long_bodies: WeakValueDictionary[bytes, "LongBody"] = WeakValueDictionary()

#: Raises `NotSignedIn` when the listener may, at this moment, hear nothing, and `NotFound` when they may not
#: hear all of the named topics.
SubscriptionCheck = Callable[[Collection[str]], Awaitable[None]]
#: Returns events as the listener may, at this moment, hear them.
EventRedaction = Callable[[Sequence[EventEntry]], Awaitable[Sequence[EventEntry]]]


class EventNumberInvalid(Invalid):
    """`Last-Event-ID` is not one of our numbers."""

    code = "event_number_invalid"

    def __init__(self, text: str) -> None:
        super().__init__(f"Last-Event-ID must be the number of an event, not {text[:40]!r}.")


def parse_last_event_id(text: str | None) -> int | None:
    """Read a `Last-Event-ID`; None when there is none."""
    if text is None or not text.strip():
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise EventNumberInvalid(text)
    return int(text)


def parse_marked_event_id(text: str, *, mark: str) -> int | None:
    """Read a number that may carry the mark of its topic; that of another topic is no number of this one."""
    number, _, given_mark = text.partition(MARK_SEPARATOR)
    cursor = parse_last_event_id(number)
    return FOREIGN_CURSOR if given_mark not in ("", mark) else cursor


@dataclass(frozen=True, slots=True)
class Subscription:
    """A topic that a listener follows, from a number on; without one, from the first event still kept."""

    topic: str
    cursor: int | None
    #: What its numbers carry where they might be sent back for another topic.
    mark: str = ""
    #: Whether to start with what is yet to come when there is no number.
    from_now: bool = False
    #: Whether the stream is over once the topic is gone.
    ends_with_topic: bool = True


class StreamPosition:
    """How far a listener has come in each of their topics."""

    def __init__(self, subscriptions: Sequence[Subscription], cursors: Sequence[int]) -> None:
        self.cursors = {
            subscription.topic: cursor for subscription, cursor in zip(subscriptions, cursors, strict=True)
        }
        self._suffixes = [
            MARK_SEPARATOR + subscription.mark if subscription.mark else "" for subscription in subscriptions
        ]

    def advance(self, entry: EventEntry) -> None:
        """Note that an entry is sent."""
        self.cursors[entry.topic] = entry.seq

    @property
    def event_id(self) -> str:
        """Return the id of the event that was sent last."""
        return ".".join(
            f"{cursor}{suffix}" for cursor, suffix in zip(self.cursors.values(), self._suffixes, strict=True)
        )


class EventStreamResponse(StreamingResponse):
    """A stream that is let go of once nobody listens."""

    media_type = "text/event-stream"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream until it ends or the listener is gone."""
        # Plain tasks: the framework's group of them costs as much as sending the first events.
        sending = asyncio.create_task(self.stream_response(send))
        listening = asyncio.create_task(self.listen_for_disconnect(receive))
        try:
            await asyncio.wait((sending, listening), return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        except Unavailable as error:
            # The answer has begun, so nothing else can be said in it; who connects again is told why.
            live_log.warning("A stream of events was ended: %s", error)
            await send(END_OF_STREAM)
        finally:
            await cancel_tasks((sending, listening))


async def stream_events(
    *subscriptions: Subscription,
    by: Principal,
    log: EventLog,
    db: Database,
    check: SubscriptionCheck,
    redact: EventRedaction,
) -> EventStreamResponse:
    """Answer with all that comes after the given numbers, for as long as the listener may hear it.

    The id of each event is its number, with the mark of its topic where that has one; of several topics, all
    their numbers joined with dots.
    """
    if not log.streams.has_room(by.user_id):
        raise TooManyStreams
    known = await db.read_inline(
        lambda tx: [
            (first_stored_seq(tx, subscription.topic), last_seq(tx, subscription.topic))
            for subscription in subscriptions
        ],
        by=None,
    )
    requested_cursors = [
        (last if subscription.from_now else first - 1) if subscription.cursor is None else subscription.cursor
        for subscription, (first, last) in zip(subscriptions, known, strict=True)
    ]
    missed = any(
        not first - 1 <= number <= last
        for number, (first, last) in zip(requested_cursors, known, strict=True)
    )
    cursors = [last for _, last in known] if missed else requested_cursors
    return EventStreamResponse(
        sse_frames(
            subscriptions,
            cursors,
            by=by,
            log=log,
            check=check,
            redact=redact,
            first=RESET_FRAME if missed else b"",
        ),
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


@dataclass(frozen=True, slots=True, weakref_slot=True)
class LongBody:
    """The bytes of a long event; all listeners who are being sent the same ones hold them together."""

    data: bytes


@dataclass(frozen=True, slots=True)
class EventBatch:
    """What is written to one listener before anything more is read for them."""

    head: bytes
    body: LongBody | None = None
    is_last: bool = False

    def chunks(self) -> Iterator[bytes]:
        """Yield it in pieces that a connection takes one after the other, with others served in between."""
        yield from split_writes(self.head)
        if self.body is not None:
            yield from split_writes(self.body.data)
            yield END_OF_EVENT


async def sse_frames(
    subscriptions: Sequence[Subscription],
    cursors: Sequence[int],
    *,
    by: Principal,
    log: EventLog,
    check: SubscriptionCheck,
    redact: EventRedaction,
    first: bytes,
) -> AsyncGenerator[bytes, None]:
    """Yield the bytes of a stream; entries that come together go out in one write, unless they are long."""
    position = StreamPosition(subscriptions, cursors)
    lasting_topics = {
        subscription.topic for subscription in subscriptions if not subscription.ends_with_topic
    }
    if not log.streams.has_room(by.user_id):
        # Many were asked for at once, and each was told that there is room.
        return
    with (
        log.listen(position.cursors) as listener,
        log.streams.add(by, wake=listener.wake) as stream,
    ):
        yield first + heartbeat_frame(position)
        while not (log.is_closed or stream.is_revoked):
            async with stream.preparing:
                batch = await read_batch(
                    listener, position, lasting_topics=lasting_topics, check=check, redact=redact
                )
            if batch is None:
                return
            for piece in batch.chunks():
                yield piece
                # Nothing else waits in here for a client who takes all at once, or is gone.
                await asyncio.sleep(0)
            if batch.is_last:
                return
            if batch.head:
                continue
            is_news = await listener.wait(HEARTBEAT_SECONDS)
            if (listener.has_lost_topic or not is_news) and not await may_listen(position.cursors, check):
                return
            if not is_news:
                yield heartbeat_frame(position)


async def read_batch(
    listener: Listener,
    position: StreamPosition,
    *,
    lasting_topics: Collection[str],
    check: SubscriptionCheck,
    redact: EventRedaction,
) -> EventBatch | None:
    """Return what is next for a listener, if there is anything; None when the stream is over for them."""
    entries = await listener.read()
    if not entries:
        return EventBatch(b"")
    allowed = await filter_allowed(entries, listener, check)
    if not allowed:
        return None
    is_last = any(entry.topic not in lasting_topics and is_topic_end(entry) for entry in allowed)
    return await encode_events_off_loop(await redact(allowed), position, is_last=is_last)


async def may_listen(topics: Collection[str], check: SubscriptionCheck) -> bool:
    """Tell whether the listener may hear some topics at this moment."""
    try:
        await check(topics)
    except (NotSignedIn, NotFound):
        return False
    return True


async def filter_allowed(
    entries: Sequence[EventEntry], listener: Listener, check: SubscriptionCheck
) -> Sequence[EventEntry]:
    """Return which of the next entries the listener may hear; none when the stream is over for them."""
    topics = {entry.topic for entry in entries}
    try:
        # Asked after the entries were read: whatever was written after access ended is not sent.
        await check(topics)
    except NotSignedIn:
        return []
    except NotFound:
        if ends := [entry for entry in entries if is_topic_end(entry)]:
            return ends
        # They may be older than the end of their topic, which the check has seen already.
        return await read_topic_end(listener, entries[0].topic)
    return entries


async def read_topic_end(listener: Listener, topic: str) -> Sequence[EventEntry]:
    """Return the event that says that a topic is gone, if it comes soon: access may have ended otherwise."""
    ends_at = asyncio.get_running_loop().time() + TOPIC_END_SECONDS
    while (seconds_left := ends_at - asyncio.get_running_loop().time()) > 0:
        entries = await listener.read_topic(topic)
        if found := [entry for entry in entries if is_topic_end(entry)]:
            return found
        if not entries:
            await listener.wait(seconds_left)
    return []


def is_topic_end(entry: EventEntry) -> bool:
    """Tell whether an entry says no more than that its topic is gone: whoever could read it may hear that."""
    return entry.body.startswith(TOPIC_END_PREFIXES)


async def encode_events_off_loop(
    entries: Sequence[EventEntry], position: StreamPosition, *, is_last: bool
) -> EventBatch:
    """Write entries as server-sent events, long ones off the event loop."""
    chars = sum(len(entry.body) for entry in entries)
    if len(entries) > 1 or chars < LONG_BODY_MIN_CHARS:
        data = await run_in_thread_if_long(partial(encode_events, entries, position), chars=chars)
        return EventBatch(data, is_last=is_last)
    (entry,) = entries
    position.advance(entry)
    data, digest = await run_in_thread_if_long(partial(encode_long, entry.body), chars=chars)
    return EventBatch(start_of_event(position), long_bodies.setdefault(digest, LongBody(data)), is_last)


def encode_long(body: str) -> tuple[bytes, bytes]:
    """Return the bytes of an event and what they are known by."""
    data = escape_line_breaks(body).encode()
    return data, sha256(data).digest()


def split_writes(data: bytes) -> Iterator[bytes]:
    """Yield bytes in pieces that a connection takes one after the other, with others served in between."""
    for start in range(0, len(data), SSE_WRITE_MAX_BYTES):
        yield data[start : start + SSE_WRITE_MAX_BYTES]


def encode_events(entries: Sequence[EventEntry], position: StreamPosition) -> bytes:
    """Write entries as server-sent events, and note in `position` how far each topic has come."""
    lines: list[str] = []
    for entry in entries:
        position.advance(entry)
        lines.append(f"id: {position.event_id}\ndata: {entry.body}\n\n")
    return escape_line_breaks("".join(lines)).encode()


def start_of_event(position: StreamPosition) -> bytes:
    """Return what stands before the body of an event."""
    return f"id: {position.event_id}\ndata: ".encode()


def escape_line_breaks(text: str) -> str:
    """Return JSON without characters that some clients take for the end of a line."""
    if text.isascii():
        return text
    # Not `translate`, which looks up each character by itself: of 5 MB that takes half a second.
    for character, escaped in LINE_BREAK_ESCAPES.items():
        text = text.replace(character, escaped)
    return text


def heartbeat_frame(position: StreamPosition) -> bytes:
    """Say that the stream is alive, and where it is."""
    return HEARTBEAT_FRAME.format(place=position.event_id).encode()
