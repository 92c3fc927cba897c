"""Reminders, and what people chose about them, in the database."""

from collections.abc import Collection
from datetime import datetime, timedelta

from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx, bound_list
from tertulia.reminders.domain import DueReminder, Reminder, ReminderChannel, ReminderPreferences

REMINDER_COLUMNS = """id, user_id, kind, subject_id, occurrence, recurrence_id, minutes, due_at, starts_at,
    is_late, snoozed_until, dismissed_at, created_at"""
OWN_SQL = "workspace_id = :workspace AND user_id = :me"
#: What was told in the app, and not by other ways alone.
IN_APP_SQL = """EXISTS (SELECT 1 FROM reminder_deliveries AS d WHERE d.reminder_id = reminders.id
    AND d.channel = 'app' AND d.workspace_id = :workspace)"""
WAITING_SQL = "dismissed_at IS NULL AND (snoozed_until IS NULL OR snoozed_until <= :now)"
#: Reminders are kept for so long after they were due; within the first day none is told twice.
REMINDER_RETENTION = timedelta(days=30)


def find_preferences(tx: Tx) -> ReminderPreferences:
    """Return what the caller chose."""
    sql = f"SELECT channels, reminds_of_tasks, task_minute FROM reminder_preferences WHERE {OWN_SQL}"
    return tx.one(ReminderPreferences, sql) or ReminderPreferences()


def set_preferences(tx: Tx, chosen: ReminderPreferences) -> None:
    """Keep what the caller chose."""
    tx.run(
        """INSERT INTO reminder_preferences
             (workspace_id, user_id, channels, reminds_of_tasks, task_minute, changed_at)
           VALUES (:workspace, :me, :channels, :reminds_of_tasks, :task_minute, :now)
           ON CONFLICT (workspace_id, user_id) DO UPDATE SET channels = :channels,
             reminds_of_tasks = :reminds_of_tasks, task_minute = :task_minute, changed_at = :now""",
        channels=[channel for channel in ReminderChannel if channel in chosen.channels],
        reminds_of_tasks=chosen.reminds_of_tasks,
        task_minute=chosen.task_minute,
        now=now(),
    )


def add(tx: Tx, due: DueReminder, *, is_late: bool) -> str | None:
    """Store a reminder of the caller's and return its id, or None where they had it before."""
    reminder_id = new_id("rem")
    added = tx.change(
        """INSERT INTO reminders (id, workspace_id, user_id, kind, subject_id, occurrence, recurrence_id,
             minutes, due_at, starts_at, is_late, created_at)
           VALUES (:id, :workspace, :me, :kind, :subject, :occurrence, :recurrence, :minutes, :due_at,
             :starts_at, :is_late, :now)
           ON CONFLICT (user_id, workspace_id, kind, subject_id, occurrence, minutes) DO NOTHING""",
        id=reminder_id,
        kind=due.kind,
        subject=due.subject_id,
        occurrence=due.occurrence,
        recurrence=due.recurrence_id,
        minutes=due.minutes,
        due_at=due.due_at,
        starts_at=due.starts_at,
        is_late=is_late,
        now=now(),
    )
    return reminder_id if added else None


def find(tx: Tx, reminder_id: str) -> Reminder | None:
    """Return a reminder of the caller's."""
    return tx.one(
        Reminder, f"SELECT {REMINDER_COLUMNS} FROM reminders WHERE id = :id AND {OWN_SQL}", id=reminder_id
    )


def list_waiting(tx: Tx, *, at: datetime, limit: int) -> list[Reminder]:
    """Return the caller's reminders that were neither dismissed nor put off, the newest first."""
    sql = f"""SELECT {REMINDER_COLUMNS} FROM reminders WHERE {OWN_SQL} AND {WAITING_SQL} AND {IN_APP_SQL}
        ORDER BY due_at DESC, id DESC LIMIT :limit"""
    return tx.all(Reminder, sql, now=at, limit=limit)


def list_recent(tx: Tx, *, at: datetime, limit: int) -> list[Reminder]:
    """Return the caller's reminders that were dismissed or put off, the newest first."""
    sql = f"""SELECT {REMINDER_COLUMNS} FROM reminders WHERE {OWN_SQL} AND NOT ({WAITING_SQL})
        AND {IN_APP_SQL} ORDER BY due_at DESC, id DESC LIMIT :limit"""
    return tx.all(Reminder, sql, now=at, limit=limit)


def dismiss(tx: Tx, reminder_ids: Collection[str]) -> None:
    """Let the caller see no more of reminders."""
    sql = f"""UPDATE reminders SET dismissed_at = :now WHERE id IN {bound_list("ids")} AND {OWN_SQL}
        AND dismissed_at IS NULL"""
    tx.run(sql, ids=list(reminder_ids), now=now())


def snooze(tx: Tx, reminder_id: str, *, until: datetime) -> None:
    """Let the caller see a reminder again at a later moment."""
    sql = f"UPDATE reminders SET snoozed_until = :until, dismissed_at = NULL WHERE id = :id AND {OWN_SQL}"
    tx.run(sql, id=reminder_id, until=until)


def delete_old(tx: Tx, *, at: datetime) -> None:
    """Forget reminders of long ago; for housekeeping."""
    sql = """DELETE FROM reminders WHERE due_at < :before AND coalesce(snoozed_until, 0) < :before"""
    tx.run(sql, before=at - REMINDER_RETENTION)
