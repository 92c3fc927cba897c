"""Accounts at servers of calendars: rows in, rows out. Secrets are here only in their sealed form."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from tertulia.calendars.caldav.credentials import CalDavAuth
from tertulia.calendars.caldav.discovery import FoundCalendar
from tertulia.calendars.domain import CalendarKind
from tertulia.core.clock import now
from tertulia.infra.db import Tx, bound_list

OWN_ACCOUNT_SQL = "workspace_id = :workspace AND user_id = :me"


@dataclass(frozen=True, slots=True)
class AccountRow:
    """An account as it is stored."""

    id: str
    user_id: str
    name: str
    url: str
    username: str
    auth: CalDavAuth
    sealed_secret: str = field(repr=False)
    home_url: str
    problem: str
    failures: int
    #: None where the server refuses what we sign in with: nothing is asked until that is changed.
    next_sync_at: datetime | None
    last_synced_at: datetime | None
    created_at: datetime
    changed_at: datetime


def list_accounts(tx: Tx) -> list[AccountRow]:
    """Return the caller's accounts, the first connected first."""
    return tx.all(AccountRow, f"SELECT * FROM calendar_accounts WHERE {OWN_ACCOUNT_SQL} ORDER BY id")


def find_account(tx: Tx, account_id: str) -> AccountRow | None:
    """Return one of the caller's accounts."""
    sql = f"SELECT * FROM calendar_accounts WHERE id = :id AND {OWN_ACCOUNT_SQL}"
    return tx.one(AccountRow, sql, id=account_id)


def add_account(tx: Tx, row: AccountRow) -> None:
    """Store a new account."""
    tx.run(
        """INSERT INTO calendar_accounts (id, workspace_id, user_id, name, url, username, auth, sealed_secret,
             home_url, problem, failures, next_sync_at, last_synced_at, created_at, changed_at)
           VALUES (:id, :workspace, :user_id, :name, :url, :username, :auth, :sealed_secret, :home_url,
             :problem, :failures, :next_sync_at, :last_synced_at, :created_at, :changed_at)""",
        **{name: getattr(row, name) for name in AccountRow.__slots__},
    )


def change_account(tx: Tx, row: AccountRow) -> None:
    """Store what a person changed of an account."""
    tx.run(
        f"""UPDATE calendar_accounts SET name = :name, username = :username, auth = :auth,
              sealed_secret = :sealed_secret, problem = :problem, failures = :failures,
              next_sync_at = :next_sync_at, changed_at = :changed_at
            WHERE id = :id AND {OWN_ACCOUNT_SQL}""",
        id=row.id,
        name=row.name,
        username=row.username,
        auth=row.auth,
        sealed_secret=row.sealed_secret,
        problem=row.problem,
        failures=row.failures,
        next_sync_at=row.next_sync_at,
        changed_at=row.changed_at,
    )


def note_account_state(
    tx: Tx, account_id: str, *, problem: str, failures: int, next_sync_at: datetime | None
) -> None:
    """Store how the last sync went, and when the next may be."""
    tx.run(
        f"""UPDATE calendar_accounts SET problem = :problem, failures = :failures,
              next_sync_at = :next_sync_at WHERE id = :id AND {OWN_ACCOUNT_SQL}""",
        id=account_id,
        problem=problem,
        failures=failures,
        next_sync_at=next_sync_at,
    )


def remove_account(tx: Tx, account_id: str) -> None:
    """Delete an account with its calendars and their events; nothing is told to the server."""
    tx.run(f"DELETE FROM calendar_accounts WHERE id = :id AND {OWN_ACCOUNT_SQL}", id=account_id)


@dataclass(frozen=True, slots=True)
class SyncedCalendar:
    """A calendar of an account, as its sync sees it."""

    id: str
    account_id: str
    url: str
    ctag: str
    sync_token: str
    is_writable: bool
    last_synced_at: datetime | None
    problem: str


SYNCED_COLUMNS = "id, account_id, url, ctag, sync_token, is_writable, last_synced_at, problem"
OWN_CALENDAR_SQL = (
    "workspace_id = :workspace AND owner_id = :me AND account_id IS NOT NULL AND deleted_at IS NULL"
)


def find_calendar(tx: Tx, calendar_id: str) -> SyncedCalendar | None:
    """Return one of the caller's calendars that a server keeps."""
    sql = f"SELECT {SYNCED_COLUMNS} FROM calendars WHERE id = :id AND {OWN_CALENDAR_SQL}"
    return tx.one(SyncedCalendar, sql, id=calendar_id)


def list_calendars_of(tx: Tx, account_ids: Collection[str]) -> list[SyncedCalendar]:
    """Return the calendars of some of the caller's accounts."""
    sql = f"""SELECT {SYNCED_COLUMNS} FROM calendars
              WHERE account_id IN {bound_list("accounts")} AND {OWN_CALENDAR_SQL} ORDER BY id"""
    return tx.all(SyncedCalendar, sql, accounts=sorted(account_ids))


def add_calendar(tx: Tx, *, calendar_id: str, account_id: str, found: FoundCalendar, color: str) -> None:
    """Store a calendar that was found at a server."""
    tx.run(
        """INSERT INTO calendars (id, workspace_id, owner_id, account_id, kind, name, color, is_writable, url,
             created_at, changed_at)
           VALUES (:id, :workspace, :me, :account_id, :kind, :name, :color, :is_writable, :url, :now,
             :now)""",
        id=calendar_id,
        account_id=account_id,
        kind=CalendarKind.CALDAV,
        name=found.name,
        color=color,
        is_writable=found.is_writable,
        url=found.url,
        now=now(),
    )


def note_calendar_synced(tx: Tx, calendar: SyncedCalendar, *, at: datetime, problem: str) -> None:
    """Store how far a calendar was read."""
    tx.run(
        f"""UPDATE calendars SET ctag = :ctag, sync_token = :sync_token, is_writable = :is_writable,
              last_synced_at = :at, problem = :problem WHERE id = :id AND {OWN_CALENDAR_SQL}""",
        id=calendar.id,
        ctag=calendar.ctag,
        sync_token=calendar.sync_token,
        is_writable=calendar.is_writable,
        at=at,
        problem=problem,
    )


def note_calendar_problem(tx: Tx, calendar_id: str, problem: str) -> None:
    """Store what is wrong with a calendar."""
    sql = f"UPDATE calendars SET problem = :problem WHERE id = :id AND {OWN_CALENDAR_SQL}"
    tx.run(sql, id=calendar_id, problem=problem)


def stop_account(tx: Tx, account_id: str, problem: str) -> None:
    """Say at all calendars of an account that its server refuses what we sign in with."""
    sql = f"UPDATE calendars SET problem = :problem WHERE account_id = :id AND {OWN_CALENDAR_SQL}"
    tx.run(sql, id=account_id, problem=problem)


@dataclass(frozen=True, slots=True)
class OwnedCalendar:
    """A calendar of some account, and whose it is."""

    calendar_id: str
    user_id: str
    workspace_id: str


def list_owned_calendars(tx: Tx) -> list[OwnedCalendar]:
    """Return the calendars of everybody's accounts, for housekeeping."""
    sql = """SELECT id AS calendar_id, owner_id AS user_id, workspace_id FROM calendars
             WHERE account_id IS NOT NULL AND deleted_at IS NULL"""
    return tx.all(OwnedCalendar, sql)
