"""Reminders over HTTP: each person's own."""

from typing import Annotated

from fastapi import Depends, Request

from tertulia.infra.db import Tx
from tertulia.infra.http.dependencies import Db, Log, get_part
from tertulia.infra.http.identity import Me
from tertulia.infra.http.routing import Router
from tertulia.reminders import service
from tertulia.reminders.errors import PushOff
from tertulia.reminders.loop import Reminders
from tertulia.reminders.schemas import (
    PushEndpointBody,
    PushKeyView,
    PushSubscriptionBody,
    ReminderList,
    ReminderSettingsChange,
    ReminderSettingsView,
    ReminderTestBody,
    SnoozeBody,
    change_preferences,
)

router = Router(prefix="/api", tags=["reminders"])


async def _reminders(request: Request) -> Reminders:
    return get_part(request, Reminders)


RemindersPart = Annotated[Reminders, Depends(_reminders)]


@router.get("/reminders")
async def list_reminders(me: Me, db: Db) -> ReminderList:
    """List your reminders: those that wait for you, and those that you dismissed or put off of late."""
    return ReminderList.of(await db.read(service.list_reminders, by=me))


@router.post("/reminders/dismiss", status_code=204)
async def dismiss_all_reminders(me: Me, db: Db, log: Log) -> None:
    """Be done with all reminders that wait for you."""
    await db.write(lambda tx: service.dismiss_all(tx, log=log), by=me)


@router.get("/reminders/settings")
async def get_reminder_settings(me: Me, db: Db, reminders: RemindersPart) -> ReminderSettingsView:
    """Return how you want to be reminded, and what this server can do."""
    settings = await db.read(service.get_settings, by=me)
    return ReminderSettingsView.of(settings, available=reminders.channels)


@router.put("/reminders/settings")
async def set_reminder_settings(
    body: ReminderSettingsChange, me: Me, db: Db, reminders: RemindersPart
) -> ReminderSettingsView:
    """Say how you want to be reminded; fields that are left out stay as they are."""

    def write(tx: Tx) -> service.ReminderSettings:
        chosen = service.get_settings(tx).chosen
        return service.set_preferences(tx, change_preferences(chosen, body))

    return ReminderSettingsView.of(await db.write(write, by=me), available=reminders.channels)


@router.post("/reminders/test", status_code=204)
async def send_test_reminder(body: ReminderTestBody, me: Me, db: Db, reminders: RemindersPart) -> None:
    """Send yourself a test: an e-mail, or a notification to each browser that shows yours."""
    await service.send_test(body.channel, reminders=reminders, db=db, by=me)


@router.get("/reminders/push/key")
async def get_push_key(me: Me, reminders: RemindersPart) -> PushKeyView:
    """Return the key with which a browser subscribes to notifications of this server."""
    if reminders.push is None:
        raise PushOff
    return PushKeyView(key=await reminders.push.public_key())


@router.post("/reminders/push", status_code=204)
async def add_push_subscription(body: PushSubscriptionBody, me: Me, reminders: RemindersPart) -> None:
    """Have your reminders shown by this browser, for as long as you are signed in there."""
    if reminders.push is None:
        raise PushOff
    await reminders.subscriptions.add(body.to_subscription(), by=me)


@router.delete("/reminders/push", status_code=204)
async def remove_push_subscription(body: PushEndpointBody, me: Me, reminders: RemindersPart) -> None:
    """Have your reminders shown by this browser no more; to say so twice changes nothing."""
    await reminders.subscriptions.remove(body.endpoint, by=me)


@router.post("/reminders/{reminder_id}/dismiss", status_code=204)
async def dismiss_reminder(reminder_id: str, me: Me, db: Db, log: Log) -> None:
    """Be done with a reminder, on all your devices."""
    await db.write(lambda tx: service.dismiss(tx, reminder_id, log=log), by=me)


@router.post("/reminders/{reminder_id}/snooze", status_code=204)
async def snooze_reminder(
    reminder_id: str, body: SnoozeBody, me: Me, db: Db, log: Log, reminders: RemindersPart
) -> None:
    """Be reminded once more, some minutes from now."""
    await db.write(
        lambda tx: service.snooze(
            tx, reminder_id, minutes=body.minutes, channels=reminders.channels, log=log
        ),
        by=me,
    )
