"""Tasks on the calendar, and what a day holds, on the wire."""

from datetime import date
from typing import Annotated, Self
from zoneinfo import ZoneInfo

from pydantic import Field

from tertulia.calendars.schemas import EventView, view_events
from tertulia.dates.wording import describe_weekday
from tertulia.infra.db import Tx
from tertulia.infra.http.schema import AnyCaseId, Schema
from tertulia.planning.day_parts import PartOfDay
from tertulia.planning.domain import DayPlan, Scheduled, SuggestedSlot
from tertulia.planning.free_slots import Slot
from tertulia.planning.schemas import SLOT_DURATION_MAX_MINUTES, GivenTime, SlotView
from tertulia.tasks.schemas import TaskView, view_tasks


class ScheduleBody(Schema):
    """When you want to do a task; without `start`, in the first slot that is free and liked."""

    start: GivenTime | None = Field(
        default=None,
        description="A moment, a time of your zone, or words such as “Friday at 4 pm”.",
        examples=["2026-11-20T16:00:00+01:00"],
    )
    duration_minutes: Annotated[int, Field(ge=1, le=SLOT_DURATION_MAX_MINUTES)] | None = Field(
        default=None,
        description="Left out: as long as the event that it has, or as the task says, or an hour.",
    )
    preferred_time: PartOfDay | None = None
    calendar_id: AnyCaseId | None = None
    pinned: bool = Field(default=False, description="A pinned task stays where it is when you plan again.")
    allow_overlap: bool = Field(default=False, description="Take a time although something else lies there.")


class PinBody(Schema):
    """Whether a task stays where it is when you plan again."""

    pinned: bool


class ScheduledView(Schema):
    """A task, and the event of your calendar at which you want to do it."""

    task: TaskView
    event: EventView

    @classmethod
    def of(cls, tx: Tx, scheduled: Scheduled) -> Self:
        """Show it to the caller."""
        return cls(task=view_tasks(tx, [scheduled.task])[0], event=view_events(tx, [scheduled.event])[0])


class SuggestedSlotView(SlotView):
    """When a task that is due could be done."""

    task_id: str
    title: str

    @classmethod
    def of_suggestion(cls, suggested: SuggestedSlot, zone: ZoneInfo) -> Self:
        """Show a suggestion in a zone."""
        slot = SlotView.of(Slot(suggested.start, suggested.end), zone)
        return cls(start=slot.start, end=slot.end, task_id=suggested.task.id, title=suggested.task.title)


class TodayView(Schema):
    """What a day holds: events, tasks that are due or late, and when those with a duration could be done."""

    date: date
    weekday: str
    zone: str
    events: list[EventView]
    tasks: list[TaskView]
    overdue: list[TaskView]
    slots: list[SuggestedSlotView]

    @classmethod
    def of(cls, tx: Tx, plan: DayPlan) -> Self:
        """Show a day to the caller."""
        zone = ZoneInfo(plan.zone)
        return cls(
            date=plan.day,
            weekday=describe_weekday(plan.day),
            zone=plan.zone,
            events=view_events(tx, plan.events),
            tasks=view_tasks(tx, plan.tasks),
            overdue=view_tasks(tx, plan.overdue),
            slots=[SuggestedSlotView.of_suggestion(slot, zone) for slot in plan.slots],
        )
