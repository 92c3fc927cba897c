"""Events as one listener may hear them: they are stored once, with all that they point at."""

import re
from collections.abc import Sequence
from dataclasses import replace
from json import JSONDecoder

import msgspec

from tertulia.conversations.domain import Passage
from tertulia.conversations.source_access import is_summary_of_another, redact_passages
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventEntry

#: What stands before the passages of a reply; in a text the quotation marks would be escaped.
PASSAGES_MEMBER_NAME = '"passages":'
#: The summary of a call that is not empty, behind who was asked about it.
SUMMARY_PATTERN = re.compile(
    r'"asked_by":"(?P<asked_by>[^"\\]*)","expires_at":(?:null|"[^"\\]*"),"summary":(?P<summary>"(?:[^"\\]|\\.)+")'
)

_decoder = JSONDecoder()
_encoder = msgspec.json.Encoder()


def may_be_redacted(entry: EventEntry) -> bool:
    """Tell whether an event may point at files and conversations, or say what one person was asked."""
    return PASSAGES_MEMBER_NAME in entry.body or SUMMARY_PATTERN.search(entry.body) is not None


async def redact_events_for(
    entries: Sequence[EventEntry], *, by: Principal, db: Database
) -> Sequence[EventEntry]:
    """Return events as one listener may, at this moment, hear them; most need no look into the database."""
    if not any(map(may_be_redacted, entries)):
        return entries
    return await db.read_inline(lambda tx: redact_entries(tx, entries), by=by)


def redact_entries(tx: Tx, entries: Sequence[EventEntry]) -> list[EventEntry]:
    """Return events in which the caller is told of no source, and of no question, that is not for them."""
    return [replace(entry, body=redact_summaries(tx, redact_event(tx, entry.body))) for entry in entries]


def redact_summaries(tx: Tx, body: str) -> str:
    """Return an event without the summaries of calls about which somebody else was asked."""

    def redact(found: re.Match[str]) -> str:
        is_kept = not is_summary_of_another(tx, found["asked_by"])
        return found[0] if is_kept else found[0].removesuffix(found["summary"]) + '""'

    return SUMMARY_PATTERN.sub(redact, body)


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
