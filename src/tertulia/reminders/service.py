"""What people do with reminders: look at them, dismiss them, put them off, choose how they come."""

from dataclasses import dataclass
from datetime import timedelta

from tertulia.accounts import users
from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.reminders import delivery_store, plan_store, push_store, store, subjects
from tertulia.reminders.deliverer import OutgoingReminder
from tertulia.reminders.domain import (
    DeliveryStatus,
    Reminder,
    ReminderChannel,
    ReminderDelivery,
    ReminderMessage,
    ReminderPreferences,
    ReminderSubject,
    SendOutcome,
)
from tertulia.reminders.errors import ReminderChannelUnavailable, ReminderTestFailed
from tertulia.reminders.events import publish_reminder
from tertulia.reminders.loop import Reminders
from tertulia.reminders.planner import add_deliveries

WAITING_REMINDERS_MAX = 50
RECENT_REMINDERS_MAX = 20
TEST_MESSAGE = "This is how you will be reminded."


@dataclass(frozen=True, slots=True)
class ToldReminder:
    """A reminder with what it is about, and how far it has come by each channel."""

    reminder: Reminder
    subject: ReminderSubject
    deliveries: list[ReminderDelivery]


@dataclass(frozen=True, slots=True)
class ToldReminders:
    """A person's reminders: those that wait to be dismissed, and those of late."""

    waiting: list[ToldReminder]
    recent: list[ToldReminder]


@dataclass(frozen=True, slots=True)
class ReminderSettings:
    """What a person chose, and by what they can be reached."""

    chosen: ReminderPreferences
    time_zone: str
    email: str
    browsers: int


def list_reminders(tx: Tx) -> ToldReminders:
    """Return the caller's reminders; those whose event or task is gone or has changed are left out."""
    at = now()
    waiting = store.list_waiting(tx, at=at, limit=WAITING_REMINDERS_MAX)
    recent = store.list_recent(tx, at=at, limit=RECENT_REMINDERS_MAX)
    return ToldReminders(tell_all(tx, waiting), tell_all(tx, recent))


def tell_all(tx: Tx, reminders: list[Reminder]) -> list[ToldReminder]:
    """Return reminders with what they are about."""
    deliveries = delivery_store.list_of_reminders(tx, [reminder.id for reminder in reminders])
    return [
        ToldReminder(
            reminder, subject, [delivery for delivery in deliveries if delivery.reminder_id == reminder.id]
        )
        for reminder in reminders
        if (subject := subjects.find_subject(tx, reminder)) is not None
    ]


def get(tx: Tx, reminder_id: str) -> Reminder:
    """Return a reminder of the caller's, or raise `NotFound`."""
    if reminder := store.find(tx, reminder_id):
        return reminder
    raise NotFound("reminder")


def dismiss(tx: Tx, reminder_id: str, *, log: EventLog) -> None:
    """Be done with a reminder, on every device; to do so twice changes nothing."""
    reminder = get(tx, reminder_id)
    store.dismiss(tx, [reminder.id])
    delivery_store.drop_waiting(tx, [reminder.id])
    publish_reminder(tx, reminder.id, log=log)


def dismiss_all(tx: Tx, *, log: EventLog) -> None:
    """Be done with all reminders that wait."""
    waiting = [reminder.id for reminder in store.list_waiting(tx, at=now(), limit=WAITING_REMINDERS_MAX)]
    if waiting:
        store.dismiss(tx, waiting)
        delivery_store.drop_waiting(tx, waiting)
        publish_reminder(tx, waiting[0], log=log)


def snooze(
    tx: Tx, reminder_id: str, *, minutes: int, channels: frozenset[ReminderChannel], log: EventLog
) -> None:
    """Be told of a reminder once more, by every channel, after some minutes."""
    reminder = get(tx, reminder_id)
    until = now() + timedelta(minutes=minutes)
    store.snooze(tx, reminder.id, until=until)
    for channel in channels.intersection(store.find_preferences(tx).channels):
        add_deliveries(tx, reminder.id, channel, send_at=until)
    publish_reminder(tx, reminder.id, log=log)


def get_settings(tx: Tx) -> ReminderSettings:
    """Return what the caller chose, and by what they can be reached."""
    email = users.get(tx, tx.by.user_id).email
    return ReminderSettings(
        store.find_preferences(tx), subjects.find_zone(tx), email, push_store.count_own(tx)
    )


def set_preferences(tx: Tx, chosen: ReminderPreferences) -> ReminderSettings:
    """Keep what the caller chose; what is due by it is looked for at once."""
    store.set_preferences(tx, chosen)
    plan_store.look_again(tx)
    return get_settings(tx)


async def send_test(channel: ReminderChannel, *, reminders: Reminders, db: Database, by: Principal) -> None:
    """Send the caller a test by a channel, right now, or raise with what went wrong."""
    if channel not in reminders.channels or channel is ReminderChannel.APP:
        raise ReminderChannelUnavailable("This server cannot remind anybody that way.")
    email = await db.read(lambda tx: users.get(tx, by.user_id).email, by=by)
    message = ReminderMessage("A test from Tertulia", TEST_MESSAGE, "/settings/reminders", new_id("rem"), 300)
    outgoing = OutgoingReminder(message, email)
    if channel is ReminderChannel.EMAIL:
        check_sent([await reminders.deliverer.send_email(outgoing)])
        return
    browsers = await reminders.subscriptions.list_ids(by=by)
    if not browsers:
        raise ReminderChannelUnavailable(
            "None of your browsers shows notifications yet. Turn them on in one first."
        )
    check_sent([await send_test_push(browser, outgoing, reminders=reminders, by=by) for browser in browsers])


async def send_test_push(
    subscription_id: str, outgoing: OutgoingReminder, *, reminders: Reminders, by: Principal
) -> SendOutcome:
    """Send a test to a browser; one that is gone is forgotten."""
    outcome = await reminders.deliverer.send_push(outgoing, subscription_id, by=by)
    if outcome.is_gone:
        await reminders.subscriptions.forget(subscription_id, by=by)
    return outcome


def check_sent(outcomes: list[SendOutcome]) -> None:
    """Raise unless one of several attempts went well."""
    if not any(outcome.status is DeliveryStatus.SENT for outcome in outcomes):
        raise ReminderTestFailed(f"The test was not sent. {outcomes[0].problem}")
