"""The job that follows a turn: forgetting the events that its messages have made superfluous."""

from datetime import timedelta

from tertulia.conversations.access import find_unchecked
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Database, Tx
from tertulia.infra.events.log import delete_events_through, last_seq
from tertulia.infra.jobs import JobHandler, enqueue, payload_by, principal_of

PRUNE_EVENTS_JOB = "prune_events"
#: Listeners that come back later than this fetch the conversation anew.
EVENT_RETENTION = timedelta(minutes=30)


def job_handlers(*, db: Database) -> dict[str, JobHandler]:
    """Return what does each kind of job."""

    async def prune_events(payload: JsonObject) -> None:
        conversation_id, through = payload["conversation_id"], payload.get("through", 0)
        await db.write(
            lambda tx: prune_conversation_events(tx, conversation_id, through), by=principal_of(payload)
        )

    return {PRUNE_EVENTS_JOB: prune_events}


def queue_event_pruning(tx: Tx, conversation_id: str) -> None:
    """Have the events that a conversation has by now forgotten when they are old enough."""
    payload = payload_by(tx.by, conversation_id=conversation_id, through=last_seq(tx, conversation_id))
    enqueue(tx, PRUNE_EVENTS_JOB, key=f"prune:{conversation_id}", payload=payload, delay=EVENT_RETENTION)


def prune_conversation_events(tx: Tx, conversation_id: str, through: int) -> None:
    """Forget a conversation's events up to a number, unless a reply is being written.

    All they said is in its messages. What came since is as young as those were, and waits as long.
    """
    if find_unchecked(tx, conversation_id) is None or has_unfinished_reply(tx, conversation_id):
        return
    delete_events_through(tx, conversation_id, through)
    if last_seq(tx, conversation_id) > through:
        queue_event_pruning(tx, conversation_id)


def has_unfinished_reply(tx: Tx, conversation_id: str) -> bool:
    """Tell whether a reply is being written."""
    sql = "SELECT count(*) FROM runs WHERE conversation_id = :id AND workspace_id = :workspace"
    return bool(tx.value(sql, id=conversation_id))
