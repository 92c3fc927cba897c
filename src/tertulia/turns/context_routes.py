"""What models are shown, over HTTP: plans before, receipts after, summaries and compression."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Query, Request

from tertulia.context import receipts
from tertulia.context.compression import read_branch_history
from tertulia.context.receipts import Receipt
from tertulia.conversations import rounds
from tertulia.conversations.access import get_for_reading, get_reply
from tertulia.conversations.domain import Reply
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx
from tertulia.infra.http.body_limits import body_limit
from tertulia.infra.http.dependencies import Db, get_part
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import LongText
from tertulia.memory import store as summaries
from tertulia.memory.domain import Summary
from tertulia.turns import compression_service
from tertulia.turns.context_meter import measure_context
from tertulia.turns.context_preview import PromptEstimate, estimate_prompts
from tertulia.turns.context_schemas import (
    ContextView,
    EstimateView,
    MeterView,
    PreviewBody,
    PreviewView,
    ReceiptView,
)
from tertulia.turns.domain import Ask, InvitedModel
from tertulia.turns.idempotency import IdempotentRequest
from tertulia.turns.schemas import TURN_BODY_LIMIT, IdempotencyKey
from tertulia.turns.services import TurnServices
from tertulia.turns.summary_schemas import SummariesView, SummaryView

#: So many versions of a summary are shown, the newest.
SUMMARY_VERSIONS_MAX = 50

router = Router(prefix="/api", tags=["context"])


async def _services(request: Request) -> TurnServices:
    return get_part(request, TurnServices)


ServicesPart = Annotated[TurnServices, Depends(_services)]
#: It travels in the address, which has to stay short; `POST /api/context/preview` takes longer ones.
DraftQuestionText = Annotated[LongText, Query(max_length=4_000)]
ModelNames = Annotated[list[str] | None, Query(max_length=8)]


async def estimate_views(lanes: Sequence[PromptEstimate], me: Principal, db: Database) -> list[EstimateView]:
    """Show estimates: what was looked up a moment ago may be hidden by now."""

    def show(tx: Tx) -> list[EstimateView]:
        plans = [receipts.show_plan(tx, lane.plan) if lane.plan else None for lane in lanes]
        return [EstimateView.of(replace(lane, plan=plan)) for lane, plan in zip(lanes, plans, strict=True)]

    return await db.read(show, by=me)


async def to_summary_view(summary: Summary, me: Principal, db: Database) -> SummaryView:
    """Show a summary, with the rounds that its points come from."""
    places = await db.read(lambda tx: rounds.find_round_ids(tx, summary.sources), by=me)
    return SummaryView.of(summary, places)


@router.get("/replies/{reply_id}/receipt")
async def get_receipt(reply_id: str, me: Me, db: Db, texts: bool = False) -> ReceiptView:
    """Show what a model was shown for a reply, section by section; with `texts`, every word of it."""

    def read(tx: Tx) -> tuple[Receipt, Reply]:
        return receipts.get(tx, reply_id, texts=texts), get_reply(tx, reply_id)

    receipt, reply = await db.read(read, by=me)
    return ReceiptView.of(receipt, reply, texts=texts)


@router.get("/conversations/{conversation_id}/context")
async def get_context(
    conversation_id: str,
    me: Me,
    services: ServicesPart,
    question: DraftQuestionText = "",
    models: ModelNames = None,
) -> ContextView:
    """Show what each model would be shown if `question` were asked now, and how full the conversation is."""
    ask = Ask(question, tuple(map(InvitedModel, models or ())), conversation_id=conversation_id)
    lanes = await estimate_prompts(ask, by=me, services=services)
    told = await estimate_views(lanes, me, services.db)
    history = await services.db.read(
        lambda tx: read_branch_history(tx, get_for_reading(tx, conversation_id)), by=me
    )
    summary = history.summary if history else None
    return ContextView(
        meter=MeterView.of(await measure_context(history, lanes)),
        lanes=told,
        summary=await to_summary_view(summary, me, services.db) if summary else None,
    )


@router.post("/context/preview")
@body_limit(TURN_BODY_LIMIT)
async def preview(body: PreviewBody, me: Member, services: ServicesPart) -> PreviewView:
    """Estimate what each model would be shown, and what that would cost, before anything is sent."""
    lanes = await estimate_prompts(body.to_ask(), by=me, services=services)
    return PreviewView(lanes=await estimate_views(lanes, me, services.db))


@router.get("/conversations/{conversation_id}/summary")
async def get_summary(conversation_id: str, me: Me, db: Db) -> SummariesView:
    """Show what is known of a conversation: what was decided, preferred, made, and is still open."""

    def read(tx: Tx) -> SummariesView:
        conversation = get_for_reading(tx, conversation_id)
        current = summaries.find_current_summary(tx, conversation.id, conversation.head_id or "")
        history = summaries.list_summaries(tx, conversation.id, limit=SUMMARY_VERSIONS_MAX)
        every = [current, *history] if current else history
        places = rounds.find_round_ids(tx, {source for summary in every for source in summary.sources})
        return SummariesView(
            current=SummaryView.of(current, places) if current else None,
            history=[SummaryView.of(summary, places) for summary in history],
        )

    return await db.read(read, by=me)


@router.post("/conversations/{conversation_id}/summary")
async def summarise_now(
    conversation_id: str, me: Member, services: ServicesPart, idempotency_key: IdempotencyKey = None
) -> SummaryView:
    """Summarise all that was said so far."""
    request = IdempotentRequest.of(idempotency_key, "summarise", conversation_id)
    made = await compression_service.run_once(
        request, conversation_id, compression_service.summarise_now, by=me, services=services
    )
    return await to_summary_view(made, me, services.db)


@router.post("/conversations/{conversation_id}/compression")
async def compress_now(
    conversation_id: str, me: Member, services: ServicesPart, idempotency_key: IdempotencyKey = None
) -> SummaryView:
    """Have all but the last rounds shown to models by their summary alone. Nothing is deleted."""
    request = IdempotentRequest.of(idempotency_key, "compress", conversation_id)
    made = await compression_service.run_once(
        request, conversation_id, compression_service.compress_now, by=me, services=services
    )
    return await to_summary_view(made, me, services.db)


@router.delete("/conversations/{conversation_id}/compression")
async def undo_compression(conversation_id: str, me: Member, services: ServicesPart) -> SummariesView:
    """Take the last compression back: models are shown exactly what they were shown before it."""
    await compression_service.undo_compression(conversation_id, by=me, services=services)
    return await get_summary(conversation_id, me, services.db)
