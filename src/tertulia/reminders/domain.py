"""What a reminder is, how it reaches its person, and what they choose about it."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

#: When in a day somebody who chose nothing is reminded of what is due on it, in minutes after midnight.
DEFAULT_TASK_MINUTE = 9 * 60
MINUTES_PER_DAY = 24 * 60
#: A reminder that lies further before its event than this is not looked for: four weeks.
REMINDER_LEAD_MAX = timedelta(weeks=4)
#: Where a calendar holds more than can be looked through, this has to do.
SHORT_REMINDER_LEAD = timedelta(days=1)
#: A reminder may also be set for a time after the start of its event, such as the morning of a whole day.
REMINDER_LAG_MAX = timedelta(days=1)
#: Reminders that a server which was down had missed are told late, and older ones not at all.
LATE_REMINDERS_MAX = timedelta(days=1)
#: A reminder told so much after its time is marked as late.
LATE_AFTER = timedelta(minutes=3)
SNOOZE_MAX_MINUTES = 7 * MINUTES_PER_DAY


class ReminderChannel(StrEnum):
    """By which way a person is reminded."""

    APP = "app"
    EMAIL = "email"
    PUSH = "push"


class ReminderKind(StrEnum):
    """What somebody is reminded of."""

    EVENT = "event"
    TASK = "task"


class DeliveryStatus(StrEnum):
    """How far a reminder has come by one channel."""

    WAITING = "waiting"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    #: Not sent: it was dismissed, or what it was about has changed.
    DROPPED = "dropped"
    #: The process ended, or the connection, after it may have gone out: it is not sent again.
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ReminderPreferences:
    """What a person chose about reminders."""

    channels: Collection[ReminderChannel] = tuple(ReminderChannel)
    reminds_of_tasks: bool = True
    task_minute: int = DEFAULT_TASK_MINUTE


@dataclass(frozen=True, slots=True)
class DueReminder:
    """What somebody is to be reminded of, and when: told once for the same time of the same thing."""

    kind: ReminderKind
    subject_id: str
    #: Which time of the event, with its start; or the due day of the task.
    occurrence: str
    due_at: datetime
    starts_at: datetime
    recurrence_id: str | None = None
    minutes: int = 0


@dataclass(frozen=True, slots=True)
class Reminder:
    """A reminder that was due."""

    id: str
    user_id: str
    kind: ReminderKind
    subject_id: str
    occurrence: str
    recurrence_id: str | None
    minutes: int
    due_at: datetime
    starts_at: datetime
    is_late: bool
    snoozed_until: datetime | None
    dismissed_at: datetime | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ReminderPlan:
    """When next to look for reminders of a person; `version` tells whether something changed meanwhile."""

    id: str
    workspace_id: str
    user_id: str
    planned_at: datetime | None
    version: int


@dataclass(frozen=True, slots=True)
class ReminderDelivery:
    """A reminder on its way by one channel, claimed by whoever sends it."""

    reminder_id: str
    channel: ReminderChannel
    target: str
    workspace_id: str
    user_id: str
    status: DeliveryStatus
    attempts: int
    claim: str
    problem: str


@dataclass(frozen=True, slots=True)
class ReminderSubject:
    """What a reminder is about, as its person reads it."""

    title: str
    #: None for a task: it is due on a day.
    starts_at: datetime | None
    #: The due day of a task, or the first day of an all-day event.
    day: str = ""
    location: str = ""
    project_id: str | None = None


@dataclass(frozen=True, slots=True)
class ReminderMessage:
    """The words of a reminder, for an e-mail and for a notification."""

    title: str
    text: str
    #: Where in the app it leads to.
    path: str
    #: Messages with the same tag take each other's place on a device.
    tag: str
    #: Until when it is worth showing, in seconds from now.
    ttl_seconds: int = 24 * 3600


@dataclass(frozen=True, slots=True)
class PushSubscription:
    """A browser that shows notifications: where its messages go, and what encrypts them."""

    id: str
    endpoint: str = field(repr=False)
    #: Its public key and its secret, as browsers write them.
    p256dh: str = field(repr=False)
    auth: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SendOutcome:
    """What became of an attempt to send."""

    status: DeliveryStatus
    problem: str = ""
    #: How long to wait before the next attempt, where the other server says so.
    retry_after: timedelta | None = None
    #: Whether the place that it was sent to is gone for good.
    is_gone: bool = False


SENT = SendOutcome(DeliveryStatus.SENT)
