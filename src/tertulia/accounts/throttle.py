"""Slowing down those who guess passwords, for each account and for each address.

An attempt is counted before its password is looked at, so that many at once
cannot slip past, and is taken back when the password was right. A few are free;
after those, each failure within the last hour doubles the wait.
"""

import ipaddress
from dataclasses import dataclass
from datetime import datetime, timedelta

from tertulia.accounts.bearer_secrets import secret_digest
from tertulia.accounts.errors import TooManyAttempts
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx

SIGN_IN_FAILURE_WINDOW = timedelta(hours=1)
SIGN_IN_WAIT_MAX = timedelta(minutes=15)
FREE_SIGN_INS_PER_ACCOUNT = 5
#: A household or an office shares an address.
FREE_SIGN_INS_PER_ADDRESS = 20


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """One try at a password, while it is being checked."""

    id: str
    account: str


@dataclass(frozen=True, slots=True)
class SignInFailures:
    """How often a key failed of late, and when last."""

    count: int
    last: datetime | None

    def time_to_wait(self, free_attempts: int, now: datetime) -> timedelta:
        """Return how long the next attempt has to wait; zero or less when it need not."""
        if self.last is None or self.count < free_attempts:
            return timedelta(0)
        # The exponent is bounded because a timedelta is.
        backoff = timedelta(seconds=2 ** min(self.count - free_attempts, 20))
        return self.last + min(backoff, SIGN_IN_WAIT_MAX) - now


def record_attempt(tx: Tx, *, account: str, address: str) -> SignInAttempt:
    """Count an attempt, or raise when its account or address must wait."""
    # Not by a machine's own clock: attempts are counted together that several machines have seen.
    now = tx.uptime()
    attempt = SignInAttempt(id=new_id("att"), account=secret_digest(f"account {account}"))
    keys = {
        attempt.account: FREE_SIGN_INS_PER_ACCOUNT,
        secret_digest(f"address {address_group(address)}"): FREE_SIGN_INS_PER_ADDRESS,
    }
    # Attempts from the future were counted before the machine was last started, and must keep nobody out.
    tx.run(
        "DELETE FROM sign_in_attempts WHERE at <= :before OR at > :now",
        before=now - SIGN_IN_FAILURE_WINDOW,
        now=now,
    )
    wait = max(read_failures(tx, key).time_to_wait(free, now) for key, free in keys.items())
    if wait > timedelta(0):
        raise TooManyAttempts(wait.total_seconds())
    tx.run_many(
        "INSERT INTO sign_in_attempts (attempt_id, key, at) VALUES (:id, :key, :now)",
        [{"id": attempt.id, "key": key, "now": now} for key in keys],
    )
    return attempt


def clear_failures(tx: Tx, attempt: SignInAttempt) -> None:
    """Forget an attempt that was right, and what had failed for its account before."""
    tx.run(
        "DELETE FROM sign_in_attempts WHERE key = :account OR attempt_id = :id",
        account=attempt.account,
        id=attempt.id,
    )


def read_failures(tx: Tx, key: str) -> SignInFailures:
    """Return the failures of the last hour that count against a key."""
    found = tx.one(
        SignInFailures,
        "SELECT count(*) AS count, max(at) AS last FROM sign_in_attempts WHERE key = :key",
        key=key,
    )
    return found or SignInFailures(0, None)


def address_group(address: str) -> str:
    """Return whom an address stands for: one IPv6 household has 2^64 of them."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed), 64), strict=False))
