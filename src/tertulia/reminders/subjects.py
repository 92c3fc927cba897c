"""What reminders are about: events of a person's calendars, and tasks that are theirs to do."""

import logging
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from tertulia.calendars import occurrences
from tertulia.calendars import service as calendars
from tertulia.calendars.domain import EventStatus, Occurrence
from tertulia.calendars.errors import TooManyOccurrences
from tertulia.core.errors import NotFound
from tertulia.core.time_zones import day_in_zone
from tertulia.infra.db import Tx
from tertulia.planning import preferences as planning
from tertulia.reminders.domain import (
    REMINDER_LAG_MAX,
    REMINDER_LEAD_MAX,
    SHORT_REMINDER_LEAD,
    DueReminder,
    Reminder,
    ReminderKind,
    ReminderPreferences,
    ReminderSubject,
)
from tertulia.reminders.due_times import list_event_reminders, list_task_reminders, occurrence_key
from tertulia.tasks import access as tasks
from tertulia.tasks import service as task_service
from tertulia.tasks.domain import Task

log = logging.getLogger("tertulia.reminders")


def find_zone(tx: Tx) -> str:
    """Return the time zone in which the caller plans."""
    return planning.find_zone(tx)


def list_due(tx: Tx, chosen: ReminderPreferences, *, since: datetime, until: datetime) -> list[DueReminder]:
    """Return what the caller is to be reminded of from one moment to another, the first first."""
    zone = find_zone(tx)
    due = list(
        list_event_reminders(list_events(tx, zone, since=since, until=until), since=since, until=until)
    )
    if chosen.reminds_of_tasks:
        own = list_own_tasks(tx, first_day=day_in_zone(since, zone), last_day=day_in_zone(until, zone))
        due += list_task_reminders(
            own, minute=chosen.task_minute, zone=ZoneInfo(zone), since=since, until=until
        )
    return sorted(due, key=lambda reminder: (reminder.due_at, reminder.subject_id, reminder.minutes))


def list_events(tx: Tx, zone: str, *, since: datetime, until: datetime) -> list[Occurrence]:
    """Return the times of events of which a reminder may be due from one moment to another.

    Where there are too many, fewer days are looked through; where those have too many as well, there is
    none: tasks are told all the same.
    """
    start = since - REMINDER_LAG_MAX
    for lead in (REMINDER_LEAD_MAX, SHORT_REMINDER_LEAD):
        try:
            return occurrences.list_occurrences(tx, start=start, end=until + lead, zone=zone)
        except TooManyOccurrences:
            continue
    log.info("The calendars of %s have too many events to remind of them.", tx.by.user_id)
    return []


def list_own_tasks(tx: Tx, *, first_day: date, last_day: date) -> list[Task]:
    """Return the tasks left to do on some days that were given to the caller, or are theirs and nobody's."""
    found = task_service.list_due(tx, first_day=first_day, last_day=last_day)
    return [task for task in found if belongs_to(task, tx.by.user_id)]


def belongs_to(task: Task, user_id: str) -> bool:
    """Tell whether somebody is the one to be reminded of a task."""
    return (task.assignee_id or task.owner_id) == user_id


def find_subject(tx: Tx, reminder: Reminder) -> ReminderSubject | None:
    """Return what a reminder of the caller's is about; None where it is gone, done, moved or given away."""
    if reminder.kind is ReminderKind.TASK:
        return find_task(tx, reminder)
    return find_event(tx, reminder)


def find_task(tx: Tx, reminder: Reminder) -> ReminderSubject | None:
    """Return the task of a reminder, if it is still due that day and the caller's to do."""
    found = tasks.find_many(tx, [reminder.subject_id])
    if not found or found[0].is_done or not belongs_to(found[0], tx.by.user_id):
        return None
    task = found[0]
    if task.due_date is None or task.due_date.isoformat() != reminder.occurrence:
        return None
    return ReminderSubject(task.title, None, reminder.occurrence, project_id=task.project_id)


def find_event(tx: Tx, reminder: Reminder) -> ReminderSubject | None:
    """Return the event of a reminder, if it still happens at that time."""
    try:
        event = calendars.get_event(tx, reminder.subject_id, reminder.recurrence_id)
    except NotFound:
        return None
    if event.status is EventStatus.CANCELLED or occurrence_key(event) != reminder.occurrence:
        return None
    day = event.first_day.isoformat() if event.is_all_day and event.first_day else ""
    return ReminderSubject(event.title, event.start.astimezone(UTC), day, event.location)
