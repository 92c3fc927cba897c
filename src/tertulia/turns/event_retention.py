"""The job that follows a turn: forgetting the events that its messages have made superfluous."""

from datetime import timedelta

from tertulia.conversations.access import get_for_reading
from tertulia.core.errors import NotFound
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
        conversation_id = payload["conversation_id"]
        await db.write(lambda tx: prune_conversation_events(tx, conversation_id), by=principal_of(payload))

    return {PRUNE_EVENTS_JOB: prune_events}


def queue_event_pruning(tx: Tx, conversation_id: str) -> None:
    """Have the events of a conversation forgotten when they are old enough."""
    payload = payload_by(tx.by, conversation_id=conversation_id)
    enqueue(tx, PRUNE_EVENTS_JOB, key=f"prune:{conversation_id}", payload=payload, delay=EVENT_RETENTION)


def prune_conversation_events(tx: Tx, conversation_id: str) -> None:
    """Forget a conversation's events unless a reply is being written: all they said is in its messages."""
    if is_known(tx, conversation_id) and not has_unfinished_reply(tx, conversation_id):
        delete_events_through(tx, conversation_id, last_seq(tx, conversation_id))


def is_known(tx: Tx, conversation_id: str) -> bool:
    """Tell whether a conversation is there still."""
    try:
        get_for_reading(tx, conversation_id)
    except NotFound:
        return False
    return True


def has_unfinished_reply(tx: Tx, conversation_id: str) -> bool:
    """Tell whether a reply is being written."""
    sql = "SELECT count(*) FROM runs WHERE conversation_id = :id AND workspace_id = :workspace"
    return bool(tx.value(sql, id=conversation_id))
