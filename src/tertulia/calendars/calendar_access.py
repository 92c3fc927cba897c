"""Whose calendar it is: found and authorised in one step; everybody has one from the start."""

from collections.abc import Collection
from dataclasses import replace

from tertulia.calendars import store
from tertulia.calendars.domain import Calendar, CalendarKind
from tertulia.calendars.errors import CalendarReadOnly
from tertulia.core.errors import NotFound
from tertulia.infra.db import Tx


def list_calendars(tx: Tx) -> list[Calendar]:
    """Return the caller's calendars, the one that everybody has first; one of them is the default."""
    found, first = store.list_calendars(tx), primary_id(tx)
    if all(calendar.id != first for calendar in found):
        found.insert(0, _describe_primary(tx))
    if not any(calendar.is_default for calendar in found):
        found = [replace(calendar, is_default=calendar.id == first) for calendar in found]
    return found


def list_chosen(tx: Tx, calendar_ids: Collection[str]) -> list[Calendar]:
    """Return the caller's calendars that are named, or all; raise where one is not theirs."""
    found = list_calendars(tx)
    if not calendar_ids:
        return found
    if not set(calendar_ids) <= {calendar.id for calendar in found}:
        raise NotFound("calendar")
    return [calendar for calendar in found if calendar.id in calendar_ids]


def find_default(tx: Tx) -> Calendar:
    """Return the calendar for events that name none."""
    return next(calendar for calendar in list_calendars(tx) if calendar.is_default)


def get(tx: Tx, calendar_id: str) -> Calendar:
    """Return one of the caller's calendars, or raise `NotFound`."""
    return list_chosen(tx, [calendar_id])[0]


def get_writable(tx: Tx, calendar_id: str | None) -> Calendar:
    """Return a calendar of the caller's whose events can be changed; without an id the default."""
    calendar = get(tx, calendar_id) if calendar_id else find_default(tx)
    if not calendar.is_writable:
        raise CalendarReadOnly(calendar.name)
    return calendar


def get_for_writing(tx: Tx, calendar_id: str | None) -> Calendar:
    """Return the same, stored, so that events can be put into it."""
    calendar = get_writable(tx, calendar_id)
    store_primary(tx, calendar.id)
    return calendar


def store_primary(tx: Tx, calendar_id: str) -> None:
    """Have the calendar that everybody has stored, if it is the one that is meant."""
    if calendar_id == primary_id(tx):
        store.add(tx, calendar_id, name=store.PRIMARY_NAME, color=store.PRIMARY_COLOR)


def primary_id(tx: Tx) -> str:
    """Return the id of the calendar that the caller has from the start."""
    return store.primary_id(tx.by.workspace_id, tx.by.user_id)


def _describe_primary(tx: Tx) -> Calendar:
    return Calendar(
        id=primary_id(tx),
        owner_id=tx.by.user_id,
        kind=CalendarKind.BUILTIN,
        name=store.PRIMARY_NAME,
        color=store.PRIMARY_COLOR,
        is_default=False,
        is_shown=True,
        is_blocking=True,
        is_writable=True,
    )
