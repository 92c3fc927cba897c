"""What planning knows: how a person's time is divided, tasks on calendars, and moves."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from tertulia.calendars.domain import Occurrence
from tertulia.planning.day_parts import PartOfDay
from tertulia.planning.free_slots import SLOT_STEP, WeekHours
from tertulia.planning.hours_given import DEFAULT_HOURS
from tertulia.tasks.domain import Task

#: Slots that are told where nobody says how many.
SLOTS_DEFAULT_COUNT = 1_000
SLOTS_MAX_COUNT = 5_000


@dataclass(frozen=True, slots=True)
class CalendarPreferences:
    """When a person works, how much room they want between events, and when they like to do things."""

    #: Empty: that of the person's profile.
    time_zone: str = ""
    #: By the name of the weekday: spans such as `{"start": "09:00", "end": "17:00"}`.
    working_hours: dict[str, list[dict[str, str]]] = field(default_factory=lambda: dict(DEFAULT_HOURS))
    buffer_minutes: int = 0
    #: The first counts most.
    preferred_times: list[PartOfDay] = field(default_factory=list[PartOfDay])


@dataclass(frozen=True, slots=True)
class SlotWish:
    """When something is to fit: what is None is as the person's preferences have it."""

    duration: timedelta
    first_day: date
    last_day: date
    part: PartOfDay | None = None
    zone: str | None = None
    hours: WeekHours | None = None
    buffer: timedelta | None = None
    step: timedelta = SLOT_STEP
    #: The moment that it is: nothing begins before the next step.
    not_before: datetime | None = None
    #: Where times are given with the days: nothing lies outside of these.
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    #: None: all of the person's calendars; none: only what is busy besides.
    calendar_ids: Sequence[str] | None = None
    #: What is busy besides the events of calendars.
    busy: Sequence[tuple[datetime, datetime]] = ()
    #: Tasks on the calendar by their events, whose time counts as free.
    ignored_event_ids: frozenset[str] = frozenset()
    limit: int = SLOTS_DEFAULT_COUNT


@dataclass(frozen=True, slots=True)
class ScheduledTask:
    """A task on its person's calendar: which event, and when that lies."""

    task_id: str
    event_id: str
    calendar_id: str
    starts_at: datetime
    ends_at: datetime
    pinned: bool


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A task, and the event at which it is to be done."""

    task: Task
    event: Occurrence


@dataclass(frozen=True, slots=True)
class Move:
    """A task's event that is to lie elsewhere, and why."""

    task_id: str
    event_id: str
    title: str
    from_start: datetime
    from_end: datetime
    to_start: datetime
    to_end: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A task's event that cannot stay, and for which there is no time."""

    task_id: str
    event_id: str
    title: str
    reason: str


@dataclass(frozen=True, slots=True)
class Replan:
    """What planning again moved or would move; without an id nothing was changed."""

    id: str | None
    moves: list[Move]
    unplaced: list[Unplaced]


@dataclass(frozen=True, slots=True)
class StoredMove:
    """What is kept of a move so that it can be undone: an event, and from when to when it lay."""

    event_id: str
    task_id: str
    from_ms: tuple[int, int]
    to_ms: tuple[int, int]


@dataclass(frozen=True, slots=True)
class StoredReplan:
    """A replan that was made."""

    id: str
    moves: list[StoredMove]
    created_at: datetime
    undone_at: datetime | None


@dataclass(frozen=True, slots=True)
class SuggestedSlot:
    """When a task that is due could be done today."""

    task: Task
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class DayPlan:
    """What a day holds for a person."""

    day: date
    zone: str
    events: list[Occurrence]
    tasks: list[Task]
    overdue: list[Task]
    slots: list[SuggestedSlot]
