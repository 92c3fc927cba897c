"""What a reminder says, in an e-mail and in a notification: its person's own words, and nobody else's."""

from datetime import date
from urllib.parse import urlencode

from tertulia.core.time_zones import day_in_zone
from tertulia.core.truncation import truncate
from tertulia.dates.wording import describe_day, describe_moment
from tertulia.reminders.domain import Reminder, ReminderKind, ReminderMessage, ReminderSubject

#: A notification has little room, and an encrypted one at most 4 KB.
TITLE_MAX_CHARS = 200
LOCATION_MAX_CHARS = 200
NO_TITLE = "Without a title"
LATE_LINE = "This reminder is late: the server was not running when it was due."


def describe_reminder(reminder: Reminder, subject: ReminderSubject, *, zone: str) -> ReminderMessage:
    """Return the words of a reminder."""
    lines = [describe_when(reminder, subject, zone=zone)]
    if subject.location:
        lines.append(to_one_line(subject.location, LOCATION_MAX_CHARS))
    if reminder.is_late:
        lines.append(LATE_LINE)
    title = to_one_line(subject.title, TITLE_MAX_CHARS) or NO_TITLE
    return ReminderMessage(title, "\n".join(lines), path_of(reminder, subject, zone=zone), reminder.id)


def describe_when(reminder: Reminder, subject: ReminderSubject, *, zone: str) -> str:
    """Return when something is, as a person reads it."""
    if reminder.kind is ReminderKind.TASK:
        return f"Due on {describe_day(date.fromisoformat(subject.day))}"
    if subject.day or subject.starts_at is None:
        return describe_day(date.fromisoformat(subject.day))
    return describe_moment(subject.starts_at, zone)


def path_of(reminder: Reminder, subject: ReminderSubject, *, zone: str) -> str:
    """Return where in the app something is shown."""
    if reminder.kind is ReminderKind.TASK:
        return f"/tasks/{reminder.subject_id}"
    day = subject.day or (day_in_zone(subject.starts_at, zone).isoformat() if subject.starts_at else "")
    query = {"date": day, "event": reminder.subject_id, "time": reminder.recurrence_id or ""}
    return f"/calendar?{urlencode({name: value for name, value in query.items() if value})}"


def to_one_line(text: str, most: int) -> str:
    """Return a text on one line, without characters that control something, and cut where it is long."""
    return truncate(" ".join("".join(map(_printable, text)).split()), most)


def _printable(character: str) -> str:
    return character if character.isprintable() else " "
