"""The job that looks through what was said in a conversation."""

from tertulia.conversations.follow_up_jobs import ENTITIES_JOB
from tertulia.core.json_object import JsonObject
from tertulia.entities.service import read_new_messages
from tertulia.infra.db import Database
from tertulia.infra.jobs import JobHandler, principal_of


def job_handlers(*, db: Database) -> dict[str, JobHandler]:
    """Return what does each kind of job."""

    async def entities(payload: JsonObject) -> None:
        await read_new_messages(db, payload["conversation_id"], by=principal_of(payload))

    return {ENTITIES_JOB: entities}
