"""Events as one listener may hear them: they are stored once, with all that they point at."""

from collections.abc import Sequence
from dataclasses import replace
from json import JSONDecoder

import msgspec

from tertulia.conversations.domain import Passage
from tertulia.conversations.source_access import redact_passages
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventEntry

#: What stands before the passages of a reply; in a text the quotation marks would be escaped.
PASSAGES_MEMBER_NAME = '"passages":'

_decoder = JSONDecoder()
_encoder = msgspec.json.Encoder()


def has_passages(entry: EventEntry) -> bool:
    """Tell whether an event may point at files and conversations."""
    return PASSAGES_MEMBER_NAME in entry.body


async def redact_events_for(
    entries: Sequence[EventEntry], *, by: Principal, db: Database
) -> Sequence[EventEntry]:
    """Return events as one listener may, at this moment, hear them; most need no look into the database."""
    if not any(map(has_passages, entries)):
        return entries
    return await db.read_inline(lambda tx: redact_entries(tx, entries), by=by)


def redact_entries(tx: Tx, entries: Sequence[EventEntry]) -> list[EventEntry]:
    """Return events in which the caller is told of no source that they may not see."""
    return [replace(entry, body=redact_event(tx, entry.body)) for entry in entries]


def redact_event(tx: Tx, body: str) -> str:
    """Return an event with all passages in it, wherever they stand, as the caller may see them."""
    # The rest is not read: a reply may have millions of characters, and others wait meanwhile.
    parts: list[str] = []
    place = 0
    while (found := body.find(PASSAGES_MEMBER_NAME, place)) >= 0:
        start = found + len(PASSAGES_MEMBER_NAME)
        stored, end = _decoder.raw_decode(body, start)
        shown = redact_passages(tx, msgspec.convert(stored, list[Passage]))
        parts += [body[place:start], _encoder.encode(shown).decode()]
        place = end
    return "".join([*parts, body[place:]])
