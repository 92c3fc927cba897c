"""Free slots and replans on the wire."""

from datetime import timedelta
from typing import Annotated, Self
from zoneinfo import ZoneInfo

from pydantic import ConfigDict, Field, StringConstraints

from tertulia.accounts.schemas import TimeZoneName
from tertulia.core.clock import now
from tertulia.core.time_zones import day_in_zone
from tertulia.infra.http.schema import AnyCaseId, Schema, ValidUnicode, shared_fields
from tertulia.planning.day_parts import PartOfDay
from tertulia.planning.domain import (
    SLOTS_DEFAULT_COUNT,
    SLOTS_MAX_COUNT,
    Move,
    Replan,
    SlotWish,
    Unplaced,
)
from tertulia.planning.free_slots import Slot, WeekHours
from tertulia.planning.hours_given import read_hours
from tertulia.planning.preference_schemas import BufferMinutes, GivenHours
from tertulia.planning.times_given import read_busy_time, read_day

#: The longest that can be looked for: a week.
SLOT_DURATION_MAX_MINUTES = 7 * 24 * 60
BUSY_TIMES_MAX = 10_000
#: A day or time as ISO 8601 writes it, or in words.
GivenTime = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120), ValidUnicode
]


class BusyTime(Schema):
    """A time that is taken. Times without an offset are those of the zone; a day begins at its midnight."""

    #: A title and the like may stand beside the times, and count for nothing.
    model_config = ConfigDict(extra="ignore", from_attributes=True)

    start: GivenTime = Field(examples=["2026-11-20T09:00:00+01:00"])
    end: GivenTime = Field(examples=["2026-11-20T10:30:00+01:00"])


class SlotQuestionBody(Schema):
    """When does something fit?

    Slots lie within the working hours of the days from `start_date` to `end_date`, both included, and
    overlap nothing that blocks: no event on your calendars, at any of its times, and nothing in `busy`. What
    ends when a slot begins, or begins when it ends, is not in its way. There is a slot at the start of each
    free window, and then at every quarter of an hour on the clock, each as long as asked; they come in order,
    so that the first is the earliest. Where the clocks are changed, an hour that is left out is no time, and
    one that comes twice is there twice.
    """

    duration_minutes: Annotated[int, Field(ge=1, le=SLOT_DURATION_MAX_MINUTES)]
    start_date: GivenTime = Field(
        description="The first day as YYYY-MM-DD; with a time, no slot begins before that; words such as "
        "“tomorrow” are read too. Of today, only what is to come counts, except in a what-if question.",
        examples=["2026-11-20"],
    )
    end_date: GivenTime = Field(
        description="The last day, included; with a time, no slot ends after that.", examples=["2026-11-24"]
    )
    preferred_time: PartOfDay | None = Field(
        default=None,
        description="Only slots within this part of the day: morning until 12:00, afternoon from 12:00 to "
        "17:00, evening from 17:00. Working hours count, but an evening is free until 21:00 on days whose "
        "hours end before it.",
    )
    calendars: Annotated[list[AnyCaseId], Field(max_length=200)] | None = Field(
        default=None,
        description="Only events of these calendars block; left out, those of all. An empty list: none, so "
        "that only `busy` counts.",
    )
    busy: Annotated[list[BusyTime], Field(max_length=BUSY_TIMES_MAX)] = Field(
        default_factory=list[BusyTime],
        description="For what-if questions: times that are taken in addition to what your calendars say.",
    )
    working_hours: GivenHours | None = Field(
        default=None,
        description="For what-if questions, instead of your own: by weekday, where days that are left out "
        "have none, or one span, or a list of spans, for every day of the week.",
        examples=[{"monday": [{"start": "09:00", "end": "17:00"}]}, {"start": "09:00", "end": "17:00"}],
    )
    zone: TimeZoneName | None = Field(
        default=None, description="The zone of days, hours and times without an offset; left out, your own."
    )
    buffer_minutes: BufferMinutes | None = Field(
        default=None, description="Room to leave before and after what is taken; left out, as you prefer."
    )
    step_minutes: Annotated[int, Field(ge=1, le=24 * 60)] = 15
    limit: Annotated[int, Field(ge=1, le=SLOTS_MAX_COUNT)] = SLOTS_DEFAULT_COUNT

    @property
    def is_what_if(self) -> bool:
        """Tell whether this is about what would be."""
        return bool(self.model_fields_set & {"busy", "working_hours"})

    def to_wish(self, zone: str) -> SlotWish:
        """Return the question in a zone."""
        first = read_day(self.start_date, zone=zone)
        last = read_day(self.end_date, zone=zone, since=first.day)
        is_today = first.day == day_in_zone(now(), zone)
        return SlotWish(
            duration=timedelta(minutes=self.duration_minutes),
            first_day=first.day,
            last_day=last.day,
            part=self.preferred_time,
            zone=zone,
            hours=self.to_hours(),
            buffer=None if self.buffer_minutes is None else timedelta(minutes=self.buffer_minutes),
            step=timedelta(minutes=self.step_minutes),
            not_before=now() if is_today and not self.is_what_if else None,
            opens_at=first.moment,
            closes_at=last.moment,
            calendar_ids=self.calendars,
            busy=[read_busy_time(time.start, time.end, zone=zone) for time in self.busy],
            limit=self.limit,
        )

    def to_hours(self) -> WeekHours | None:
        """Return the hours that were sent."""
        return None if self.working_hours is None else read_hours(self.working_hours.to_spans())


