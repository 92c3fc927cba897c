"""Keeping a conversation in mind however long it grows: summarised as it goes, compressed before it is full.

Nobody waits for this: it is a job that follows a round. It is also what
*Summarise now*, *Compress now* and *Undo* do.
"""

from tertulia.context.compression import BranchHistory, read_branch_history, was_recently_undone
from tertulia.conversations.access import get_for_reading, get_for_writing
from tertulia.conversations.domain import Origin
from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.inspection.context_meter import furthest_watermark, measure_load
from tertulia.memory import summaries
from tertulia.memory.domain import Summary
from tertulia.retrieval import flags
from tertulia.turns.services import TurnServices
from tertulia.upkeep.errors import NothingToCompress, NothingToSummarise, NothingToUndo
from tertulia.upkeep.summary_writer import publish_context_changed, update_summary


async def maintain_context(
    conversation_id: str, *, by: Principal, services: TurnServices, changed_round_id: str = ""
) -> None:
    """Summarise what is new when that is due, and compress when the limit comes near.

    In the round `changed_round_id` something counts once more that was left out.
    """
    try:
        history = await services.db.read(
            lambda tx: read_history(tx, conversation_id, changed_round_id), by=by
        )
    except NotFound:
        return
    if history is None or history.conversation.origin is Origin.API:
        return
    history = history.without_last_round
    load = await measure_load(history, by=by, services=services)
    if load.is_compression_due and not await services.db.read(
        lambda tx: was_recently_undone(tx, history), by=by
    ):
        await update_summary(history, mark=load.next_watermark(), by=by, services=services)
    elif await is_summary_due(history, changed_round_id, by=by, services=services):
        await update_summary(history, by=by, services=services)


async def is_summary_due(
    history: BranchHistory, changed_round_id: str, *, by: Principal, services: TurnServices
) -> bool:
    """Tell whether enough was said for a new summary, or something that only a summary can still tell."""
    if any(
        full_round.round.number <= history.watermark or full_round.round.id == changed_round_id
        for full_round in history.changed
    ):
        return True
    current = await services.db.read(
        lambda tx: flags.read_flags(tx, services.settings, user_id=by.user_id), by=by
    )
    often = current.summary_frequency
    return bool(history.unsummarised) and bool(often) and history.assistant_messages >= often


async def summarise_now(conversation_id: str, *, by: Principal, services: TurnServices) -> Summary:
    """Summarise all that was said, the last round too."""
    history = await services.db.read(lambda tx: read_history_for_writing(tx, conversation_id), by=by)
    if history is None or (not history.unsummarised and history.summary is None):
        raise NothingToSummarise
    if not history.unsummarised and not history.changed and history.summary is not None:
        return history.summary
    made = await update_summary(history, but_last=False, by=by, services=services)
    return made or await get_current_summary(conversation_id, by=by, services=services)


async def compress_now(conversation_id: str, *, by: Principal, services: TurnServices) -> Summary:
    """Compress all but the last rounds."""
    history = await services.db.read(lambda tx: read_history_for_writing(tx, conversation_id), by=by)
    if history is None:
        raise NothingToCompress
    history = history.without_last_round
    load = await measure_load(history, by=by, services=services)
    mark = furthest_watermark(load, history)
    if not mark:
        raise NothingToCompress
    made = await update_summary(history, mark=mark, by=by, services=services)
    return made or await get_current_summary(conversation_id, by=by, services=services)


def undo_compression(tx: Tx, conversation_id: str, *, log: EventLog) -> None:
    """Take back the last compression of the branch that is shown."""
    conversation = get_for_writing(tx, conversation_id)
    head = conversation.head_id or ""
    present = summaries.find_current_summary(tx, conversation.id, head)
    if present is None or not present.is_compression:
        raise NothingToUndo
    summaries.undo_summary(tx, first_with_watermark(tx, present, head), head)
    before = summaries.find_current_summary(tx, conversation.id, head)
    publish_context_changed(tx, conversation.id, before, log=log)


def first_with_watermark(tx: Tx, present: Summary, head: str) -> Summary:
    """Return the version that moved the watermark to where it is: rolling ones after it only kept it."""
    # Versions newer than the present one are of other branches: it does not build on them.
    chain = summaries.list_current_summaries(tx, present.conversation_id, head)
    return next(
        summary for summary in chain if summary.id <= present.id and summary.watermark == present.watermark
    )


def read_history(tx: Tx, conversation_id: str, changed_round_id: str) -> BranchHistory | None:
    """Return what is known of a conversation."""
    return read_branch_history(tx, get_for_reading(tx, conversation_id), changed_round_id=changed_round_id)


def read_history_for_writing(tx: Tx, conversation_id: str) -> BranchHistory | None:
    """Return what is known of a conversation that the caller may write in."""
    return read_branch_history(tx, get_for_writing(tx, conversation_id))


async def get_current_summary(conversation_id: str, *, by: Principal, services: TurnServices) -> Summary:
    """Return the summary of somebody who was quicker."""
    if summary := await find_current_summary(conversation_id, by=by, services=services):
        return summary
    raise NothingToSummarise


async def find_current_summary(
    conversation_id: str, *, by: Principal, services: TurnServices
) -> Summary | None:
    """Return the summary that is in force on the branch that is shown."""

    def read(tx: Tx) -> Summary | None:
        conversation = get_for_reading(tx, conversation_id)
        return summaries.find_current_summary(tx, conversation.id, conversation.head_id or "")

    return await services.db.read(read, by=by)
