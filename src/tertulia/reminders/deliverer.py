"""Sending reminders that are due: each is claimed first, and what may have gone out is never sent again."""

import asyncio
import logging
from dataclasses import dataclass, replace
from datetime import timedelta

from tertulia.accounts import members, users
from tertulia.core.clock import now
from tertulia.core.principal import Principal, Role
from tertulia.core.tasks import cancel_tasks
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.reminders import delivery_store, store, subjects
from tertulia.reminders.delivery_store import DELIVERY_ATTEMPTS_MAX, backoff_after
from tertulia.reminders.domain import (
    DeliveryStatus,
    ReminderChannel,
    ReminderDelivery,
    ReminderMessage,
    SendOutcome,
)
from tertulia.reminders.events import publish_reminder
from tertulia.reminders.mail_sender import MailSender
from tertulia.reminders.push_sender import PushSender
from tertulia.reminders.push_subscriptions import PushSubscriptions
from tertulia.reminders.wording import describe_reminder

log = logging.getLogger("tertulia.reminders")

LOST_SENDER = "The server was stopped while this was sent, so nobody knows whether it came through."
#: Sent at once by one channel of one process.
DELIVERIES_AT_ONCE_MAX = 8
#: What is being sent when the server is told to stop has so long to end.
DELIVERY_DRAIN_SECONDS = 5.0
#: Less than the lease: what takes longer is given up before anybody else would.
DELIVERY_MAX_SECONDS = 90.0
DROPPED = SendOutcome(DeliveryStatus.DROPPED)
GONE = SendOutcome(
    DeliveryStatus.DROPPED, "This browser is signed out, or shows no notifications any more.", is_gone=True
)


@dataclass(frozen=True, slots=True)
class OutgoingReminder:
    """What is to be sent, and to which address if it is an e-mail."""

    message: ReminderMessage
    email: str


