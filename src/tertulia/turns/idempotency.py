"""A request that starts paid work is done once a key: sent again, it gets the answer that it got before."""

import hashlib
from dataclasses import dataclass

import msgspec

from tertulia.core.clock import now
from tertulia.infra.db import Tx
from tertulia.turns.errors import IdempotencyKeyReused


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """The key that a request came with, if any, and what tells it from other requests."""

    key: str | None
    body_hash: str

    @classmethod
    def of(cls, key: str | None, *body: object) -> "IdempotentRequest":
        """Return a request with this key and body."""
        return cls(key, hashlib.sha256(msgspec.json.encode(body)).hexdigest())


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """What a request made, as the database keeps it."""

    body_hash: str
    made: list[str]


def find_earlier_ids(tx: Tx, request: IdempotentRequest) -> list[str] | None:
    """Return the ids of what this request made before; raise when its key stands for another request."""
    if request.key is None:
        return None
    found = tx.one(
        IdempotencyRecord,
        """SELECT body_hash, made FROM idempotency_keys
           WHERE workspace_id = :workspace AND user_id = :me AND key = :key""",
        key=request.key,
    )
    if found is None:
        return None
    if found.body_hash != request.body_hash:
        raise IdempotencyKeyReused
    return found.made


def record_request(tx: Tx, request: IdempotentRequest, conversation_id: str, made: list[str]) -> None:
    """Keep what a request made for as long as its conversation."""
    if request.key is None:
        return
    tx.run(
        """INSERT INTO idempotency_keys
             (workspace_id, user_id, key, body_hash, conversation_id, made, created_at)
           VALUES (:workspace, :me, :key, :body_hash, :conversation, :made, :now)""",
        key=request.key,
        body_hash=request.body_hash,
        conversation=conversation_id,
        made=made,
        now=now(),
    )
