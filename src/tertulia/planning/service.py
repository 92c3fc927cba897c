"""Tasks on the calendar: each person has an event of their own for when they want to do a task."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from tertulia.calendars import occurrences
from tertulia.calendars import service as calendars
from tertulia.calendars.domain import MADE_BY_PERSON, EventLink, NewEvent, Occurrence
from tertulia.core.clock import now
from tertulia.core.json_object import JsonObject
from tertulia.core.nul_characters import encode_storable_json
from tertulia.core.principal import Role
from tertulia.core.time_zones import day_in_zone
from tertulia.dates.wording import describe_moments
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.undo import PendingDeletion
from tertulia.live.member_topics import member_topic
from tertulia.planning import store
from tertulia.planning.day_parts import PartOfDay
from tertulia.planning.domain import Scheduled, ScheduledTask, SlotWish
from tertulia.planning.errors import NoSlotFree, ScheduleUnfit, TimeTaken
from tertulia.planning.free_slots import Slot
from tertulia.planning.preferences import find_zone, read_preferences
from tertulia.planning.slots import find_free_slots
from tertulia.tasks import access
from tertulia.tasks.domain import Task
from tertulia.tasks.events import TasksChanged

__all__ = ("find_free_slots", "schedule_task", "unschedule_task")

#: How long a task is taken to last that says nothing of it.
TASK_DEFAULT_DURATION = timedelta(minutes=60)
#: A task without a due date, or one that is over, is put on the calendar within so many days.
SCHEDULE_REACH = timedelta(days=28)


def schedule_task(
    tx: Tx,
    task_id: str,
    *,
    start: datetime | None = None,
    duration_minutes: int | None = None,
    preferred_time: PartOfDay | None = None,
    calendar_id: str | None = None,
    pinned: bool = False,
    allow_overlap: bool = False,
    made_by: str = MADE_BY_PERSON,
    link: EventLink | None = None,
    log: EventLog,
) -> Scheduled:
    """Put a task on the caller's calendar, or move it there: at a time, or in the first free slot.

    Raise `TimeTaken` where something blocks that time, and `NoSlotFree` where there is none.
    """
    tx.by.require(Role.MEMBER)
    task = access.get(tx, task_id)
    if task.is_done:
        raise ScheduleUnfit("The task is done. Take it up again before you put it on the calendar.")
    before = store.find(tx, task.id)
    duration = choose_duration(task, duration_minutes, before)
    if start is None:
        start = find_first_slot(tx, task, duration, preferred_time, before).start
    elif not allow_overlap:
        check_free(tx, start, start + duration, except_id=before.event_id if before else "")
    event = put_event(
        tx, task, start, duration, before=before, calendar_id=calendar_id, made_by=made_by, link=link, log=log
    )
    store.put(tx, task.id, event.object_id, pinned=pinned)
    publish_schedule(tx, task, log=log)
    return Scheduled(task, event)


def preview_schedule(
    tx: Tx, task_id: str, *, start: datetime, duration_minutes: int | None = None, allow_overlap: bool = False
) -> tuple[Task, timedelta]:
    """Return the task with how long it would lie on the caller's calendar; raise as `schedule_task` would."""
    task = access.get(tx, task_id)
    if task.is_done:
        raise ScheduleUnfit("The task is done. Take it up again before you put it on the calendar.")
    before = store.find(tx, task.id)
    duration = choose_duration(task, duration_minutes, before)
    if not allow_overlap:
        check_free(tx, start, start + duration, except_id=before.event_id if before else "")
    return task, duration


def unschedule_task(
    tx: Tx, task_id: str, *, made_by: str = MADE_BY_PERSON, log: EventLog
) -> PendingDeletion | None:
    """Take a task off the caller's calendar, which can be undone; None where it was not there."""
    tx.by.require(Role.MEMBER)
    task = access.get(tx, task_id)
    scheduled = store.find(tx, task.id)
    if scheduled is None:
        return None
    deletion = calendars.delete_event(tx, scheduled.event_id, made_by=made_by, log=log)
    publish_schedule(tx, task, log=log)
    return deletion


def pin_task(tx: Tx, task_id: str, *, pinned: bool, log: EventLog) -> Scheduled:
    """Let a task stay where it is on the calendar when it is planned again, or let it be moved."""
    tx.by.require(Role.MEMBER)
    task = access.get(tx, task_id)
    scheduled = store.find(tx, task.id)
    if scheduled is None:
        raise ScheduleUnfit("The task is not on your calendar. Schedule it first.")
    store.set_pinned(tx, task.id, pinned=pinned)
    publish_schedule(tx, task, log=log)
    return Scheduled(task, calendars.get_event(tx, scheduled.event_id))


