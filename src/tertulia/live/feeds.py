"""Feeds: the topic where a member hears of all that concerns them in a workspace."""

import msgspec

from tertulia.accounts import members
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog


def feed_of(workspace_id: str, user_id: str) -> str:
    """Return the topic of a member's feed."""
    return f"{workspace_id}/{user_id}"


def tell_everyone(tx: Tx, event: msgspec.Struct, *, log: EventLog) -> None:
    """Say something in the feed of every member of the workspace."""
    body = msgspec.json.encode(event).decode()
    people = members.everyone(tx)
    log.append_all(tx, {feed_of(tx.by.workspace_id, one.user_id): [body] for one in people})
