"""The parts that keep calendars the same as at their servers, built once for a process."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import httpx2

from tertulia.calendars.caldav.accounts import CalDavAccounts
from tertulia.calendars.caldav.sync import CalendarSync
from tertulia.infra.courier.news import JobsQueued
from tertulia.infra.db import Database
from tertulia.infra.events import EventLog
from tertulia.infra.jobs import JOB_POLL_SECONDS, JobWorker
from tertulia.infra.secrets import SecretVault
from tertulia.settings import Settings

#: Calendars that one process syncs at the same time: a slow server holds up no other.
SYNC_WORKERS = 4
#: How often those after the first look for work by themselves, should the first be busy; news comes at once.
SPARE_WORKER_POLL_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class CalDavParts:
    """What a process needs for calendars of other servers."""

    db: Database
    events: EventLog
    accounts: CalDavAccounts
    sync: CalendarSync

    async def run_workers(self, *, worker: str, is_ready: Callable[[], Awaitable[object]]) -> None:
        """Do the jobs that sync calendars, beside all others, once workers of the past are known gone."""
        await is_ready()
        async with asyncio.TaskGroup() as group:
            for number in range(SYNC_WORKERS):
                poll_seconds = SPARE_WORKER_POLL_SECONDS if number else JOB_POLL_SECONDS
                group.create_task(self._build_worker(f"{worker}/{number}", poll_seconds).run())

    def _build_worker(self, name: str, poll_seconds: float) -> JobWorker:
        news = asyncio.Event()
        self.events.courier.subscribe(JobsQueued, lambda _: news.set())
        handlers = self.sync.handlers
        return JobWorker(self.db, worker=name, handlers=handlers, job_news=news, poll_seconds=poll_seconds)


def open_caldav(
    db: Database, settings: Settings, *, events: EventLog, client: httpx2.AsyncClient
) -> CalDavParts:
    """Build the parts; call it on the event loop."""
    vault = SecretVault(settings)
    sync = CalendarSync(db, events, client, vault)
    accounts = CalDavAccounts(db, events, vault, sync, settings.private_hosts)
    return CalDavParts(db, events, accounts, sync)
