"""Keeping calendars the same here and at their servers: as a job after each change and every few minutes."""

import asyncio
import logging
from dataclasses import dataclass

import httpx2

from tertulia.calendars import calendar_access
from tertulia.calendars.caldav import account_store, object_store
from tertulia.calendars.caldav.account_store import AccountRow
from tertulia.calendars.caldav.client import DavClient
from tertulia.calendars.caldav.credentials import DavCredentials
from tertulia.calendars.caldav.dav_urls import host_of
from tertulia.calendars.caldav.errors import CalDavSlow, CalendarHasNoServer
from tertulia.calendars.caldav.problem_texts import INCOMPLETE
from tertulia.calendars.caldav.pull import Pull
from tertulia.calendars.caldav.push import Push
from tertulia.calendars.caldav.server_versions import CalendarPlace
from tertulia.calendars.caldav.sync_queue import SYNC_INTERVAL, SYNC_JOB, queue_sync, sync_key
from tertulia.calendars.caldav.sync_report import SyncReport
from tertulia.calendars.caldav.sync_state import (
    SyncSubject,
    find_subject,
    note_failure,
    note_success,
    queue_again,
)
from tertulia.calendars.domain import CalendarKind
from tertulia.core.errors import Kind, NotFound, TertuliaError
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.infra.jobs import JOB_MAX_SECONDS, JobHandler, enqueue, payload_by, principal_of, run_claimed
from tertulia.infra.secrets import SecretUnreadable, SecretVault
from tertulia.models.connection_urls import may_reach_private_network

log = logging.getLogger("tertulia.calendars")

#: How long somebody who asks for a sync waits for one that is under way.
SYNC_WAIT_SECONDS = 20.0
#: A sync ends itself before the job would be ended.
SYNC_MAX_SECONDS = JOB_MAX_SECONDS - 10
#: Failures of a server, which are told where the calendar is and end no job.
TOLD_KINDS = frozenset({Kind.INVALID, Kind.UPSTREAM})


@dataclass(slots=True)
class CalendarSync:
    """Syncs one calendar at a time, on its owner's behalf."""

    db: Database
    events: EventLog
    client: httpx2.AsyncClient
    vault: SecretVault

    @property
    def handlers(self) -> dict[str, JobHandler]:
        """Return what does the jobs that sync calendars."""
        return {SYNC_JOB: self._run_job}

    async def sync_now(self, calendar_id: str, *, by: Principal) -> SyncReport:
        """Sync a calendar right now and return what was done, or raise why it could not be."""

        def find(tx: Tx) -> None:
            calendar = calendar_access.get(tx, calendar_id)
            if calendar.kind is not CalendarKind.CALDAV:
                raise CalendarHasNoServer(calendar.name)
            object_store.forget_refusals(tx, calendar_id)

        await self.db.write(find, by=by)
        return await run_claimed(
            self.db,
            SYNC_JOB,
            key=sync_key(calendar_id),
            payload=payload_by(by, calendar_id=calendar_id),
            work=lambda: self._sync(calendar_id, by=by),
            wait_seconds=SYNC_WAIT_SECONDS,
        )

    async def count_pending(self, calendar_id: str, *, by: Principal) -> int:
        """Return how many changes the server of a calendar does not know yet."""
        return await self.db.read(lambda tx: object_store.count_pending(tx, calendar_id), by=by)

    async def open_client(self, account: AccountRow, *, by: Principal) -> DavClient:
        """Return what asks the server of an account."""
        # Away from the event loop: the first use loads a large library.
        secret = await asyncio.to_thread(self.vault.open, account.sealed_secret, context=account.id)
        credentials = DavCredentials(account.auth, account.username, secret)
        return DavClient(
            self.client, credentials, may_be_private=may_reach_private_network(account.user_id, by)
        )

    async def _run_job(self, payload: JsonObject) -> None:
        """Sync a calendar, unless its server is to be left alone for now."""
        by, calendar_id = principal_of(payload), str(payload["calendar_id"])
        subject = await self.db.read(lambda tx: find_subject(tx, calendar_id), by=by)
        if subject is None:
            # Its owner may be suspended for now.
            await self.db.write(lambda tx: queue_again(tx, calendar_id, log=self.events), by=by)
            return
        if subject.is_stopped:
            return
        if wait := subject.wait():
            await self.db.write(lambda tx: queue_sync(tx, calendar_id, delay=wait, log=self.events), by=by)
            return
        try:
            await self._sync(calendar_id, by=by)
        except TertuliaError as error:
            if not is_told(error):
                raise
            log.info("Calendar %s could not be synced: %s", calendar_id, error.message)

    async def _sync(self, calendar_id: str, *, by: Principal) -> SyncReport:
        subject = await self.db.read(lambda tx: find_subject(tx, calendar_id), by=by)
        if subject is None:
            raise NotFound("calendar")
        try:
            return await self._exchange_in_time(subject)
        except TertuliaError as error:
            if is_told(error):
                failure = error
                await self.db.write(
                    lambda tx: note_failure(tx, subject, failure, log=self.events), by=subject.by
                )
            raise

    async def _exchange_in_time(self, subject: SyncSubject) -> SyncReport:
        """Sync for as long as a job may take; what came until then is kept, and the rest comes next time."""
        try:
            async with asyncio.timeout(SYNC_MAX_SECONDS):
                return await self._exchange(subject)
        except TimeoutError:
            raise CalDavSlow(host_of(subject.calendar.url)) from None

    async def _exchange(self, subject: SyncSubject) -> SyncReport:
        """Send our changes, take over the server's, and send what was merged."""
        calendar, by = subject.calendar, subject.by
        client = await self.open_client(subject.account, by=by)
        place, report = CalendarPlace(calendar.id, host_of(calendar.url)), SyncReport()
        push = Push(self.db, by, client, place, calendar.url, report)
        pull = Pull(self.db, by, client, place, report)
        await push.run()
        read = await pull.run(calendar)
        await push.run()
        problem = INCOMPLETE.format(host=place.host) if pull.is_server_at_fault else ""
        await self.db.write(
            lambda tx: note_success(tx, subject, read, report, problem=problem, log=self.events), by=by
        )
        return report


def is_told(error: TertuliaError) -> bool:
    """Tell whether a failure is the server's or the account's, and not ours."""
    return error.kind in TOLD_KINDS or isinstance(error, SecretUnreadable)


def requeue_all_syncs(tx: Tx) -> None:
    """Have every calendar synced within the usual time: one whose job was given up is taken up anew."""
    for owner in account_store.list_owned_calendars(tx):
        by = Principal(owner.user_id, owner.workspace_id, Role.MEMBER)
        payload = payload_by(by, calendar_id=owner.calendar_id)
        enqueue(tx, SYNC_JOB, key=sync_key(owner.calendar_id), payload=payload, delay=SYNC_INTERVAL)
