"""Which reminders are due between two moments: reckoned from events and tasks, and nothing else."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from tertulia.calendars.domain import EventStatus, Occurrence
from tertulia.reminders.domain import DueReminder, ReminderKind
from tertulia.tasks.domain import Task


def list_event_reminders(
    occurrences: Iterable[Occurrence], *, since: datetime, until: datetime
) -> Iterator[DueReminder]:
    """Yield the reminders of events that are due from one moment to another, both meant."""
    for occurrence in occurrences:
        if occurrence.status is EventStatus.CANCELLED:
            continue
        start = occurrence.start.astimezone(UTC)
        for minutes in sorted(set(occurrence.reminders)):
            due_at = start - timedelta(minutes=minutes)
            if since <= due_at <= until:
                yield DueReminder(
                    ReminderKind.EVENT,
                    occurrence.object_id,
                    occurrence_key(occurrence),
                    due_at,
                    start,
                    occurrence.recurrence_id,
                    minutes,
                )


def occurrence_key(occurrence: Occurrence) -> str:
    """Return what tells a time of an event from all others, and from itself once it is moved."""
    start = occurrence.start.astimezone(UTC).isoformat(timespec="seconds")
    return f"{occurrence.recurrence_id or ''}@{start}"


def list_task_reminders(
    tasks: Iterable[Task], *, minute: int, zone: ZoneInfo, since: datetime, until: datetime
) -> Iterator[DueReminder]:
    """Yield the reminders of tasks that are due from one moment to another, both meant."""
    for task in tasks:
        if task.due_date is None or task.is_done:
            continue
        due_at = moment_of(task.due_date, minute=minute, zone=zone)
        if since <= due_at <= until:
            yield DueReminder(ReminderKind.TASK, task.id, task.due_date.isoformat(), due_at, due_at)


def moment_of(day: date, *, minute: int, zone: ZoneInfo) -> datetime:
    """Return when a clock shows a time of a day: the first time, or as much later where it leaves it out."""
    shown = datetime.combine(day, time(minute // 60, minute % 60), tzinfo=zone)
    return shown.astimezone(UTC)