def choose_duration(task: Task, minutes: int | None, before: ScheduledTask | None) -> timedelta:
    """Return how long a task takes: as said, as it lies on the calendar, as the task says, or an hour."""
    if minutes is not None:
        return timedelta(minutes=minutes)
    if before is not None:
        return before.ends_at - before.starts_at
    return timedelta(minutes=task.duration_minutes) if task.duration_minutes else TASK_DEFAULT_DURATION


def check_free(tx: Tx, start: datetime, end: datetime, *, except_id: str) -> None:
    """Raise `TimeTaken` where something else blocks a time."""
    zone = find_zone(tx)
    taken = [
        event
        for event in list_blocking(tx, start, end, zone)
        if event.object_id != except_id and event.start < end and start < event.end
    ]
    if taken:
        raise TimeTaken(describe_moments(start, end, zone), [tell_event(event) for event in taken])


def list_blocking(tx: Tx, start: datetime, end: datetime, zone: str) -> list[Occurrence]:
    """Return what blocks the caller's time between two moments."""
    found = occurrences.list_occurrences(tx, start=start, end=end, zone=zone)
    return [event for event in found if event.is_blocking]


def tell_event(event: Occurrence) -> JsonObject:
    """Return what is told of an event that is in the way."""
    return {
        "event_id": event.object_id,
        "title": event.title,
        "start": event.start.isoformat(),
        "end": event.end.isoformat(),
    }


def find_first_slot(
    tx: Tx, task: Task, duration: timedelta, part: PartOfDay | None, before: ScheduledTask | None
) -> Slot:
    """Return the first slot in which a task fits, before it is due if that can be."""
    ignored = frozenset([before.event_id]) if before else frozenset[str]()
    slot = find_slot(tx, task, duration, part, ignored=ignored)
    if slot is None:
        raise NoSlotFree(
            f"No {duration // timedelta(minutes=1)} minutes are free within your hours by then. "
            "Choose a time yourself, or make it shorter."
        )
    return slot


def find_slot(
    tx: Tx,
    task: Task,
    duration: timedelta,
    part: PartOfDay | None = None,
    *,
    from_day: date = date.min,
    ignored: frozenset[str] = frozenset(),
    busy: list[tuple[datetime, datetime]] | None = None,
) -> Slot | None:
    """Return the first slot for a task in the time that its person likes best, else in any of their hours."""
    zone, moment = find_zone(tx), now()
    first_day, last_day = days_of_task(task, max(day_in_zone(moment, zone), from_day))
    parts = [part] if part else [*read_preferences(tx).preferred_times, None]
    for tried in parts:
        wish = SlotWish(
            duration,
            first_day,
            last_day,
            tried,
            zone,
            not_before=moment,
            ignored_event_ids=ignored,
            busy=busy or (),
            limit=1,
        )
        found, _ = find_free_slots(tx, wish)
        if found:
            return found[0]
    return None


def days_of_task(task: Task, today: date) -> tuple[date, date]:
    """Return from which day to which a task is to be done: none of them past."""
    first = max(today, task.start_date) if task.start_date else today
    last = task.due_date if task.due_date and task.due_date >= first else first + SCHEDULE_REACH
    return first, min(last, first + timedelta(days=365))


def put_event(
    tx: Tx,
    task: Task,
    start: datetime,
    duration: timedelta,
    *,
    before: ScheduledTask | None,
    calendar_id: str | None,
    made_by: str,
    link: EventLink | None,
    log: EventLog,
) -> Occurrence:
    """Make the event of a task, or move the one that it has."""
    zone = find_zone(tx)
    begin = start.astimezone(ZoneInfo(zone))
    end = (start.astimezone(UTC) + duration).astimezone(ZoneInfo(zone))
    if before is not None:
        values: JsonObject = {"start": begin, "end": end, "calendar_id": calendar_id or before.calendar_id}
        return calendars.change_event(tx, before.event_id, values, made_by=made_by, link=link, log=log)
    new = NewEvent(task.title, begin, end, calendar_id, description=task.description, time_zone=zone)
    return calendars.create_event(tx, new, made_by=made_by, link=link, log=log)


def publish_schedule(tx: Tx, task: Task, *, log: EventLog) -> None:
    """Tell the caller's own devices that a task lies elsewhere; nobody else is told when they do it."""
    topic = member_topic(tx.by.workspace_id, tx.by.user_id)
    log.append(tx, topic, [encode_storable_json(TasksChanged(task.project_id))])
