"""What is true of the whole server, and agreed on by all of its processes: the first to say it decides."""

from datetime import datetime, timedelta

from tertulia.core.clock import from_ms, now, to_ms
from tertulia.infra.db.tx import Tx


def find_fact(tx: Tx, name: str) -> str | None:
    """Return a fact, or None where nobody has said it yet."""
    value: str | None = tx.value("SELECT value FROM server_facts WHERE name = :name", name=name)
    return value


def agree_on_fact(tx: Tx, name: str, value: str) -> str:
    """Say a fact, and return what counts: what was said first."""
    tx.run(
        "INSERT INTO server_facts (name, value) VALUES (:name, :value) ON CONFLICT DO NOTHING",
        name=name,
        value=value,
    )
    return find_fact(tx, name) or value


def claim_interval(tx: Tx, name: str, *, every: timedelta) -> bool:
    """Claim work that one process does for all, once in an interval; False where it was done in this one."""
    at = now()
    if is_ahead(find_fact(tx, name), at, every):
        return False
    tx.run(
        """INSERT INTO server_facts (name, value) VALUES (:name, :value)
           ON CONFLICT (name) DO UPDATE SET value = :value""",
        name=name,
        value=str(to_ms(at + every)),
    )
    return True


def is_ahead(next_ms: str | None, at: datetime, every: timedelta) -> bool:
    """Tell whether the next interval is still to come; one further ahead was set by a wrong clock."""
    return next_ms is not None and at < from_ms(int(next_ms)) <= at + every


def forget_fact(tx: Tx, name: str) -> None:
    """Let a fact be agreed on anew."""
    tx.run("DELETE FROM server_facts WHERE name = :name", name=name)
