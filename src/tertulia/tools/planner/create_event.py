"""The tool by which a model makes an event."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.calendars import calendar_access, event_changes
from tertulia.calendars import service as calendar_service
from tertulia.calendars.domain import NewEvent, Occurrence
from tertulia.core.principal import Role
from tertulia.dates.rule_wording import describe_rule
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.planning.preferences import find_zone
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.date_arguments import choose_zone
from tertulia.tools.planner.event_arguments import (
    EventMinutes,
    EventText,
    EventTime,
    EventTitle,
    TimeText,
    ZoneName,
    read_event_time,
)
from tertulia.tools.planner.item_lines import event_fields, quote_items
from tertulia.tools.planner.privacy import require_alone
from tertulia.tools.planner.summary_words import quote_words, settle_title
from tertulia.tools.planner.task_arguments import RuleText
from tertulia.tools.planner.written_items import event_link, written_event


class CreateEventArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The event to make."""

    title: EventTitle
    start_time: TimeText
    end_time: (
        Annotated[
            str, Meta(max_length=200, description="For all day the last day. One hour later if left out.")
        ]
        | None
    ) = None
    duration_minutes: EventMinutes | None = None
    time_zone: ZoneName | None = None
    description: EventText | None = None
    location: EventText | None = None
    rrule: RuleText | None = None
    calendar_id: Annotated[str, Meta(description="The person's default calendar if left out.")] | None = None


class CreateEvent:
    """Makes an event on a calendar of the person who asks, once they have allowed it."""

    name = "create_event"
    description = "Create an event on the person's calendar. The person is asked first."
    shape = CreateEventArguments
    parameters = parameters_of(CreateEventArguments)
    effect = Effect.SIDE
    needs_project = False

    def __init__(self, db: Database, log: EventLog) -> None:
        self._db = db
        self._log = log

    def preview(
        self, tx: Tx, arguments: CreateEventArguments, caller: ToolCaller
    ) -> tuple[CreateEventArguments, str]:
        """Return the event as it will be made, with its times exact, and what a person reads of it."""
        require_alone(caller)
        tx.by.require(Role.MEMBER)
        time = read_arguments_time(tx, arguments)
        calendar = calendar_access.get_writable(tx, arguments.calendar_id)
        rule = time.rrule if arguments.rrule is None else arguments.rrule
        resolved = msgspec.structs.replace(
            arguments,
            title=settle_title(arguments.title),
            start_time=time.written_start,
            end_time=time.written_end,
            duration_minutes=None,
            time_zone=time.zone,
            rrule=rule or None,
            calendar_id=calendar.id,
        )
        # What cannot be written, such as a rule that is none, is told at once.
        event_changes.write_new(to_new_event(resolved, time), zone=time.zone)
        parts = [
            f"Create the event {quote_words(resolved.title)}: {time.describe()}",
            f"at {quote_words(arguments.location)}" if arguments.location else "",
            describe_rule(rule, time.zone) if rule else "",
            f"on the calendar {quote_words(calendar.name)}",
            time.note,
        ]
        return resolved, "; ".join(filter(None, parts))

    async def run(self, arguments: CreateEventArguments, caller: ToolCaller) -> ToolOutput:
        """Make the event."""

        def write(tx: Tx) -> tuple[Occurrence, str]:
            resolved, _ = self.preview(tx, arguments, caller)
            made = calendar_service.create_event(
                tx,
                to_new_event(resolved, read_arguments_time(tx, resolved)),
                made_by=caller.model,
                link=event_link(caller),
                log=self._log,
            )
            return made, find_zone(tx)

        event, zone = await self._db.write(write, by=caller.by)
        return ToolOutput(
            quote_items([event_fields(event, zone=zone)], after="The event was created."),
            written=(written_event(event, "created", zone=zone),),
        )


def read_arguments_time(tx: Tx, arguments: CreateEventArguments) -> EventTime:
    """Return when the event happens."""
    return read_event_time(
        arguments.start_time,
        arguments.end_time,
        minutes=arguments.duration_minutes,
        zone=choose_zone(tx, arguments.time_zone),
    )


def to_new_event(arguments: CreateEventArguments, time: EventTime) -> NewEvent:
    """Return the event that is meant."""
    return NewEvent(
        title=arguments.title,
        start=time.start,
        end=time.end,
        calendar_id=arguments.calendar_id,
        description=arguments.description or "",
        location=arguments.location or "",
        time_zone="" if time.is_all_day else time.zone,
        rrule=arguments.rrule or "",
    )