class SlotView(Schema):
    """A free slot, as long as asked; RFC 3339 with the offset of the zone."""

    start: str = Field(examples=["2026-11-20T09:00:00+01:00"])
    end: str = Field(examples=["2026-11-20T10:00:00+01:00"])

    @classmethod
    def of(cls, slot: Slot, zone: ZoneInfo) -> Self:
        """Show a slot in a zone."""
        return cls(start=slot.start.astimezone(zone).isoformat(), end=slot.end.astimezone(zone).isoformat())


class SlotList(Schema):
    """The free slots in order, the earliest first, and whether there are more than these."""

    slots: list[SlotView]
    more: bool
    #: In which zone the question was answered.
    zone: str


class ReplanBody(Schema):
    """How to plan again."""

    #: Only tell what would be moved.
    dry_run: bool = False


class MoveView(Schema):
    """A task's event that was or would be moved, from when to when, and why."""

    task_id: str
    event_id: str
    title: str
    from_: SlotView = Field(alias="from", serialization_alias="from")
    to: SlotView
    reason: str

    model_config = ConfigDict(extra="forbid", populate_by_name=True, serialize_by_alias=True)

    @classmethod
    def of(cls, move: Move, zone: ZoneInfo) -> Self:
        """Show a move in a zone."""
        shown = {
            **shared_fields(move, cls),
            "from": SlotView.of(Slot(move.from_start, move.from_end), zone),
            "to": SlotView.of(Slot(move.to_start, move.to_end), zone),
        }
        return cls.model_validate(shown)


class UnplacedView(Schema):
    """A task's event that cannot be done when it lies, and for which there is no time."""

    task_id: str
    event_id: str
    title: str
    reason: str

    @classmethod
    def of(cls, unplaced: Unplaced) -> Self:
        """Show it."""
        return cls.model_validate(unplaced)


class ReplanView(Schema):
    """What was moved, or would be: with an id it can be undone."""

    id: str | None
    moves: list[MoveView]
    unplaced: list[UnplacedView]

    @classmethod
    def of(cls, replan: Replan, zone: str) -> Self:
        """Show a replan in a zone."""
        moves = [MoveView.of(move, ZoneInfo(zone)) for move in replan.moves]
        return cls(id=replan.id, moves=moves, unplaced=[UnplacedView.of(item) for item in replan.unplaced])
