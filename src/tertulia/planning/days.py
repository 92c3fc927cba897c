"""What a day holds for a person: events, tasks that are due or late, and when those could be done."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from tertulia.calendars import occurrences
from tertulia.core.clock import now
from tertulia.core.time_zones import day_in_zone
from tertulia.infra.db import Tx
from tertulia.planning import store
from tertulia.planning.domain import DayPlan, SlotWish, SuggestedSlot
from tertulia.planning.preferences import find_zone
from tertulia.planning.slots import find_free_slots, span_of_days
from tertulia.tasks import service as tasks
from tertulia.tasks.domain import Task

#: So long may a task be late and still be shown.
OVERDUE_REACH = timedelta(days=3650)
#: More suggestions than these would be no help.
SUGGESTIONS_MAX_COUNT = 10
DAY = timedelta(days=1)


def plan_day(tx: Tx, day: date | None = None, *, zone_hint: str = "") -> DayPlan:
    """Return what a day holds for the caller, today if none is named."""
    zone = find_zone(tx, zone_hint)
    moment = now()
    today = day_in_zone(moment, zone)
    chosen = day or today
    start, end = span_of_days(SlotWish(DAY, chosen, chosen), zone)
    events = occurrences.list_occurrences(tx, start=start, end=end, zone=zone)
    due = list_mine(tx, chosen, chosen)
    overdue = list_mine(tx, chosen - OVERDUE_REACH, chosen - DAY)
    slots = [] if chosen < today else suggest_slots(tx, [*overdue, *due], chosen, zone, moment)
    return DayPlan(chosen, zone, events, due, overdue, slots)


def list_mine(tx: Tx, first_day: date, last_day: date) -> list[Task]:
    """Return the tasks left to do whose day is one of these, but for those that others are to do."""
    found = tasks.list_due(tx, first_day=first_day, last_day=last_day)
    return [task for task in found if task.assignee_id in (None, tx.by.user_id)]


def suggest_slots(
    tx: Tx, found: Sequence[Task], day: date, zone: str, moment: datetime
) -> list[SuggestedSlot]:
    """Return when tasks with a duration that are not on the calendar could be done, one after the other."""
    lengths = {task.id: task.duration_minutes for task in found if task.duration_minutes}
    placed = store.list_task_ids(tx, lengths) if lengths else set[str]()
    busy: list[tuple[datetime, datetime]] = []
    slots: list[SuggestedSlot] = []
    for task in found:
        minutes = lengths.get(task.id)
        if (
            minutes is None
            or task.id in placed
            or len(slots) == SUGGESTIONS_MAX_COUNT
            or minutes >= DAY // timedelta(minutes=1)
        ):
            continue
        wish = SlotWish(
            timedelta(minutes=minutes), day, day, zone=zone, not_before=moment, busy=busy, limit=1
        )
        free, _ = find_free_slots(tx, wish)
        if free:
            busy.append((free[0].start, free[0].end))
            slots.append(SuggestedSlot(task, free[0].start, free[0].end))
    return slots
