"""What can be done with calendars: make, change, subscribe to."""

import secrets
from hashlib import sha256

from tertulia.calendars import calendar_access, store
from tertulia.calendars.domain import Calendar, CalendarKind
from tertulia.calendars.errors import CalendarReadOnly
from tertulia.calendars.events import publish_change
from tertulia.core.errors import Limited
from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Role
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog

BUILTIN_CALENDARS_MAX = 50
SUBSCRIPTION_TOKEN_BYTES = 32


def create_calendar(tx: Tx, *, name: str, color: str, log: EventLog) -> Calendar:
    """Make a built-in calendar."""
    tx.by.require(Role.MEMBER)
    builtin = [calendar for calendar in store.list_calendars(tx) if calendar.kind is CalendarKind.BUILTIN]
    if len(builtin) >= BUILTIN_CALENDARS_MAX:
        raise Limited(f"There can be {BUILTIN_CALENDARS_MAX} calendars of your own: delete one first.")
    calendar_id = new_id("cal")
    store.add(tx, calendar_id, name=name, color=color or store.PRIMARY_COLOR)
    publish_change(tx, log=log)
    return calendar_access.get(tx, calendar_id)


def change_calendar(tx: Tx, calendar_id: str, values: JsonObject, *, log: EventLog) -> Calendar:
    """Change how a calendar looks here, and what its events mean."""
    tx.by.require(Role.MEMBER)
    calendar = calendar_access.get(tx, calendar_id)
    if values.get("is_default") and not calendar.is_writable:
        raise CalendarReadOnly(calendar.name)
    calendar_access.store_primary(tx, calendar.id)
    if "is_default" in values:
        store.clear_default(tx)
    if values:
        store.change(tx, calendar.id, values)
    publish_change(tx, log=log)
    return calendar_access.get(tx, calendar.id)


def create_subscription(tx: Tx, calendar_id: str, *, log: EventLog) -> str:
    """Return the secret of a new address of a calendar; the one before is no longer one."""
    tx.by.require(Role.MEMBER)
    calendar = calendar_access.get(tx, calendar_id)
    calendar_access.store_primary(tx, calendar.id)
    token = secrets.token_urlsafe(SUBSCRIPTION_TOKEN_BYTES)
    store.change(tx, calendar.id, {"subscription_hash": hash_token(token)})
    publish_change(tx, log=log)
    return token


def revoke_subscription(tx: Tx, calendar_id: str, *, log: EventLog) -> None:
    """Let the secret address of a calendar lead nowhere."""
    tx.by.require(Role.MEMBER)
    calendar = calendar_access.get(tx, calendar_id)
    if calendar.subscription:
        store.change(tx, calendar.id, {"subscription_hash": None})
        publish_change(tx, log=log)


def hash_token(token: str) -> str:
    """Return what is stored of a secret address."""
    return sha256(token.encode()).hexdigest()