class ReminderDeliverer:
    """Sends what is due by one channel."""

    def __init__(
        self,
        db: Database,
        log: EventLog,
        *,
        mail: MailSender | None,
        push: PushSender | None,
        subscriptions: PushSubscriptions,
    ) -> None:
        self._db = db
        self._log = log
        self._mail = mail
        self._push = push
        self._subscriptions = subscriptions

    async def run_due(self, channel: ReminderChannel) -> None:
        """Send all that is due by a channel, several at once; told to end, finish what is being sent."""
        slots = asyncio.Semaphore(DELIVERIES_AT_ONCE_MAX)
        under_way: set[asyncio.Task[None]] = set()
        try:
            while await self._has_due(channel):
                await slots.acquire()
                delivery = await self._claim(channel)
                if delivery is None:
                    break
                task = asyncio.create_task(self._deliver(delivery))
                under_way.add(task)
                task.add_done_callback(under_way.discard)
                task.add_done_callback(lambda _: slots.release())
            await asyncio.gather(*under_way)
        finally:
            if under_way:
                await asyncio.wait(under_way, timeout=DELIVERY_DRAIN_SECONDS)
                await cancel_tasks(under_way)

    async def settle_lapsed(self) -> None:
        """Say of what somebody was sending who is gone that nobody knows."""
        if await self._db.read(delivery_store.has_lapsed, by=None):
            await self._db.write(lambda tx: delivery_store.settle_lapsed(tx, problem=LOST_SENDER), by=None)

    async def _has_due(self, channel: ReminderChannel) -> bool:
        return await self._db.read(lambda tx: delivery_store.has_due(tx, channel, now=now()), by=None)

    async def _claim(self, channel: ReminderChannel) -> ReminderDelivery | None:
        return await self._db.write(
            lambda tx: delivery_store.claim(tx, channel, now=now()), by=None, concurrent=True
        )

    async def _deliver(self, delivery: ReminderDelivery) -> None:
        """Send one reminder; whatever goes wrong with it, others are sent."""
        try:
            if delivery.channel is ReminderChannel.APP:
                await self._tell_app(delivery)
            else:
                await self._send(delivery)
        except Exception:
            log.exception("A reminder could not be sent by %s.", delivery.channel)

    async def _tell_app(self, delivery: ReminderDelivery) -> None:
        def write(tx: Tx) -> None:
            outgoing = prepare(tx, delivery)
            status = DeliveryStatus.SENT if outgoing else DeliveryStatus.DROPPED
            if delivery_store.finish(tx, delivery, status) and outgoing:
                publish_reminder(tx, delivery.reminder_id, log=self._log)

        await self._db.write(write, by=principal_of(delivery))

    async def _send(self, delivery: ReminderDelivery) -> None:
        by = principal_of(delivery)
        outgoing = await self._db.read(lambda tx: prepare(tx, delivery), by=by)
        outcome = DROPPED
        if outgoing is not None:
            outcome = await self._send_out(delivery, outgoing, by=by)
        if outcome.is_gone and delivery.channel is ReminderChannel.PUSH:
            await self._subscriptions.forget(delivery.target, by=by)
        settled = settle(outcome, attempts=delivery.attempts)
        send_at = now() + (settled.retry_after or timedelta())
        await self._db.write(
            lambda tx: delivery_store.finish(
                tx,
                delivery,
                settled.status,
                problem=settled.problem,
                send_at=send_at if settled.status is DeliveryStatus.WAITING else None,
            ),
            by=by,
        )

    async def _send_out(
        self, delivery: ReminderDelivery, outgoing: OutgoingReminder, *, by: Principal
    ) -> SendOutcome:
        try:
            async with asyncio.timeout(DELIVERY_MAX_SECONDS):
                if delivery.channel is ReminderChannel.EMAIL:
                    return await self.send_email(outgoing)
                return await self.send_push(outgoing, delivery.target, by=by)
        except TimeoutError:
            return SendOutcome(
                DeliveryStatus.UNKNOWN, "It took too long, so nobody knows whether it came through."
            )

    async def send_email(self, outgoing: OutgoingReminder) -> SendOutcome:
        """Send an e-mail, where there is a mail server."""
        return await self._mail.send(outgoing.message, to=outgoing.email) if self._mail else DROPPED

    async def send_push(
        self, outgoing: OutgoingReminder, subscription_id: str, *, by: Principal
    ) -> SendOutcome:
        """Send a notification to a browser, as long as its person is signed in there."""
        subscription = await self._subscriptions.open(subscription_id, by=by)
        if subscription is None or self._push is None:
            return GONE
        return await self._push.send(outgoing.message, subscription)


def principal_of(delivery: ReminderDelivery) -> Principal:
    """Return as whom a reminder is read: its person."""
    return Principal(delivery.user_id, delivery.workspace_id, Role.MEMBER)


def prepare(tx: Tx, delivery: ReminderDelivery) -> OutgoingReminder | None:
    """Return what is to be sent to the caller; None where it was dismissed, or is true no more."""
    reminder = store.find(tx, delivery.reminder_id)
    if reminder is None or reminder.dismissed_at is not None or members.find_active(tx) is None:
        return None
    subject = subjects.find_subject(tx, reminder)
    if subject is None or delivery.channel not in store.find_preferences(tx).channels:
        return None
    message = describe_reminder(reminder, subject, zone=subjects.find_zone(tx))
    return OutgoingReminder(message, users.get(tx, tx.by.user_id).email)


def settle(outcome: SendOutcome, *, attempts: int) -> SendOutcome:
    """Return an outcome with when to try again, or as a failure where it was tried often enough."""
    if outcome.status is not DeliveryStatus.WAITING:
        return outcome
    if attempts >= DELIVERY_ATTEMPTS_MAX:
        return replace(outcome, status=DeliveryStatus.FAILED)
    return replace(outcome, retry_after=max(outcome.retry_after or timedelta(), backoff_after(attempts)))
