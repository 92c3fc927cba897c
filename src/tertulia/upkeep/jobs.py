"""The jobs that keep conversations in order: naming them, and summarising or compressing what was said."""

from tertulia.conversations.follow_up_jobs import CONTEXT_JOB, TITLE_JOB
from tertulia.core.json_object import JsonObject
from tertulia.infra.jobs import JobHandler, principal_of
from tertulia.memories.follow_up import MEMORIES_JOB
from tertulia.turns.services import TurnServices
from tertulia.upkeep.compression_service import maintain_context
from tertulia.upkeep.memory_extraction import extract_in_background
from tertulia.upkeep.titles import title_conversation


def job_handlers(services: TurnServices) -> dict[str, JobHandler]:
    """Return what does each kind of job."""

    async def title(payload: JsonObject) -> None:
        await title_conversation(payload["conversation_id"], by=principal_of(payload), services=services)

    async def context(payload: JsonObject) -> None:
        await maintain_context(
            payload["conversation_id"],
            by=principal_of(payload),
            services=services,
            changed_round_id=payload.get("again", ""),
        )

    async def memories(payload: JsonObject) -> None:
        await extract_in_background(payload["conversation_id"], by=principal_of(payload), services=services)

    return {TITLE_JOB: title, CONTEXT_JOB: context, MEMORIES_JOB: memories}
