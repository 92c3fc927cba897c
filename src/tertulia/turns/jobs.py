"""Work that follows a turn and that nobody waits for."""

from typing import Any

from tertulia.accounts.deletion import ACCOUNT_DATA_JOB, ClosedAccount
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.account_data import delete_account_data
from tertulia.conversations.domain import Conversation
from tertulia.conversations.finding import find_in_slices
from tertulia.conversations.importing import FIND_MESSAGES
from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Tx
from tertulia.infra.events.log import last_seq, prune
from tertulia.infra.jobs import Handler
from tertulia.turns.compressing import look_after
from tertulia.turns.desk import Desk
from tertulia.turns.titles import give_title


def handlers(desk: Desk) -> dict[str, Handler]:
    """Return what does each kind of job."""

    async def title(payload: dict[str, Any]) -> None:
        await give_title(payload["conversation_id"], by=acting(payload), desk=desk)

    async def prune_events(payload: dict[str, Any]) -> None:
        by = acting(payload)
        await desk.db.write(lambda tx: forget_events(tx, payload["conversation_id"]), by=by)

    async def look_after_context(payload: dict[str, Any]) -> None:
        again = payload.get("again", "")
        await look_after(payload["conversation_id"], by=acting(payload), desk=desk, again=again)

    async def account_data(payload: dict[str, Any]) -> None:
        await delete_account_data(ClosedAccount(**payload), db=desk.db, log=desk.events)

    async def find_messages(payload: dict[str, Any]) -> None:
        await find_in_slices(desk.db, payload["conversation_id"], by=acting(payload))

    return {
        "title": title,
        "prune_events": prune_events,
        "context": look_after_context,
        ACCOUNT_DATA_JOB: account_data,
        FIND_MESSAGES: find_messages,
    }


def acting(payload: dict[str, Any]) -> Principal:
    """Return on whose behalf a job is done."""
    return Principal(payload["user_id"], payload["workspace_id"], Role.MEMBER)


def forget_events(tx: Tx, conversation_id: str) -> None:
    """Forget a conversation's events unless a reply is being written: all they said is in its messages."""
    if find(tx, conversation_id) and not writing(tx, conversation_id):
        prune(tx, conversation_id, last_seq(tx, conversation_id))


def find(tx: Tx, conversation_id: str) -> Conversation | None:
    """Return a conversation, or None when it was deleted meanwhile."""
    try:
        return get_for_reading(tx, conversation_id)
    except NotFound:
        return None


def writing(tx: Tx, conversation_id: str) -> bool:
    """Tell whether a reply is being written."""
    sql = "SELECT count(*) FROM runs WHERE conversation_id = :id AND workspace_id = :workspace"
    return bool(tx.value(sql, id=conversation_id))
