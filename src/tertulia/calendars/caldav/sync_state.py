"""What a sync begins with and how it ends: who may do it, when the next is due, what is told of failures."""

from dataclasses import dataclass
from datetime import timedelta

from tertulia.accounts import members
from tertulia.calendars.caldav import account_store
from tertulia.calendars.caldav.account_store import AccountRow, SyncedCalendar
from tertulia.calendars.caldav.errors import CalDavBusy, CalDavRefused, CalDavSignInRefused
from tertulia.calendars.caldav.sync_queue import SYNC_INTERVAL, queue_sync
from tertulia.calendars.caldav.sync_report import SyncReport
from tertulia.calendars.events import publish_change
from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog

#: The first wait after a failure; each further one is twice as long, up to the longest.
BACKOFF_FIRST = timedelta(seconds=15)
BACKOFF_MAX = timedelta(minutes=15)
BACKOFF_DOUBLINGS_MAX = 10
#: Of the wait that a busy server asks for.
RETRY_AFTER_MAX = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class SyncSubject:
    """A calendar to be synced, its account, and on whose behalf."""

    calendar: SyncedCalendar
    account: AccountRow
    by: Principal

    @property
    def is_stopped(self) -> bool:
        """Tell whether the server refuses what we sign in with: until that is changed, nothing is asked."""
        return self.account.next_sync_at is None

    def wait(self) -> timedelta:
        """Return for how much longer the server is left alone after failures."""
        due = self.account.next_sync_at or now()
        left = due - now()
        return left if timedelta() < left <= RETRY_AFTER_MAX else timedelta()


def find_subject(tx: Tx, calendar_id: str) -> SyncSubject | None:
    """Return what is to be synced; None where it is gone, or its owner may not come in."""
    calendar = account_store.find_calendar(tx, calendar_id)
    account = account_store.find_account(tx, calendar.account_id) if calendar else None
    if calendar is None or account is None:
        return None
    member = members.find_active(tx)
    if member is None:
        return None
    return SyncSubject(calendar, account, Principal(tx.by.user_id, tx.by.workspace_id, member.role))


def queue_again(tx: Tx, calendar_id: str, *, log: EventLog) -> None:
    """Have a calendar synced later that cannot be now, if it is there."""
    if account_store.find_calendar(tx, calendar_id) is not None:
        queue_sync(tx, calendar_id, delay=SYNC_INTERVAL, log=log)


def note_success(
    tx: Tx, subject: SyncSubject, calendar: SyncedCalendar, report: SyncReport, *, problem: str, log: EventLog
) -> None:
    """Store how far a calendar was read, and have it read again."""
    account = subject.account
    account_store.note_account_state(tx, account.id, problem="", failures=0, next_sync_at=now())
    account_store.note_calendar_synced(tx, calendar, at=now(), problem=problem)
    queue_sync(tx, calendar.id, delay=SYNC_INTERVAL, log=log)
    if subject.is_stopped:
        for other in account_store.list_calendars_of(tx, [account.id]):
            queue_sync(tx, other.id, log=log)
    is_told = subject.calendar.problem != problem or subject.calendar.is_writable != calendar.is_writable
    if report.has_news or is_told:
        publish_change(tx, log=log)


def note_failure(tx: Tx, subject: SyncSubject, error: TertuliaError, *, log: EventLog) -> None:
    """Tell why a sync failed and queue the next, each time later; a refused sign-in stops the account."""
    calendar, account = subject.calendar, subject.account
    if isinstance(error, CalDavSignInRefused) and has_other_secret(tx, account):
        queue_sync(tx, calendar.id, log=log)
        return
    if isinstance(error, CalDavRefused):
        queue_sync(tx, calendar.id, delay=SYNC_INTERVAL, log=log)
    elif isinstance(error, CalDavSignInRefused):
        account_store.note_account_state(
            tx, account.id, problem=error.message, failures=account.failures + 1, next_sync_at=None
        )
        account_store.stop_account(tx, account.id, error.message)
    else:
        wait = backoff_after(account.failures, error)
        account_store.note_account_state(
            tx, account.id, problem=error.message, failures=account.failures + 1, next_sync_at=now() + wait
        )
        queue_sync(tx, calendar.id, delay=wait, log=log)
    account_store.note_calendar_problem(tx, calendar.id, error.message)
    publish_change(tx, log=log)


def has_other_secret(tx: Tx, account: AccountRow) -> bool:
    """Tell whether an account signs in otherwise by now, or is gone."""
    current = account_store.find_account(tx, account.id)
    return current is None or current.sealed_secret != account.sealed_secret


def backoff_after(failures: int, error: TertuliaError) -> timedelta:
    """Return how long a server is left alone."""
    if isinstance(error, CalDavBusy) and error.retry_after is not None:
        return min(max(timedelta(seconds=error.retry_after), BACKOFF_FIRST), RETRY_AFTER_MAX)
    return min(BACKOFF_MAX, BACKOFF_FIRST * 2 ** min(failures, BACKOFF_DOUBLINGS_MAX))
