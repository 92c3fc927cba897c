"""What a conversation is about besides its project: a task with its history, or a day with what it holds.

It is read as the audience of the conversation: of a shared one, nobody's calendar and nobody's own task.
"""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from tertulia.calendars.domain import EventStatus, Occurrence
from tertulia.calendars.occurrences import list_occurrences
from tertulia.context.domain import AnchorFacts
from tertulia.conversations.domain import Anchor, Conversation
from tertulia.core.errors import NotFound
from tertulia.dates.wording import describe_day, describe_weekday
from tertulia.infra.db import Tx
from tertulia.projects import access as projects
from tertulia.tasks import access as tasks
from tertulia.tasks import history, phase_access
from tertulia.tasks.domain import Task, TaskHistoryEntry
from tertulia.tasks.service import list_due

ANCHOR_EVENTS_MAX = 30
ANCHOR_TASKS_MAX = 30
ANCHOR_HISTORY_MAX = 8
ANCHOR_DESCRIPTION_MAX_CHARS = 2_000
ANCHOR_LINE_MAX_CHARS = 300


def read_anchor_facts(tx: Tx, conversation: Conversation, *, zone: str) -> AnchorFacts | None:
    """Return what a conversation is about, as far as all who read it may know."""
    if conversation.anchor_id is None:
        return None
    if conversation.anchor is Anchor.TASK:
        return task_facts(tx, conversation.anchor_id)
    if conversation.anchor is Anchor.DAY:
        return day_facts(tx, date.fromisoformat(conversation.anchor_id), zone=zone)
    return None


def task_facts(tx: Tx, task_id: str) -> AnchorFacts | None:
    """Return a task with its phase, its project and what became of it lately; None where it is not there."""
    try:
        task = tasks.get(tx, task_id)
    except NotFound:
        return None
    return AnchorFacts(Anchor.TASK, (("id", task.id),), tuple(task_lines(tx, task)))


def task_lines(tx: Tx, task: Task) -> Iterable[str]:
    """Yield the fields of a task that have something in them, and its history, newest first."""
    project = projects.get(tx, task.project_id) if task.project_id else None
    phase = phase_access.get(tx, task.phase_id) if task.phase_id else None
    fields = {
        "title": task.title,
        "status": task.status.value,
        "priority": task.priority.value,
        "start": describe_day(task.start_date) if task.start_date else "",
        "due": describe_day(task.due_date) if task.due_date else "",
        "duration": f"{task.duration_minutes} minutes" if task.duration_minutes else "",
        "recurs": task.rrule,
        "project": f"{project.name} ({project.id})" if project else "",
        "phase": f"{phase.name} ({phase.id})" if phase else "",
        "tags": ", ".join(task.tags),
    }
    for name, value in fields.items():
        if value:
            yield f"{name}: {to_line(value)}"
    if task.description:
        yield f"description: {to_line(task.description, ANCHOR_DESCRIPTION_MAX_CHARS)}"
    for entry in history.list_page(tx, task.id, after="", limit=ANCHOR_HISTORY_MAX):
        yield f"history: {history_line(entry)}"


def history_line(entry: TaskHistoryEntry) -> str:
    """Return one change of a task in a line."""
    changes = "; ".join(
        f"{name} from {before!r} to {after!r}" for name, (before, after) in entry.fields.items()
    )
    told = f"{entry.changed_at:%Y-%m-%d}, {entry.kind.value}, {entry.made_by}: {changes}"
    return to_line(told.rstrip(": "))


def day_facts(tx: Tx, day: date, *, zone: str) -> AnchorFacts:
    """Return a day, and of whoever alone reads it its events and the tasks that are due."""
    fields = (("date", day.isoformat()), ("weekday", describe_weekday(day)))
    due = list_due(tx, first_day=day, last_day=day)
    lines = [*day_events(tx, day, zone=zone), *map(due_line, due[:ANCHOR_TASKS_MAX])]
    if len(due) > ANCHOR_TASKS_MAX:
        lines.append(f"more: {len(due) - ANCHOR_TASKS_MAX} tasks")
    return AnchorFacts(Anchor.DAY, fields, tuple(lines))


def day_events(tx: Tx, day: date, *, zone: str) -> list[str]:
    """Return the caller's events of a day, each in a line; somebody who owns nothing has none."""
    if not tx.by.user_id:
        return []
    start = datetime.combine(day, time.min, ZoneInfo(zone))
    end = datetime.combine(day + timedelta(days=1), time.min, ZoneInfo(zone))
    found = list_occurrences(tx, start=start, end=end, zone=zone)
    events = [event for event in found if event.status is not EventStatus.CANCELLED]
    lines = [event_line(event, zone=zone) for event in events[:ANCHOR_EVENTS_MAX]]
    left = len(events) - len(lines)
    return [*lines, f"more: {left} events"] if left else lines


def event_line(event: Occurrence, *, zone: str) -> str:
    """Return an event of a day in a line."""
    place = f" ({event.location})" if event.location else ""
    return f"event {event.object_id}: {event_times(event, zone=zone)}, {to_line(event.title + place)}"


def event_times(event: Occurrence, *, zone: str) -> str:
    """Return from when to when an event lasts, in a zone."""
    if event.is_all_day:
        return "all day"
    start, end = (moment.astimezone(ZoneInfo(zone)) for moment in (event.start, event.end))
    return f"{start:%H:%M}\u2013{end:%H:%M}"


def due_line(task: Task) -> str:
    """Return a task that is due in a line."""
    return f"task {task.id}: {task.status.value}, {task.priority.value}, {to_line(task.title)}"


def to_line(words: str, max_chars: int = ANCHOR_LINE_MAX_CHARS) -> str:
    """Return words on one line, cut where they are too many."""
    joined = " ".join(words.split())
    return joined if len(joined) <= max_chars else f"{joined[: max_chars - 1]}…"
