"""Telling a person's devices that a reminder is due, never what it says."""

import msgspec

from tertulia.core.nul_characters import encode_storable_json
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.live.member_topics import member_topic


class ReminderDue(msgspec.Struct, frozen=True, tag="reminder.due"):
    """A reminder of yours is due, or was dismissed or put off on another device: fetch them."""

    id: str


def publish_reminder(tx: Tx, reminder_id: str, *, log: EventLog) -> None:
    """Tell the caller's own devices of a reminder."""
    topic = member_topic(tx.by.workspace_id, tx.by.user_id)
    log.append(tx, topic, [encode_storable_json(ReminderDue(reminder_id))])
