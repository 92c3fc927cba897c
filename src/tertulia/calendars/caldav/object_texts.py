"""The texts of events as a server has them, stored with all that follows from them."""

from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache

from tertulia.calendars import event_store
from tertulia.calendars.caldav import object_store
from tertulia.calendars.caldav.merge import is_same_event
from tertulia.calendars.domain import MADE_BY_PERSON, CalendarObject, EventColumns, PendingChange
from tertulia.calendars.event_columns import describe_any_text
from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx

#: As many texts as are read before they are stored together.
DESCRIBED_TEXTS_MAX = 200


@lru_cache(maxsize=DESCRIBED_TEXTS_MAX)
def describe(ics: str) -> tuple[EventColumns, str]:
    """Return what is looked up of an event, and what of it cannot be read."""
    return describe_any_text(ics)


def read_ahead(texts: Iterable[str]) -> None:
    """Read texts before a transaction stores them, so that nobody waits for that."""
    for ics in texts:
        describe(ics)


def add_text(tx: Tx, calendar_id: str, *, uid: str, ics: str) -> str:
    """Store an event that was found at a server, and return its id."""
    columns, problem = describe(ics)
    made_at = now()
    added = CalendarObject(
        id=new_id("evt"),
        calendar_id=calendar_id,
        owner_id=tx.by.user_id,
        uid=uid,
        ics=ics,
        revision=1,
        href="",
        etag="",
        base_ics="",
        pending=PendingChange.NONE,
        problem=problem,
        made_by=MADE_BY_PERSON,
        created_at=made_at,
        changed_at=made_at,
        deleted_at=None,
        **asdict(columns),
    )
    event_store.add_many(tx, [added])
    return added.id


def replace_text(tx: Tx, object_id: str, ics: str, *, before: str) -> None:
    """Give an event the text of its server, or one that was merged with it.

    Where both say the same it is no new revision: whoever is about to change it need not read it again.
    """
    if is_same_event(before, ics):
        object_store.set_same_text(tx, object_id, ics)
        return
    event_store.set_text(tx, object_id, ics=ics, columns=describe(ics)[0], pending=None)


def restore(tx: Tx, object_id: str) -> None:
    """Bring back an event that was deleted here alone."""
    event_store.hide(tx, object_id, deleted_at=None)
