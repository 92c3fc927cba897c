"""Planning again: tasks whose time is taken, over or too late are moved, with reasons and one undo."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from tertulia.calendars import service as calendars
from tertulia.calendars.domain import MADE_BY_PERSON, Occurrence
from tertulia.core.clock import from_ms, now, to_ms
from tertulia.core.errors import Kind, NotFound, TertuliaError
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Role
from tertulia.dates.wording import describe_day
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.planning import service, store
from tertulia.planning.domain import Move, Replan, ScheduledTask, StoredMove, Unplaced
from tertulia.planning.free_slots import Slot
from tertulia.planning.preferences import find_zone
from tertulia.tasks import access
from tertulia.tasks.domain import Task, TaskPriority

#: Tasks whose time was over this long ago are left where they are.
MISSED_REACH = timedelta(days=14)
#: What lies further ahead is planned again when it is nearer.
REPLAN_REACH = timedelta(days=60)
PRIORITY_ORDER = {TaskPriority.HIGH: 0, TaskPriority.MEDIUM: 1, TaskPriority.LOW: 2}


class ReplanUndone(TertuliaError):
    """A replan was undone before."""

    kind = Kind.CONFLICT
    code = "replan_undone"

    def __init__(self) -> None:
        super().__init__("These moves were undone before. Plan again to move tasks once more.")


def plan_again(tx: Tx, *, dry_run: bool = False, made_by: str = MADE_BY_PERSON, log: EventLog) -> Replan:
    """Move the caller's unpinned tasks that cannot be done when they lie; with `dry_run` only tell it."""
    tx.by.require(Role.MEMBER)
    moves, unplaced = plan_moves(tx)
    if dry_run or not moves:
        return Replan(None, moves, unplaced)
    for move in moves:
        move_event(tx, move.event_id, move.to_start, move.to_end, made_by=made_by, log=log)
    replan_id = store.add_replan(tx, [store_move(move) for move in moves])
    for task in access.find_many(tx, [move.task_id for move in moves]):
        service.publish_schedule(tx, task, log=log)
    return Replan(replan_id, moves, unplaced)


def undo_replan(tx: Tx, replan_id: str, *, made_by: str = MADE_BY_PERSON, log: EventLog) -> Replan:
    """Move back what a replan moved and nobody has touched since; return those moves."""
    tx.by.require(Role.MEMBER)
    replan = store.find_replan(tx, replan_id)
    if replan is None:
        raise NotFound("replan")
    if replan.undone_at is not None:
        raise ReplanUndone
    store.mark_undone(tx, replan.id)
    moves: list[Move] = []
    for stored in replan.moves:
        task = next(iter(access.find_many(tx, [stored.task_id])), None)
        scheduled = store.find(tx, stored.task_id)
        if (
            task is None
            or scheduled is None
            or scheduled.event_id != stored.event_id
            or not lies_at(scheduled, stored.to_ms)
        ):
            continue
        back = build_move(
            task, scheduled, from_ms(stored.from_ms[0]), from_ms(stored.from_ms[1]), "Moved back."
        )
        move_event(tx, back.event_id, back.to_start, back.to_end, made_by=made_by, log=log)
        service.publish_schedule(tx, task, log=log)
        moves.append(back)
    return Replan(replan.id, moves, [])


def plan_moves(tx: Tx) -> tuple[list[Move], list[Unplaced]]:
    """Return what has to be moved, where to and why, and what has to but cannot."""
    moment, zone = now(), find_zone(tx)
    scheduled = list_movable(tx, moment)
    events = service.list_blocking(tx, moment - MISSED_REACH, moment + REPLAN_REACH, zone)
    movable_ids = {item.event_id for _, item in scheduled}
    taken = [event for event in events if event.object_id not in movable_ids]
    moves: list[Move] = []
    unplaced: list[Unplaced] = []
    waiting: list[tuple[Task, ScheduledTask, str]] = []
    by_event = {event.object_id: event for event in events}
    for task, item in scheduled:
        reason = find_reason(task, item, taken, moment, zone)
        if reason:
            waiting.append((task, item, reason))
        elif item.event_id in by_event:
            taken.append(by_event[item.event_id])
    # Those that go elsewhere find room around all that stay.
    ignored = frozenset(item.event_id for _, item, _ in waiting)
    busy: list[tuple[datetime, datetime]] = []
    for task, item, reason in waiting:
        slot = find_new_slot(tx, task, item, zone, ignored=ignored, busy=busy)
        if slot is None:
            told = f"{reason} There is no free time for it within your hours."
            unplaced.append(Unplaced(task.id, item.event_id, task.title, told))
            continue
        busy.append((slot.start, slot.end))
        moves.append(build_move(task, item, slot.start, slot.end, reason))
    return moves, unplaced


