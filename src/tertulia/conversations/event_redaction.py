"""Events as one listener may hear them: they are stored once, with all that they point at."""

from collections.abc import Sequence
from dataclasses import replace
from json import JSONDecoder

import msgspec

from tertulia.conversations.domain import Passage
from tertulia.conversations.sources import show_passages
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import Entry

#: What stands before the passages of a reply; in a text the quotation marks would be escaped.
PASSAGES = '"passages":'

_decoder = JSONDecoder()
_encoder = msgspec.json.Encoder()


def has_passages(entry: Entry) -> bool:
    """Tell whether an event may point at files and conversations."""
    return PASSAGES in entry.body


async def redact_for(entries: Sequence[Entry], *, by: Principal, db: Database) -> Sequence[Entry]:
    """Return events as one listener may, at this moment, hear them; most need no look into the database."""
    if not any(map(has_passages, entries)):
        return entries
    return await db.glance(lambda tx: redact_entries(tx, entries), by=by)


def redact_entries(tx: Tx, entries: Sequence[Entry]) -> list[Entry]:
    """Return events in which the caller is told of no source that they may not see."""
    return [replace(entry, body=redact(tx, entry.body)) for entry in entries]


def redact(tx: Tx, body: str) -> str:
    """Return an event with all passages in it, wherever they stand, as the caller may see them."""
    # The rest is not read: a reply may have millions of characters, and others wait meanwhile.
    parts: list[str] = []
    place = 0
    while (found := body.find(PASSAGES, place)) >= 0:
        start = found + len(PASSAGES)
        stored, end = _decoder.raw_decode(body, start)
        shown = show_passages(tx, msgspec.convert(stored, list[Passage]))
        parts += [body[place:start], _encoder.encode(shown).decode()]
        place = end
    return "".join([*parts, body[place:]])
