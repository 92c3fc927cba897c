"""The tool by which a model reads a person's calendar."""

from datetime import date, datetime, time, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from tertulia.calendars.domain import EventStatus, Occurrence
from tertulia.calendars.occurrences import list_occurrences
from tertulia.core.json_object import JsonObject
from tertulia.dates.wording import describe_day
from tertulia.infra.db import Database, Tx
from tertulia.planning.preferences import find_zone
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.calendar_names import read_calendar_names
from tertulia.tools.planner.date_arguments import read_first_day, read_last_day
from tertulia.tools.planner.errors import EndsBeforeStart
from tertulia.tools.planner.item_lines import event_fields, quote_items
from tertulia.tools.planner.privacy import require_alone
from tertulia.tools.planner.task_arguments import DayText

TOLD_EVENTS_MAX = 100


class GetCalendarEventsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Between which days to look, both included."""

    start_date: DayText
    end_date: DayText
    calendar_ids: list[str] | None = None
    query: Annotated[str, Meta(max_length=200, description="Words of the title or place.")] | None = None


class GetCalendarEvents:
    """Lists what is on the calendars of the person who asks."""

    name = "get_calendar_events"
    description = "Get the person's calendar events in a date range; both days count."
    shape = GetCalendarEventsArguments
    parameters = parameters_of(GetCalendarEventsArguments)
    effect = Effect.READ
    needs_project = False

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: GetCalendarEventsArguments, caller: ToolCaller) -> ToolOutput:
        """List the events; nobody but the person may read them."""
        require_alone(caller)

        def read(tx: Tx) -> tuple[list[JsonObject], str]:
            zone = find_zone(tx)
            first = read_first_day(arguments.start_date, zone=zone)
            last = read_last_day(arguments.end_date, zone=zone, since=first)
            names = read_calendar_names(tx)
            events = list_events(tx, arguments, first=first, last=last, zone=zone)
            items = [
                event_fields(event, zone=zone, calendar_name=names.get(event.calendar_id, ""))
                for event in events
            ]
            return items, f"{describe_day(first)} to {describe_day(last)} ({zone})"

        items, days = await self._db.read(read, by=caller.by)
        if not items:
            return ToolOutput(f"There are no such events from {days}.", is_private=True)
        more = (
            f" There are more: these are the first {TOLD_EVENTS_MAX}." if len(items) > TOLD_EVENTS_MAX else ""
        )
        told = f"These are the events from {days}.{more}"
        return ToolOutput(quote_items(items[:TOLD_EVENTS_MAX], after=told), is_private=True)


def list_events(
    tx: Tx, arguments: GetCalendarEventsArguments, *, first: date, last: date, zone: str
) -> list[Occurrence]:
    """Return the events of some days that take place."""
    if last < first:
        raise EndsBeforeStart
    found = list_occurrences(
        tx,
        start=datetime.combine(first, time.min, ZoneInfo(zone)),
        end=datetime.combine(last + timedelta(days=1), time.min, ZoneInfo(zone)),
        zone=zone,
        calendar_ids=arguments.calendar_ids or (),
        text=arguments.query or "",
    )
    return [event for event in found if event.status is not EventStatus.CANCELLED]
