"""Which times of a recurring event a model means."""

from typing import Annotated

from msgspec import Meta

from tertulia.calendars.domain import Occurrence, Scope
from tertulia.tools.planner.errors import TimeOfSeriesMissing

ScopeChoice = Annotated[
    Scope, Meta(description="Of a recurring event: this time, this and the following, or all.")
]
TimeOfSeries = Annotated[
    str, Meta(max_length=60, description="The recurrence_id of one time of a recurring event.")
]
SCOPE_WORDS = {
    Scope.THIS: ", this time only",
    Scope.FOLLOWING: ", this and all following times",
    Scope.ALL: ", all times of it",
}


def settle_scope(event: Occurrence, scope: Scope | None, recurrence_id: str | None) -> Scope:
    """Return which times are meant: one that is named alone, else all of them.

    Raise `TimeOfSeriesMissing` where some of them are meant, and nothing says from which on.
    """
    if not event.rrule and not event.is_recurring:
        return Scope.ALL
    if scope not in (None, Scope.ALL) and recurrence_id is None:
        raise TimeOfSeriesMissing
    return scope or (Scope.THIS if recurrence_id else Scope.ALL)


def describe_scope(event: Occurrence, scope: Scope) -> str:
    """Return which times are meant in words; nothing for an event that happens once."""
    return SCOPE_WORDS[scope] if event.rrule or event.is_recurring else ""
