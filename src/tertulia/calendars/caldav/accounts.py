"""Connecting, changing and removing accounts at servers of calendars. A secret never comes out again."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from tertulia.calendars.caldav import account_store
from tertulia.calendars.caldav.account_store import AccountRow
from tertulia.calendars.caldav.client import DavClient
from tertulia.calendars.caldav.credentials import DavCredentials, check_credentials
from tertulia.calendars.caldav.dav_urls import check_account_url, host_of
from tertulia.calendars.caldav.discovery import FoundCalendar, find_calendars
from tertulia.calendars.caldav.errors import CalDavAccountTaken
from tertulia.calendars.caldav.sync import CalendarSync
from tertulia.calendars.caldav.sync_queue import queue_sync
from tertulia.calendars.events import publish_change
from tertulia.core.clock import now
from tertulia.core.errors import Limited, NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.infra.secrets import SecretVault
from tertulia.models.connection_urls import may_reach_private_network

ACCOUNTS_MAX = 20
#: Colours for calendars whose server names none, in turn.
CALENDAR_COLORS = ("#2f7d6b", "#3b6fb6", "#b5543c", "#9a6b12", "#7a55b0", "#b04a86", "#4a7c86", "#6b6f76")


@dataclass(frozen=True, slots=True)
class NewAccount:
    """What a person says of an account: where it is, and a password or a token."""

    url: str
    username: str = ""
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    name: str = ""


@dataclass(frozen=True, slots=True)
class AccountChange:
    """What a person changes; None keeps what is there."""

    name: str | None = None
    username: str | None = None
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)


@dataclass(slots=True)
class CalDavAccounts:
    """The verbs on accounts."""

    db: Database
    events: EventLog
    vault: SecretVault
    sync: CalendarSync
    private_hosts: tuple[str, ...]

    async def list_accounts(self, *, by: Principal) -> list[AccountRow]:
        """Return the caller's accounts."""
        return await self.db.read(account_store.list_accounts, by=by)

    async def connect(self, new: NewAccount, *, by: Principal) -> list[str]:
        """Add an account with all its calendars, whose ids are returned; their events come right after."""
        by.require(Role.MEMBER)
        url = check_account_url(new.url, by=by, private_hosts=self.private_hosts)
        credentials = check_credentials(username=new.username, password=new.password, token=new.token)
        found = await find_calendars(self._client_for(credentials, by), url)
        account_id = new_id("cac")
        made_at = now()
        account = AccountRow(
            id=account_id,
            user_id=by.user_id,
            name=new.name.strip() or host_of(url),
            url=url,
            username=credentials.username,
            auth=credentials.auth,
            sealed_secret=await self._seal(credentials, account_id),
            home_url="",
            problem="",
            failures=0,
            next_sync_at=made_at,
            last_synced_at=None,
            created_at=made_at,
            changed_at=made_at,
        )

        def write(tx: Tx) -> list[str]:
            _check_room(tx, account)
            account_store.add_account(tx, account)
            return self._add_calendars(tx, account, found)

        return await self.db.write(write, by=by)

    async def change(self, account_id: str, change: AccountChange, *, by: Principal) -> AccountRow:
        """Change an account; what signs in is tried first, and finds calendars that are new at the server."""
        by.require(Role.MEMBER)
        before = await self._get(account_id, by)
        found: list[FoundCalendar] = []
        signing_in: dict[str, Any] = {}
        if change.password or change.token:
            username = before.username if change.username is None else change.username
            credentials = check_credentials(username=username, password=change.password, token=change.token)
            found = await find_calendars(self._client_for(credentials, by), before.url)
            signing_in = {
                "username": credentials.username,
                "auth": credentials.auth,
                "sealed_secret": await self._seal(credentials, account_id),
                "problem": "",
                "failures": 0,
                "next_sync_at": now(),
            }

        def write(tx: Tx) -> AccountRow:
            # As it is by now: its server was asked meanwhile, and somewhere else it may have been changed.
            current = account_store.find_account(tx, account_id)
            if current is None:
                raise NotFound("calendar account")
            name = (change.name or "").strip() or current.name
            after = replace(current, name=name, changed_at=now(), **signing_in)
            account_store.change_account(tx, after)
            for calendar in account_store.list_calendars_of(tx, [account_id]):
                queue_sync(tx, calendar.id, log=self.events)
            self._add_calendars(tx, after, found)
            return after

        return await self.db.write(write, by=by)

    async def remove(self, account_id: str, *, by: Principal) -> None:
        """Forget an account with its calendars; its server is told nothing, and keeps them."""
        by.require(Role.MEMBER)

        def write(tx: Tx) -> None:
            if account_store.find_account(tx, account_id) is None:
                raise NotFound("calendar account")
            account_store.remove_account(tx, account_id)
            publish_change(tx, log=self.events)

        await self.db.write(write, by=by)

    async def _get(self, account_id: str, by: Principal) -> AccountRow:
        found = await self.db.read(lambda tx: account_store.find_account(tx, account_id), by=by)
        if found is None:
            raise NotFound("calendar account")
        return found

    def _client_for(self, credentials: DavCredentials, by: Principal) -> DavClient:
        may_be_private = may_reach_private_network(by.user_id, by)
        return DavClient(self.sync.client, credentials, may_be_private=may_be_private)

    async def _seal(self, credentials: DavCredentials, account_id: str) -> str:
        # Away from the event loop: the first use loads a large library.
        return await asyncio.to_thread(self.vault.seal, credentials.secret, context=account_id)

    def _add_calendars(self, tx: Tx, account: AccountRow, found: list[FoundCalendar]) -> list[str]:
        """Add the calendars of an account that are not here yet, and have them synced."""
        known = {calendar.url for calendar in account_store.list_calendars_of(tx, [account.id])}
        added: list[str] = []
        for place, calendar in enumerate(new for new in found if new.url not in known):
            calendar_id = new_id("cal")
            account_store.add_calendar(
                tx,
                calendar_id=calendar_id,
                account_id=account.id,
                found=calendar,
                color=calendar.color or CALENDAR_COLORS[place % len(CALENDAR_COLORS)],
            )
            queue_sync(tx, calendar_id, log=self.events)
            added.append(calendar_id)
        publish_change(tx, log=self.events)
        return added


def _check_room(tx: Tx, account: AccountRow) -> None:
    """Raise where the caller has this account already, or as many as there can be."""
    accounts = account_store.list_accounts(tx)
    if any(other.url == account.url and other.username == account.username for other in accounts):
        raise CalDavAccountTaken(host_of(account.url))
    if len(accounts) >= ACCOUNTS_MAX:
        raise Limited(f"There can be {ACCOUNTS_MAX} calendar accounts: remove one first.")
