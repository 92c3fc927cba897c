"""The tool by which a model puts a task on a person's calendar."""

from datetime import UTC, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.calendars import calendar_access
from tertulia.core.principal import Role
from tertulia.dates.wording import describe_moments
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.planning import service as planning
from tertulia.planning.domain import Scheduled
from tertulia.planning.preferences import find_zone
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.date_arguments import read_moment, write_time
from tertulia.tools.planner.event_arguments import EventMinutes, TimeText
from tertulia.tools.planner.item_lines import event_fields, quote_items
from tertulia.tools.planner.privacy import get_told_task, require_alone
from tertulia.tools.planner.summary_words import quote_words
from tertulia.tools.planner.written_items import event_link, written_event

MINUTE = timedelta(minutes=1)
OVERLAP_WORDS = "even where another event takes that time"


class ScheduleTaskArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which task to put on the calendar, and when."""

    task_id: str
    start_time: TimeText
    duration_minutes: EventMinutes | None = None
    calendar_id: str | None = None
    allow_overlap: Annotated[
        bool, Meta(description="Put it there even where another event takes that time.")
    ] = False


class ScheduleTask:
    """Puts a task on a calendar of the person who asks, once they have allowed it."""

    name = "schedule_task"
    description = "Schedule a task to the person's calendar, or move it there. The person is asked first."
    shape = ScheduleTaskArguments
    parameters = parameters_of(ScheduleTaskArguments)
    effect = Effect.SIDE
    needs_project = False

    def __init__(self, db: Database, log: EventLog) -> None:
        self._db = db
        self._log = log

    def preview(
        self, tx: Tx, arguments: ScheduleTaskArguments, caller: ToolCaller
    ) -> tuple[ScheduleTaskArguments, str]:
        """Return when the task will be on the calendar, exactly, and what a person reads of it."""
        require_alone(caller)
        tx.by.require(Role.MEMBER)
        zone = find_zone(tx)
        start, note = read_moment(arguments.start_time, zone=zone)
        start = start.astimezone(UTC)
        task, duration = planning.preview_schedule(
            tx,
            get_told_task(tx, arguments.task_id, caller).id,
            start=start,
            duration_minutes=arguments.duration_minutes,
            allow_overlap=arguments.allow_overlap,
        )
        named = arguments.calendar_id
        calendar = calendar_access.get_writable(tx, named) if named else None
        resolved = msgspec.structs.replace(
            arguments,
            task_id=task.id,
            start_time=write_time(start, zone),
            duration_minutes=duration // MINUTE,
        )
        when = describe_moments(start, start + duration, zone)
        parts = [
            f"Schedule the task {quote_words(task.title)}: {when}",
            f"on the calendar {quote_words(calendar.name)}" if calendar else "",
            OVERLAP_WORDS if arguments.allow_overlap else "",
            note,
        ]
        return resolved, "; ".join(filter(None, parts))

    async def run(self, arguments: ScheduleTaskArguments, caller: ToolCaller) -> ToolOutput:
        """Put the task on the calendar."""

        def write(tx: Tx) -> tuple[Scheduled, str]:
            resolved, _ = self.preview(tx, arguments, caller)
            zone = find_zone(tx)
            start, _ = read_moment(resolved.start_time, zone=zone)
            scheduled = planning.schedule_task(
                tx,
                resolved.task_id,
                start=start,
                duration_minutes=resolved.duration_minutes,
                calendar_id=resolved.calendar_id,
                allow_overlap=resolved.allow_overlap,
                made_by=caller.model,
                link=event_link(caller),
                log=self._log,
            )
            return scheduled, zone

        scheduled, zone = await self._db.write(write, by=caller.by)
        told = f"The task {scheduled.task.id} was put on the calendar as this event."
        return ToolOutput(
            quote_items([event_fields(scheduled.event, zone=zone)], after=told),
            written=(written_event(scheduled.event, "scheduled", zone=zone),),
        )
