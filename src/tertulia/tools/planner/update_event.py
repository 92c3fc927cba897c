"""The tool by which a model changes an event."""

from datetime import UTC

import msgspec

from tertulia.calendars import event_changes
from tertulia.calendars import service as calendar_service
from tertulia.calendars.domain import EventStatus, NewEvent, Occurrence, Scope
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Role
from tertulia.dates.rule_wording import describe_rule
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.planning.preferences import find_zone
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.date_arguments import choose_zone, day_of
from tertulia.tools.planner.errors import NothingToChange
from tertulia.tools.planner.event_arguments import (
    EventMinutes,
    EventText,
    EventTime,
    EventTitle,
    TimeText,
    ZoneName,
    read_event_time,
    time_of,
)
from tertulia.tools.planner.event_scopes import ScopeChoice, TimeOfSeries, describe_scope, settle_scope
from tertulia.tools.planner.item_lines import describe_event_time, event_fields, quote_items
from tertulia.tools.planner.privacy import require_alone
from tertulia.tools.planner.summary_words import quote_words, settle_title
from tertulia.tools.planner.task_arguments import RuleText
from tertulia.tools.planner.written_items import event_link, written_event


class EventUpdates(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Fields of an event to set; with a new start and no end it lasts as long as before."""

    title: EventTitle | None = None
    start_time: TimeText | None = None
    end_time: TimeText | None = None
    duration_minutes: EventMinutes | None = None
    time_zone: ZoneName | None = None
    description: EventText | None = None
    location: EventText | None = None
    rrule: RuleText | None = None
    status: EventStatus | None = None


class UpdateEventArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which event to change, and how."""

    event_id: str
    updates: EventUpdates
    scope: ScopeChoice | None = None
    recurrence_id: TimeOfSeries | None = None


class UpdateEvent:
    """Changes an event of the person who asks, once they have allowed it."""

    name = "update_event"
    description = "Move or change an event on the person's calendar. The person is asked first."
    shape = UpdateEventArguments
    parameters = parameters_of(UpdateEventArguments)
    effect = Effect.SIDE
    needs_project = False

    def __init__(self, db: Database, log: EventLog) -> None:
        self._db = db
        self._log = log

    def preview(
        self, tx: Tx, arguments: UpdateEventArguments, caller: ToolCaller
    ) -> tuple[UpdateEventArguments, str]:
        """Return the change as it will be made, with its times exact, and what a person reads of it."""
        require_alone(caller)
        tx.by.require(Role.MEMBER)
        event = calendar_service.get_event(tx, arguments.event_id, arguments.recurrence_id)
        scope = settle_scope(event, arguments.scope, arguments.recurrence_id)
        time = read_new_time(tx, event, arguments.updates)
        updates = resolve_updates(arguments.updates, time)
        if updates == EventUpdates():
            raise NothingToChange
        check_rule(event, updates, time or time_of(event, find_zone(tx)))
        resolved = msgspec.structs.replace(arguments, updates=updates, scope=scope)
        before = describe_event_time(event, find_zone(tx))
        parts = [
            f"Change the event {quote_words(event.title)} ({before}){describe_scope(event, scope)}",
            f"it will be {time.describe()}" if time else "",
            *describe_updates(updates),
            time.note if time else "",
        ]
        return resolved, "; ".join(filter(None, parts))

    async def run(self, arguments: UpdateEventArguments, caller: ToolCaller) -> ToolOutput:
        """Change the event."""

        def write(tx: Tx) -> tuple[Occurrence, str]:
            resolved, _ = self.preview(tx, arguments, caller)
            event = calendar_service.get_event(tx, resolved.event_id, resolved.recurrence_id)
            changed = calendar_service.change_event(
                tx,
                resolved.event_id,
                to_values(resolved.updates, read_new_time(tx, event, resolved.updates)),
                scope=resolved.scope or Scope.ALL,
                recurrence_id=resolved.recurrence_id,
                made_by=caller.model,
                link=event_link(caller),
                log=self._log,
            )
            return changed, find_zone(tx)

        event, zone = await self._db.write(write, by=caller.by)
        told = "The event was changed. This is how it is now."
        return ToolOutput(
            quote_items([event_fields(event, zone=zone)], after=told),
            written=(written_event(event, "changed", zone=zone),),
            is_private=True,
        )


def check_rule(event: Occurrence, updates: EventUpdates, time: EventTime) -> None:
    """Raise where an event cannot recur as is said: nobody is asked about that."""
    if updates.rrule:
        title = updates.title or event.title
        zone = "" if time.is_all_day else time.zone
        wanted = NewEvent(title, time.start, time.end, time_zone=zone, rrule=updates.rrule)
        event_changes.write_new(wanted, zone=time.zone)


def read_new_time(tx: Tx, event: Occurrence, updates: EventUpdates) -> EventTime | None:
    """Return when an event will happen; None where that stays as it is."""
    if updates.start_time is None and updates.end_time is None and updates.duration_minutes is None:
        return None
    zone = choose_zone(tx, updates.time_zone or event.time_zone or None)
    before = time_of(event, zone)
    return read_event_time(
        updates.start_time or before.written_start,
        updates.end_time,
        minutes=updates.duration_minutes,
        zone=zone,
        usual=event.end.astimezone(UTC) - event.start.astimezone(UTC),
        day=day_of(before.start, zone),
    )


def resolve_updates(updates: EventUpdates, time: EventTime | None) -> EventUpdates:
    """Return updates with their times exact; a zone says nothing without a time."""
    title = None if updates.title is None else settle_title(updates.title)
    updates = msgspec.structs.replace(updates, title=title)
    if time is None:
        return msgspec.structs.replace(updates, time_zone=None)
    rule = time.rrule if updates.rrule is None and time.rrule else updates.rrule
    return msgspec.structs.replace(
        updates,
        start_time=time.written_start,
        end_time=time.written_end,
        duration_minutes=None,
        time_zone=None if time.is_all_day else time.zone,
        rrule=rule,
    )


def describe_updates(updates: EventUpdates) -> list[str]:
    """Return what changes besides the time, each as a person reads it."""
    told = {
        "title": updates.title,
        "location": updates.location,
        "description": updates.description,
        "status": updates.status,
    }
    given = {name: value for name, value in told.items() if value is not None}
    words = [f"{name}: {quote_words(value) if value else 'none'}" for name, value in given.items()]
    if updates.rrule is None:
        return words
    return [*words, describe_rule(updates.rrule, updates.time_zone or "") if updates.rrule else "once only"]


def to_values(updates: EventUpdates, time: EventTime | None) -> JsonObject:
    """Return updates as calendars take them."""
    given = {name: value for name, value in msgspec.structs.asdict(updates).items() if value is not None}
    values = {
        name: value for name, value in given.items() if not name.endswith(("_time", "_minutes", "_zone"))
    }
    if time is None:
        return values
    zone = {} if time.is_all_day else {"time_zone": time.zone}
    return values | {"start": time.start, "end": time.end} | zone
