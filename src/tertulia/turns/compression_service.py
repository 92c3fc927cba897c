"""Keeping a conversation in mind however long it grows: summarised as it goes, compressed before it is full.

Nobody waits for this: it is a job that follows a round. It is also what
*Summarise now*, *Compress now* and *Undo* do.
"""

import asyncio
from dataclasses import replace
from typing import Protocol

from tertulia.context.compression import (
    BranchHistory,
    mark_unshared_local,
    read_branch_history,
    summary_token_limit,
    transcript_lines,
    was_recently_undone,
)
from tertulia.conversations.access import get_for_reading, get_for_writing
from tertulia.conversations.domain import Origin
from tertulia.conversations.events import ContextChanged, encode_event
from tertulia.core.errors import Conflict, NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.memory import store as summaries
from tertulia.memory.domain import SourceMessage, Summary
from tertulia.memory.summariser import summarise_messages
from tertulia.retrieval import flags
from tertulia.turns.context_meter import furthest_watermark, measure_load
from tertulia.turns.idempotency import IdempotentRequest, find_earlier_ids, record_request
from tertulia.turns.services import TurnServices
from tertulia.turns.utility_model import UtilityModel, find_utility_model, remote_models_among


class NothingToSummarise(Conflict):
    """Nothing was said yet that a summary could cover."""

    code = "nothing_to_summarise"

    def __init__(self) -> None:
        super().__init__("There is nothing to summarise yet: ask something first, and let it be answered.")


class NothingToCompress(Conflict):
    """All that was said is short, or compressed already."""

    code = "nothing_to_compress"

    def __init__(self) -> None:
        super().__init__("There is nothing to compress: the last rounds are always shown word for word.")


class NothingToUndo(Conflict):
    """No compression is in force."""

    code = "nothing_to_undo"

    def __init__(self) -> None:
        super().__init__("This conversation is not compressed.")


class SummaryAction(Protocol):
    """Summarises or compresses a conversation."""

    async def __call__(self, conversation_id: str, *, by: Principal, services: TurnServices) -> Summary:
        """Return the summary that is in force then."""
        ...


