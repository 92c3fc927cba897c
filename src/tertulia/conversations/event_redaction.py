"""Events as one listener may hear them: they are stored once, with all that they point at."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from tertulia.conversations.domain import Passage
from tertulia.conversations.sources import show_passages
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import Entry

#: Without this name an event has no pointers; with it, it may.
PASSAGES = '"passages"'

# Raw parts are passed on without being read: a reply may have millions of characters.
_object = msgspec.json.Decoder(dict[str, msgspec.Raw])
_objects = msgspec.json.Decoder(list[msgspec.Raw])
_passages = msgspec.json.Decoder(list[Passage])
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
    return [
        replace(entry, body=redact(tx, entry.body).decode()) if has_passages(entry) else entry
        for entry in entries
    ]


def redact(tx: Tx, body: str | msgspec.Raw) -> bytes:
    """Return an event, a round or a reply with all passages in it as the caller may see them."""
    members: dict[str, object] = {**(parts := _object.decode(body))}
    for name in ("round", "reply"):
        if name in parts:
            members[name] = msgspec.Raw(redact(tx, parts[name]))
    if "replies" in parts:
        members["replies"] = [msgspec.Raw(redact(tx, reply)) for reply in _objects.decode(parts["replies"])]
    if "passages" in parts:
        members["passages"] = show_passages(tx, _passages.decode(parts["passages"]))
    return _encoder.encode(members)
