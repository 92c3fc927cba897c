"""A topic as a stream of server-sent events, resumed from any number."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from time import monotonic

from fastapi.responses import StreamingResponse

from tertulia.core.errors import Invalid
from tertulia.infra.db import Database
from tertulia.infra.events import Entry, EventLog
from tertulia.infra.events.log import first_kept, last_seq

PING_SECONDS = 15
PING = b": still here\n\n"
#: Sent instead of events that are no longer kept, or never were: fetch the state anew and go on from there.
RESET = b'data: {"type":"reset"}\n\n'
LAST_EVENTS = ('{"type":"conversation.deleted"',)
#: Characters that some clients take for the end of a line, as JSON may write them too.
LINE_BREAKS = {ord(character): f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"}

Check = Callable[[], Awaitable[bool]]


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


async def stream(
    topic: str, after: int | None, *, log: EventLog, db: Database, still_allowed: Check
) -> StreamingResponse:
    """Answer with everything that comes after number `after`, for as long as the listener may hear it.

    Without a number it starts at the first event that is still kept.
    """
    first, last = await db.glance(lambda tx: (first_kept(tx, topic), last_seq(tx, topic)), by=None)
    if after is None:
        after = first - 1
    missed = not first - 1 <= after <= last
    start = last if missed else after
    return StreamingResponse(
        frames(topic, start, log=log, still_allowed=still_allowed, first=RESET if missed else b": hello\n\n"),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def frames(
    topic: str, after: int, *, log: EventLog, still_allowed: Check, first: bytes
) -> AsyncGenerator[bytes, None]:
    """Yield the bytes of a stream; entries that come together go out in one write."""
    yield first
    checked = monotonic()
    async for entries in log.follow(topic, after, idle_seconds=PING_SECONDS):
        if monotonic() - checked > PING_SECONDS:
            checked = monotonic()
            if not await still_allowed():
                return
        yield encode(entries) if entries else PING
        if entries and entries[-1].body.startswith(LAST_EVENTS):
            return


def encode(entries: Sequence[Entry]) -> bytes:
    """Write entries as server-sent events."""
    text = "".join(f"id: {entry.seq}\ndata: {entry.body}\n\n" for entry in entries)
    return (text if text.isascii() else text.translate(LINE_BREAKS)).encode()
