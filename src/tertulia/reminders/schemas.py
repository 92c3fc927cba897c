"""Reminders on the wire."""

from typing import Annotated, Self

from pydantic import Field, StringConstraints

from tertulia.infra.http.schema import Schema, Timestamp, ValidUnicode
from tertulia.reminders.domain import (
    DEFAULT_TASK_MINUTE,
    MINUTES_PER_DAY,
    SNOOZE_MAX_MINUTES,
    DeliveryStatus,
    ReminderChannel,
    ReminderDelivery,
    ReminderKind,
    ReminderPreferences,
)
from tertulia.reminders.push_subscriptions import ENDPOINT_MAX_CHARS, NewPushSubscription
from tertulia.reminders.service import ReminderSettings, ToldReminder, ToldReminders

Endpoint = Annotated[str, StringConstraints(min_length=1, max_length=ENDPOINT_MAX_CHARS), ValidUnicode]
KeyText = Annotated[str, StringConstraints(min_length=1, max_length=200), ValidUnicode]
ClockTime = Annotated[str, StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]


class ReminderDeliveryView(Schema):
    """How far a reminder has come by one channel."""

    channel: ReminderChannel
    status: DeliveryStatus
    #: What went wrong, in a sentence.
    problem: str

    @classmethod
    def of(cls, delivery: ReminderDelivery) -> Self:
        """Return a delivery as its person sees it."""
        return cls(channel=delivery.channel, status=delivery.status, problem=delivery.problem)


class ReminderView(Schema):
    """A reminder as its person sees it, with what it is about as that is now."""

    id: str
    kind: ReminderKind
    #: The event or the task.
    subject_id: str
    #: Which time of a recurring event it is about.
    recurrence_id: str | None
    title: str
    location: str
    project_id: str | None
    #: When the event begins; None for a task.
    starts_at: Timestamp | None
    #: The due day of a task, or the first day of an all-day event; else empty.
    day: str
    #: Minutes before the start.
    minutes: int
    due_at: Timestamp
    #: It was told well after its time: the server was not running then.
    is_late: bool
    snoozed_until: Timestamp | None
    dismissed_at: Timestamp | None
    deliveries: list[ReminderDeliveryView]

    @classmethod
    def of(cls, told: ToldReminder) -> Self:
        """Return a reminder as its person sees it."""
        reminder, subject = told.reminder, told.subject
        return cls(
            id=reminder.id,
            kind=reminder.kind,
            subject_id=reminder.subject_id,
            recurrence_id=reminder.recurrence_id,
            title=subject.title,
            location=subject.location,
            project_id=subject.project_id,
            starts_at=subject.starts_at,
            day=subject.day,
            minutes=reminder.minutes,
            due_at=reminder.due_at,
            is_late=reminder.is_late,
            snoozed_until=reminder.snoozed_until,
            dismissed_at=reminder.dismissed_at,
            deliveries=list(map(ReminderDeliveryView.of, told.deliveries)),
        )


class ReminderList(Schema):
    """Your reminders: those that wait for you, and those that you dismissed or put off of late."""

    waiting: list[ReminderView]
    recent: list[ReminderView]

    @classmethod
    def of(cls, told: ToldReminders) -> Self:
        """Return reminders as their person sees them."""
        return cls(
            waiting=list(map(ReminderView.of, told.waiting)), recent=list(map(ReminderView.of, told.recent))
        )


class SnoozeBody(Schema):
    """For how long a reminder is put off."""

    minutes: Annotated[int, Field(ge=1, le=SNOOZE_MAX_MINUTES)] = 10


class ReminderSettingsChange(Schema):
    """How you want to be reminded; fields that are left out stay as they are."""

    channels: Annotated[list[ReminderChannel], Field(max_length=10)] = Field(
        default_factory=lambda: list(ReminderChannel)
    )
    reminds_of_tasks: bool = True
    #: When in a day you are reminded of what is due on it, in your time zone.
    task_time: ClockTime = f"{DEFAULT_TASK_MINUTE // 60:02}:{DEFAULT_TASK_MINUTE % 60:02}"


class ReminderSettingsView(Schema):
    """How you want to be reminded, and what this server can do."""

    channels: list[ReminderChannel]
    reminds_of_tasks: bool
    task_time: str
    time_zone: str
    #: Where e-mails go; `available` says whether this server sends any.
    email: str
    #: The channels by which this server can remind anybody.
    available: list[ReminderChannel]
    #: How many browsers of yours show notifications.
    browsers: int

    @classmethod
    def of(cls, settings: ReminderSettings, *, available: frozenset[ReminderChannel]) -> Self:
        """Return settings as their person sees them."""
        minute = settings.chosen.task_minute
        return cls(
            channels=[channel for channel in ReminderChannel if channel in settings.chosen.channels],
            reminds_of_tasks=settings.chosen.reminds_of_tasks,
            task_time=f"{minute // 60:02}:{minute % 60:02}",
            time_zone=settings.time_zone,
            email=settings.email,
            available=[channel for channel in ReminderChannel if channel in available],
            browsers=settings.browsers,
        )


class ReminderTestBody(Schema):
    """By which channel a test is sent."""

    channel: ReminderChannel


class PushKeysBody(Schema):
    """What messages to a browser are encrypted with."""

    p256dh: KeyText
    auth: KeyText


class PushSubscriptionBody(Schema):
    """A subscription as a browser has it, but for when it ends."""

    endpoint: Endpoint
    keys: PushKeysBody

    def to_subscription(self) -> NewPushSubscription:
        """Return the subscription."""
        return NewPushSubscription(self.endpoint, self.keys.p256dh, self.keys.auth)


class PushEndpointBody(Schema):
    """Which browser shows no notifications any more."""

    endpoint: Endpoint


class PushKeyView(Schema):
    """The key by which a browser lets this server send it notifications, as base64url."""

    key: str


def minute_of(clock_time: str) -> int:
    """Return how many minutes after midnight a clock shows a time."""
    hours, _, minutes = clock_time.partition(":")
    return (int(hours) * 60 + int(minutes)) % MINUTES_PER_DAY


def change_preferences(chosen: ReminderPreferences, change: ReminderSettingsChange) -> ReminderPreferences:
    """Return what somebody has chosen, with what they change."""
    sent = change.model_fields_set
    return ReminderPreferences(
        channels=change.channels if "channels" in sent else chosen.channels,
        reminds_of_tasks=change.reminds_of_tasks if "reminds_of_tasks" in sent else chosen.reminds_of_tasks,
        task_minute=minute_of(change.task_time) if "task_time" in sent else chosen.task_minute,
    )