def find_new_slot(
    tx: Tx,
    task: Task,
    item: ScheduledTask,
    zone: str,
    *,
    ignored: frozenset[str],
    busy: list[tuple[datetime, datetime]],
) -> Slot | None:
    """Return where a task is moved to: from the day on which it lay on, or earlier where that cannot be."""
    duration, day = item.ends_at - item.starts_at, item.starts_at.astimezone(ZoneInfo(zone)).date()
    later = None
    if task.due_date is None or day <= task.due_date:
        later = service.find_slot(tx, task, duration, from_day=day, ignored=ignored, busy=busy)
    return later or service.find_slot(tx, task, duration, ignored=ignored, busy=busy)


def list_movable(tx: Tx, moment: datetime) -> list[tuple[Task, ScheduledTask]]:
    """Return the caller's unpinned tasks on the calendar that are left to do: who may stay first."""
    found = {item.task_id: item for item in store.list_from(tx, moment - MISSED_REACH) if not item.pinned}
    tasks = [task for task in access.find_many(tx, list(found)) if not task.is_done]
    # What is under way stays.
    pairs = [(task, found[task.id]) for task in tasks if not is_under_way(found[task.id], moment)]
    return sorted(pairs, key=rank)


def is_under_way(item: ScheduledTask, moment: datetime) -> bool:
    """Tell whether the time of a task has begun and is not over."""
    return item.starts_at <= moment < item.ends_at


def rank(pair: tuple[Task, ScheduledTask]) -> tuple[int, str, datetime, str]:
    """Return by what tasks are ordered: by priority, then by when they are due, then as they lie."""
    task, item = pair
    due = task.due_date.isoformat() if task.due_date else "9999"
    return PRIORITY_ORDER[task.priority], due, item.starts_at, task.id


def find_reason(
    task: Task, item: ScheduledTask, taken: Sequence[Occurrence], moment: datetime, zone: str
) -> str:
    """Return why a task cannot be done when it lies, as a sentence; empty where it can."""
    if item.ends_at <= moment:
        return "Its time is over, and it is not done."
    first = item.starts_at.astimezone(ZoneInfo(zone)).date()
    # What ends at midnight ends on the day before.
    last = (item.ends_at - timedelta(milliseconds=1)).astimezone(ZoneInfo(zone)).date()
    if task.due_date is not None and last > task.due_date >= moment.astimezone(ZoneInfo(zone)).date():
        return f"It is due on {describe_day(task.due_date)}, before it would be done."
    if task.start_date is not None and first < task.start_date:
        return f"It cannot begin before {describe_day(task.start_date)}."
    for event in taken:
        if event.start < item.ends_at and item.starts_at < event.end:
            return f"“{event.title}” is at the same time."
    return ""


def build_move(task: Task, item: ScheduledTask, start: datetime, end: datetime, reason: str) -> Move:
    """Return a move of a task's event."""
    return Move(task.id, item.event_id, task.title, item.starts_at, item.ends_at, start, end, reason)


def store_move(move: Move) -> StoredMove:
    """Return what is kept of a move."""
    before = (to_ms(move.from_start), to_ms(move.from_end))
    return StoredMove(move.event_id, move.task_id, before, (to_ms(move.to_start), to_ms(move.to_end)))


def lies_at(item: ScheduledTask, place: tuple[int, int]) -> bool:
    """Tell whether a task's event lies where it was moved to."""
    return (to_ms(item.starts_at), to_ms(item.ends_at)) == tuple(place)


def move_event(
    tx: Tx, event_id: str, start: datetime, end: datetime, *, made_by: str, log: EventLog
) -> Occurrence:
    """Move an event."""
    zone = ZoneInfo(find_zone(tx))
    values: JsonObject = {
        "start": start.astimezone(UTC).astimezone(zone),
        "end": end.astimezone(UTC).astimezone(zone),
    }
    return calendars.change_event(tx, event_id, values, made_by=made_by, log=log)
