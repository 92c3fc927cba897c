"""The jobs of conversations: indexing imported messages, deleting what expired or a closed account left."""

from tertulia.accounts.deletion import ACCOUNT_DATA_JOB, ACCOUNT_LEFTOVERS_JOB, ClosedAccount
from tertulia.conversations import service
from tertulia.conversations.account_data import delete_account_data
from tertulia.conversations.expiry import EXPIRY_JOB
from tertulia.conversations.import_writer import INDEX_MESSAGES_JOB
from tertulia.conversations.message_index import index_in_batches
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Database
from tertulia.infra.events import EventLog
from tertulia.infra.jobs import JobHandler, principal_of


def job_handlers(*, db: Database, log: EventLog) -> dict[str, JobHandler]:
    """Return what does each kind of job."""

    async def account_data(payload: JsonObject) -> None:
        await delete_account_data(ClosedAccount(**payload), db=db, log=log)

    async def index_messages(payload: JsonObject) -> None:
        await index_in_batches(db, payload["conversation_id"], by=principal_of(payload))

    async def expire(payload: JsonObject) -> None:
        expired = payload["conversation_id"]
        await db.write(lambda tx: service.expire(tx, expired, log=log), by=principal_of(payload))

    return {
        ACCOUNT_DATA_JOB: account_data,
        ACCOUNT_LEFTOVERS_JOB: account_data,
        INDEX_MESSAGES_JOB: index_messages,
        EXPIRY_JOB: expire,
    }
