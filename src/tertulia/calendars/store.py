"""Calendars in the database: each is its owner's alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from tertulia.calendars.domain import Calendar, CalendarAccount, CalendarKind
from tertulia.core.clock import now
from tertulia.core.ids import ULID_RANDOM_BITS, encode_crockford
from tertulia.infra.db import Tx

PRIMARY_NAME = "Calendar"
PRIMARY_COLOR = "#3b82f6"
OWN_SQL = "c.workspace_id = :workspace AND c.owner_id = :me"
CALENDAR_SQL = """SELECT c.id, c.owner_id, c.kind, c.name, c.color, c.is_default, c.is_shown, c.is_blocking,
      c.is_writable, c.last_synced_at, c.problem, c.subscription_hash, a.id AS account_id,
      a.name AS account_name, a.url AS account_url, a.username AS account_username,
      a.problem AS account_problem,
      (SELECT count(*) FROM calendar_objects AS o WHERE o.calendar_id = c.id AND o.workspace_id = :workspace
        AND o.pending <> '') AS pending
    FROM calendars AS c
    LEFT JOIN calendar_accounts AS a ON a.id = c.account_id AND a.workspace_id = :workspace"""


@dataclass(frozen=True, slots=True)
class CalendarRow:
    """A calendar as it is stored, with its account."""

    id: str
    owner_id: str
    kind: CalendarKind
    name: str
    color: str
    is_default: bool
    is_shown: bool
    is_blocking: bool
    is_writable: bool
    last_synced_at: datetime | None
    problem: str
    subscription_hash: str | None
    account_id: str | None
    account_name: str | None
    account_url: str | None
    account_username: str | None
    account_problem: str | None
    pending: int

    def to_calendar(self) -> Calendar:
        """Return the calendar as everybody meets it."""
        account = None
        if self.account_id is not None:
            name, url = self.account_name or "", self.account_url or ""
            account = CalendarAccount(self.account_id, name, url, self.account_username or "")
        return Calendar(
            id=self.id,
            owner_id=self.owner_id,
            kind=self.kind,
            name=self.name,
            color=self.color,
            is_default=self.is_default,
            is_shown=self.is_shown,
            is_blocking=self.is_blocking,
            is_writable=self.is_writable,
            account=account,
            last_synced_at=self.last_synced_at,
            problem=self.account_problem or self.problem,
            pending=self.pending,
            subscription=self.subscription_hash is not None,
        )


@dataclass(frozen=True, slots=True)
class SubscribedCalendar:
    """A calendar that somebody subscribes to by its secret address."""

    id: str
    workspace_id: str
    owner_id: str
    name: str


def primary_id(workspace_id: str, user_id: str) -> str:
    """Return the id of the calendar that a person has from the start, whether it is stored yet or not."""
    digest = sha256(f"{workspace_id}/{user_id}".encode()).digest()
    # It is as if made before all others: no clock is led astray by it, and it comes first.
    return f"cal_{encode_crockford(int.from_bytes(digest[: ULID_RANDOM_BITS // 8]))}"


def list_calendars(tx: Tx) -> list[Calendar]:
    """Return the caller's calendars, the first that was made first."""
    sql = f"{CALENDAR_SQL} WHERE {OWN_SQL} AND c.deleted_at IS NULL ORDER BY c.id"
    return [row.to_calendar() for row in tx.all(CalendarRow, sql)]


def find(tx: Tx, calendar_id: str) -> Calendar | None:
    """Return one of the caller's calendars."""
    sql = f"{CALENDAR_SQL} WHERE c.id = :id AND {OWN_SQL} AND c.deleted_at IS NULL"
    row = tx.one(CalendarRow, sql, id=calendar_id)
    return row.to_calendar() if row else None


def add(tx: Tx, calendar_id: str, *, name: str, color: str) -> None:
    """Store a built-in calendar; to do so twice changes nothing."""
    tx.run(
        """INSERT INTO calendars (id, workspace_id, owner_id, kind, name, color, created_at, changed_at)
           VALUES (:id, :workspace, :me, :kind, :name, :color, :now, :now) ON CONFLICT (id) DO NOTHING""",
        id=calendar_id,
        kind=CalendarKind.BUILTIN,
        name=name,
        color=color,
        now=now(),
    )


def change(tx: Tx, calendar_id: str, values: Mapping[str, object]) -> None:
    """Set columns of a calendar."""
    sets = "".join(f", {column} = :{column}" for column in values)
    sql = f"""UPDATE calendars SET changed_at = :now{sets}
        WHERE id = :id AND workspace_id = :workspace AND owner_id = :me"""
    tx.run(sql, id=calendar_id, now=now(), **values)


def clear_default(tx: Tx) -> None:
    """Let none of the caller's calendars be the one for events that name none."""
    tx.run("UPDATE calendars SET is_default = 0 WHERE workspace_id = :workspace AND owner_id = :me")


def hide(tx: Tx, calendar_id: str, *, deleted_at: datetime | None) -> None:
    """Let nobody see a calendar any more, or let it be seen again."""
    change(tx, calendar_id, {"deleted_at": deleted_at})


def delete(tx: Tx, calendar_id: str) -> None:
    """Delete a calendar for good, and its account with its last one."""
    account = tx.value(
        "SELECT account_id FROM calendars WHERE id = :id AND workspace_id = :workspace", id=calendar_id
    )
    tx.run("DELETE FROM calendars WHERE id = :id AND workspace_id = :workspace", id=calendar_id)
    if account is not None:
        tx.run(
            """DELETE FROM calendar_accounts WHERE id = :id AND workspace_id = :workspace AND NOT EXISTS (
                 SELECT 1 FROM calendars AS c WHERE c.account_id = :id AND c.workspace_id = :workspace)""",
            id=account,
        )


def find_subscribed(tx: Tx, subscription_hash: str) -> SubscribedCalendar | None:
    """Return the calendar of a secret address, whoever asks; it spans workspaces."""
    sql = """SELECT id, workspace_id, owner_id, name FROM calendars
        WHERE subscription_hash = :hash AND deleted_at IS NULL"""
    return tx.one(SubscribedCalendar, sql, hash=subscription_hash)
