"""Browsers that show notifications, in the database."""

from dataclasses import dataclass

from tertulia.core.clock import now
from tertulia.infra.db import Tx

OWN_SQL = "workspace_id = :workspace AND user_id = :me"


@dataclass(frozen=True, slots=True)
class PushRow:
    """A subscription as it is stored."""

    id: str
    user_id: str
    workspace_id: str
    credential_id: str
    sealed: str


def add(tx: Tx, subscription_id: str, *, endpoint_digest: str, sealed: str) -> None:
    """Store a subscription of the caller's."""
    tx.run(
        """INSERT INTO push_subscriptions
             (id, workspace_id, user_id, credential_id, endpoint_digest, sealed, created_at)
           VALUES (:id, :workspace, :me, :credential, :digest, :sealed, :now)""",
        id=subscription_id,
        credential=tx.by.credential_id,
        digest=endpoint_digest,
        sealed=sealed,
        now=now(),
    )


def remove_endpoint(tx: Tx, endpoint_digest: str) -> None:
    """Forget a browser, whoever of the workspace had notifications there before."""
    sql = "DELETE FROM push_subscriptions WHERE endpoint_digest = :digest AND workspace_id = :workspace"
    tx.run(sql, digest=endpoint_digest)


def remove_own_endpoint(tx: Tx, endpoint_digest: str) -> bool:
    """Forget a browser of the caller's."""
    sql = f"DELETE FROM push_subscriptions WHERE endpoint_digest = :digest AND {OWN_SQL}"
    return bool(tx.change(sql, digest=endpoint_digest))


def remove(tx: Tx, subscription_id: str) -> None:
    """Forget a subscription that leads nowhere any more."""
    tx.run("DELETE FROM push_subscriptions WHERE id = :id AND workspace_id = :workspace", id=subscription_id)


def find(tx: Tx, subscription_id: str) -> PushRow | None:
    """Return a subscription of the caller's."""
    sql = f"""SELECT id, user_id, workspace_id, credential_id, sealed FROM push_subscriptions
        WHERE id = :id AND {OWN_SQL}"""
    return tx.one(PushRow, sql, id=subscription_id)


def list_own(tx: Tx) -> list[PushRow]:
    """Return the caller's subscriptions, the oldest first."""
    sql = f"""SELECT id, user_id, workspace_id, credential_id, sealed FROM push_subscriptions WHERE {OWN_SQL}
        ORDER BY id"""
    return tx.all(PushRow, sql)


def count_own(tx: Tx) -> int:
    """Return how many browsers of the caller show notifications."""
    return int(tx.value(f"SELECT count(*) FROM push_subscriptions WHERE {OWN_SQL}"))
