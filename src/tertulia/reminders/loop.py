"""Finding reminders that are due, and sending them: work that any number of processes share."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from datetime import timedelta
from email.utils import parseaddr

import httpx2

from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.server_facts import claim_interval
from tertulia.infra.events import EventLog
from tertulia.infra.secrets import SecretVault
from tertulia.reminders import store
from tertulia.reminders.deliverer import ReminderDeliverer
from tertulia.reminders.domain import ReminderChannel
from tertulia.reminders.mail_sender import MailSender
from tertulia.reminders.planner import ReminderPlanner
from tertulia.reminders.push_keys import PushKeys
from tertulia.reminders.push_sender import PushSender
from tertulia.reminders.push_subscriptions import PushSubscriptions
from tertulia.settings import Settings

log = logging.getLogger("tertulia.reminders")

#: How often it is looked, in one statement each, whether anything is due.
REMINDER_POLL_SECONDS = 2.0
CLEAN_UP_EVERY = timedelta(hours=1)
CLEAN_UP_FACT = "reminder_clean_up"
#: Some push services refuse a server that names nobody; this is an address that belongs to nobody.
NOBODY_TO_CONTACT = "https://tertulia.invalid"


class Reminders:
    """What a process has of reminders: built once, and run for as long as it lives."""

    def __init__(self, settings: Settings, db: Database, log: EventLog, client: httpx2.AsyncClient) -> None:
        vault = SecretVault(settings)
        contact = choose_contact(settings)
        self.mail = MailSender.of(settings)
        self.push = PushSender(client, PushKeys(db, vault, contact=contact)) if settings.push else None
        self.subscriptions = PushSubscriptions(db, vault, private_hosts=settings.private_hosts)
        self.planner = ReminderPlanner(db, channels=self.channels)
        self.deliverer = ReminderDeliverer(
            db, log, mail=self.mail, push=self.push, subscriptions=self.subscriptions
        )
        self._db = db

    @property
    def channels(self) -> frozenset[ReminderChannel]:
        """Return by which ways this server can remind anybody."""
        can = {
            ReminderChannel.APP: True,
            ReminderChannel.EMAIL: self.mail is not None,
            ReminderChannel.PUSH: self.push is not None,
        }
        return frozenset(channel for channel, is_possible in can.items() if is_possible)

    async def run(self) -> None:
        """Look for what is due and send it until cancelled; a slow channel keeps no other waiting."""
        news = {channel: asyncio.Event() for channel in self.channels}
        async with asyncio.TaskGroup() as group:
            group.create_task(self._plan_forever(news.values()))
            group.create_task(self._clean_up_forever())
            for channel, has_news in news.items():
                group.create_task(self._send_forever(channel, has_news))

    async def _plan_forever(self, news: Iterable[asyncio.Event]) -> None:
        async def look() -> None:
            await self.deliverer.settle_lapsed()
            if await self.planner.run_due():
                for has_news in news:
                    has_news.set()

        await repeat(look, wait=lambda: asyncio.sleep(REMINDER_POLL_SECONDS))

    async def _send_forever(self, channel: ReminderChannel, has_news: asyncio.Event) -> None:
        async def wait() -> None:
            try:
                async with asyncio.timeout(REMINDER_POLL_SECONDS):
                    await has_news.wait()
            except TimeoutError:
                pass
            has_news.clear()

        await repeat(lambda: self.deliverer.run_due(channel), wait=wait)

    async def _clean_up_forever(self) -> None:
        def delete_if_due(tx: Tx) -> None:
            if claim_interval(tx, CLEAN_UP_FACT, every=CLEAN_UP_EVERY):
                store.delete_old(tx, at=now())

        async def clean_up() -> None:
            await self._db.write(delete_if_due, by=None)

        await repeat(clean_up, wait=lambda: asyncio.sleep(CLEAN_UP_EVERY.total_seconds()))


async def repeat(work: Callable[[], Awaitable[None]], *, wait: Callable[[], Awaitable[None]]) -> None:
    """Do some work again and again; a database that is away for a while ends nothing."""
    while True:
        try:
            await work()
        except TertuliaError as error:
            log.warning("Reminders wait: %s", error)
        except Exception:
            log.exception("Looking for reminders failed; it is tried again.")
        await wait()


def choose_contact(settings: Settings) -> str:
    """Return how push services reach whoever runs this server, as far as anybody said that."""
    if settings.push_contact:
        return settings.push_contact
    if settings.smtp_from:
        return f"mailto:{parseaddr(settings.smtp_from)[1]}"
    return settings.public_url if settings.public_url.startswith("https://") else NOBODY_TO_CONTACT
