"""Telling a person's devices that there is something to fetch of their memories, never what it says."""

from tertulia.conversations.events import encode_event
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.live.member_topics import member_topic, publish_to_members
from tertulia.live.personal_events import MemoriesChanged


def publish_change(tx: Tx, *, waiting: int, is_shared: bool, log: EventLog) -> None:
    """Tell the caller's own devices of a change, and every member where it is a project's."""
    if is_shared:
        publish_to_members(tx, MemoriesChanged(), log=log)
    topic = member_topic(tx.by.workspace_id, tx.by.user_id)
    log.append(tx, topic, [encode_event(MemoriesChanged(waiting))])
