"""Feeds: the topic where a member hears of all that concerns them in a workspace."""

from hashlib import sha256

import msgspec

from tertulia.accounts import members
from tertulia.core.nul_characters import encode_storable_json
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.events.log import delete_topics_by_suffix

FEED_MARK_CHARS = 8


def member_topic(workspace_id: str, user_id: str) -> str:
    """Return the topic of a member's feed."""
    return f"{workspace_id}/{user_id}"


def feed_mark(topic: str) -> str:
    """Return what the numbers of a feed carry: a browser may send one once somebody else has signed in."""
    return sha256(topic.encode()).hexdigest()[:FEED_MARK_CHARS]


def delete_feeds(tx: Tx, user_id: str) -> None:
    """Forget the feeds of a person who is gone, in all workspaces."""
    delete_topics_by_suffix(tx, member_topic("", user_id))


def publish_to_members(tx: Tx, event: msgspec.Struct, *, log: EventLog) -> None:
    """Say something in the feed of every member of the workspace."""
    body = encode_storable_json(event)
    recipients = members.list_members(tx)
    log.append_all(
        tx, {member_topic(tx.by.workspace_id, recipient.user_id): [body] for recipient in recipients}
    )
