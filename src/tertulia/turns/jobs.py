"""Work that follows a turn and that nobody waits for."""

from typing import Any

from tertulia.accounts.deletion import ACCOUNT_DATA_JOB, ClosedAccount
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.account_data import delete_account_data
from tertulia.conversations.domain import Conversation
from tertulia.conversations.import_writer import INDEX_MESSAGES_JOB
from tertulia.conversations.message_index import index_in_batches
from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Tx
from tertulia.infra.events.log import delete_events_through, last_seq
from tertulia.infra.jobs import JobHandler
from tertulia.turns.compression_service import maintain_context
from tertulia.turns.services import TurnServices
from tertulia.turns.titles import title_conversation


def job_handlers(services: TurnServices) -> dict[str, JobHandler]:
    """Return what does each kind of job."""

    async def title(payload: dict[str, Any]) -> None:
        await title_conversation(payload["conversation_id"], by=principal_of(payload), services=services)

    async def prune_events(payload: dict[str, Any]) -> None:
        by = principal_of(payload)
        await services.db.write(lambda tx: prune_conversation_events(tx, payload["conversation_id"]), by=by)

    async def look_after_context(payload: dict[str, Any]) -> None:
        again = payload.get("again", "")
        await maintain_context(
            payload["conversation_id"], by=principal_of(payload), services=services, changed_round_id=again
        )

    async def account_data(payload: dict[str, Any]) -> None:
        await delete_account_data(ClosedAccount(**payload), db=services.db, log=services.events)

    async def find_messages(payload: dict[str, Any]) -> None:
        await index_in_batches(services.db, payload["conversation_id"], by=principal_of(payload))

    return {
        "title": title,
        "prune_events": prune_events,
        "context": look_after_context,
        ACCOUNT_DATA_JOB: account_data,
        INDEX_MESSAGES_JOB: find_messages,
    }


def principal_of(payload: dict[str, Any]) -> Principal:
    """Return on whose behalf a job is done."""
    return Principal(payload["user_id"], payload["workspace_id"], Role.MEMBER)


def prune_conversation_events(tx: Tx, conversation_id: str) -> None:
    """Forget a conversation's events unless a reply is being written: all they said is in its messages."""
    if find_conversation(tx, conversation_id) and not has_unfinished_reply(tx, conversation_id):
        delete_events_through(tx, conversation_id, last_seq(tx, conversation_id))


def find_conversation(tx: Tx, conversation_id: str) -> Conversation | None:
    """Return a conversation, or None when it was deleted meanwhile."""
    try:
        return get_for_reading(tx, conversation_id)
    except NotFound:
        return None


def has_unfinished_reply(tx: Tx, conversation_id: str) -> bool:
    """Tell whether a reply is being written."""
    sql = "SELECT count(*) FROM runs WHERE conversation_id = :id AND workspace_id = :workspace"
    return bool(tx.value(sql, id=conversation_id))