async def maintain_context(
    conversation_id: str, *, by: Principal, services: TurnServices, changed_round_id: str = ""
) -> None:
    """Summarise what is new when that is due, and compress when the limit comes near.

    In the round `again` something counts once more that was left out.
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
        await update_summary(history, limit=load.limit, mark=load.next_watermark(), by=by, services=services)
    elif await is_summary_due(history, changed_round_id, by=by, services=services):
        await update_summary(history, limit=load.limit, by=by, services=services)


async def is_summary_due(
    history: BranchHistory, changed_round_id: str, *, by: Principal, services: TurnServices
) -> bool:
    """Tell whether enough was said for a new summary, or something that only a summary can still tell."""
    if any(
        full_round.round.number <= history.watermark or full_round.round.id == changed_round_id
        for full_round in history.changed
    ):
        return True
    current = await services.db.read(lambda tx: flags.read_flags(tx, services.settings), by=by)
    often = current.summary_frequency
    return bool(history.unsummarised) and bool(often) and history.assistant_messages >= often


async def run_once(
    request: IdempotentRequest,
    conversation_id: str,
    do_now: SummaryAction,
    *,
    by: Principal,
    services: TurnServices,
) -> Summary:
    """Summarise or compress because a person wants it now, and once a key."""
    if request.key is None:
        return await do_now(conversation_id, by=by, services=services)

    def earlier(tx: Tx) -> Summary | None:
        get_for_writing(tx, conversation_id)
        made = find_earlier_ids(tx, request)
        return next(iter(summaries.list_summaries_by_ids(tx, made)), None) if made else None

    def keep(tx: Tx, summary: Summary) -> None:
        record_request(tx, request, conversation_id, [summary.id])

    lock = services.summary_locks.setdefault(f"{by.user_id}:{request.key}", asyncio.Lock())
    async with lock:
        if found := await services.db.read(earlier, by=by):
            return found
        summary = await do_now(conversation_id, by=by, services=services)
        await services.db.write(lambda tx: keep(tx, summary), by=by)
    return summary


async def summarise_now(conversation_id: str, *, by: Principal, services: TurnServices) -> Summary:
    """Summarise all that was said, the last round too."""
    history = await services.db.read(lambda tx: read_history_for_writing(tx, conversation_id), by=by)
    if history is None or (not history.unsummarised and history.summary is None):
        raise NothingToSummarise
    if not history.unsummarised and not history.changed and history.summary is not None:
        return history.summary
    load = await measure_load(history, by=by, services=services)
    made = await update_summary(history, limit=load.limit, but_last=False, by=by, services=services)
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
    made = await update_summary(history, limit=load.limit, mark=mark, by=by, services=services)
    return made or await get_current_summary(conversation_id, by=by, services=services)


async def update_summary(
    history: BranchHistory,
    *,
    limit: int,
    mark: int = 0,
    but_last: bool = True,
    by: Principal,
    services: TurnServices,
) -> Summary | None:
    """Summarise what no summary holds, in as many steps as it takes, and compress up to `mark`.

    None when there is nothing to do, or somebody was quicker.
    """
    most = summary_token_limit(limit)
    while history.has_more and history.unsummarised:
        if await write_summary(history, 0, most, by=by, services=services) is None:
            return None
        history = await reload_history(history, by=by, services=services)
    history = history.without_last_round if but_last else history
    if (
        not history.unsummarised
        and not history.changed
        and min(mark, history.summarisable_until) <= history.watermark
    ):
        return None
    return await write_summary(history, mark, most, by=by, services=services)


async def reload_history(history: BranchHistory, *, by: Principal, services: TurnServices) -> BranchHistory:
    """Return what is known of the same branch now that the oldest rounds are summarised."""
    later = await services.db.read(lambda tx: read_branch_history(tx, history.conversation), by=by)
    return later or replace(history, unsummarised=[], has_more=False)


async def undo_compression(conversation_id: str, *, by: Principal, services: TurnServices) -> Summary | None:
    """Take back the last compression of the branch that is shown, and return what is in force then."""

    def take_back(tx: Tx) -> Summary | None:
        conversation = get_for_writing(tx, conversation_id)
        head = conversation.head_id or ""
        present = summaries.find_current_summary(tx, conversation.id, head)
        if present is None or not present.is_compression:
            raise NothingToUndo
        summaries.undo_summary(tx, first_with_watermark(tx, present, head), head)
        before = summaries.find_current_summary(tx, conversation.id, head)
        publish_context_changed(tx, conversation.id, before, services=services)
        return before

    return await services.db.write(take_back, by=by)


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


async def write_summary(
    history: BranchHistory, mark: int, most_tokens: int, *, by: Principal, services: TurnServices
) -> Summary | None:
    """Summarise what is fresh or was renewed, and keep the result; None when somebody was quicker."""
    utility_model = await find_utility_model(history.conversation, "summary", by=by, services=services)
    points, made_by = await summarise_messages(
        await lines_for_model(utility_model, history, by=by, services=services),
        history.kept_points,
        max_tokens=most_tokens,
        ask_model=utility_model.write if utility_model else None,
        is_local_model=utility_model is not None and utility_model.is_local,
        made_by=utility_model.model if utility_model else "",
    )
    last = history.unsummarised[-1].round if history.unsummarised else None
    reach = last.number if last else history.last_summarised
    summary = Summary(
        id=new_id("sum"),
        workspace_id=by.workspace_id,
        conversation_id=history.conversation.id,
        round_id=last.id if last else history.summary.round_id if history.summary else "",
        round_number=reach,
        watermark=max(history.watermark, min(mark, reach)),
        points=points,
        made_by=made_by,
        created_at=history.read_at,
        undone_at=None,
    )
    return await services.db.write(lambda tx: store_summary(tx, summary, history, services=services), by=by)


async def lines_for_model(
    utility_model: UtilityModel | None, history: BranchHistory, *, by: Principal, services: TurnServices
) -> list[SourceMessage]:
    """Return what is to be summarised; a pen elsewhere is shown nothing that only local models were."""
    lines = transcript_lines([*history.changed, *history.unsummarised], history)
    if utility_model is None or utility_model.is_local:
        return lines
    asked = (answer.reply.model for full_round in history.rounds for answer in full_round.answers)
    return mark_unshared_local(
        lines, history.rounds, await remote_models_among(asked, by=by, services=services)
    )


def store_summary(
    tx: Tx, summary: Summary, history: BranchHistory, *, services: TurnServices
) -> Summary | None:
    """Keep a summary unless the conversation is gone or has got another one meanwhile."""
    try:
        get_for_writing(tx, summary.conversation_id)
    except NotFound:
        return None
    newest = summaries.find_newest_summary(tx, summary.conversation_id)
    if (newest.id if newest else None) != history.newest_summary_id:
        return None
    summaries.add_summary(tx, summary)
    publish_context_changed(tx, summary.conversation_id, summary, services=services)
    return summary


def publish_context_changed(
    tx: Tx, conversation_id: str, summary: Summary | None, *, services: TurnServices
) -> None:
    """Tell whoever listens that models will be shown something else from now on."""
    said = ContextChanged(summary.id if summary else None, summary.watermark if summary else 0)
    services.events.append(tx, conversation_id, [encode_event(said)])


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
