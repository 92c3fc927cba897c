"""What models are shown, over HTTP: plans before, receipts after, summaries and compression."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Query, Request

from tertulia.context import receipts
from tertulia.context.compression import story_of
from tertulia.context.receipts import Receipt
from tertulia.conversations import rounds
from tertulia.conversations.access import get_for_reading, get_reply
from tertulia.conversations.domain import Reply
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx
from tertulia.infra.http.body import body_limit
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.parts import Db, part
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import LongText
from tertulia.memory import store as summaries
from tertulia.memory.domain import Summary
from tertulia.turns import compressing
from tertulia.turns.context_schemas import (
    ContextView,
    EstimateView,
    MeterView,
    PreviewBody,
    PreviewView,
    ReceiptView,
)
from tertulia.turns.desk import Desk
from tertulia.turns.domain import Ask, Invited
from tertulia.turns.idempotency import PaidRequest
from tertulia.turns.meter import meter_of
from tertulia.turns.preview import Estimate, estimates
from tertulia.turns.schemas import TURN_BODY, IdempotencyKey
from tertulia.turns.summary_schemas import SummariesView, SummaryView

#: So many versions of a summary are shown, the newest.
MOST_VERSIONS = 50

router = Router(prefix="/api", tags=["context"])


async def _desk(request: Request) -> Desk:
    return part(request, Desk)


Work = Annotated[Desk, Depends(_desk)]
#: It travels in the address, which has to stay short; `POST /api/context/preview` takes longer ones.
Asked = Annotated[LongText, Query(max_length=4_000)]
Models = Annotated[list[str] | None, Query(max_length=8)]


async def estimate_views(lanes: Sequence[Estimate], me: Principal, db: Database) -> list[EstimateView]:
    """Show estimates: what was looked up a moment ago may be hidden by now."""

    def show(tx: Tx) -> list[EstimateView]:
        plans = [receipts.show_plan(tx, lane.plan) if lane.plan else None for lane in lanes]
        return [EstimateView.of(replace(lane, plan=plan)) for lane, plan in zip(lanes, plans, strict=True)]

    return await db.read(show, by=me)


async def shown(summary: Summary, me: Principal, db: Database) -> SummaryView:
    """Show a summary, with the rounds that its points come from."""
    places = await db.read(lambda tx: rounds.rounds_of(tx, summary.sources), by=me)
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
    conversation_id: str, me: Me, desk: Work, question: Asked = "", models: Models = None
) -> ContextView:
    """Show what each model would be shown if `question` were asked now, and how full the conversation is."""
    ask = Ask(question, tuple(map(Invited, models or ())), conversation_id=conversation_id)
    lanes = await estimates(ask, by=me, desk=desk)
    told = await estimate_views(lanes, me, desk.db)
    story = await desk.db.read(lambda tx: story_of(tx, get_for_reading(tx, conversation_id)), by=me)
    summary = story.summary if story else None
    return ContextView(
        meter=MeterView.of(await meter_of(story, lanes)),
        lanes=told,
        summary=await shown(summary, me, desk.db) if summary else None,
    )


@router.post("/context/preview")
@body_limit(TURN_BODY)
async def preview(body: PreviewBody, me: Member, desk: Work) -> PreviewView:
    """Estimate what each model would be shown, and what that would cost, before anything is sent."""
    lanes = await estimates(body.to_ask(), by=me, desk=desk)
    return PreviewView(lanes=await estimate_views(lanes, me, desk.db))


@router.get("/conversations/{conversation_id}/summary")
async def get_summary(conversation_id: str, me: Me, db: Db) -> SummariesView:
    """Show what is known of a conversation: what was decided, preferred, made, and is still open."""

    def read(tx: Tx) -> SummariesView:
        conversation = get_for_reading(tx, conversation_id)
        current = summaries.in_force(tx, conversation.id, conversation.head_id or "")
        history = summaries.history(tx, conversation.id, most=MOST_VERSIONS)
        every = [current, *history] if current else history
        places = rounds.rounds_of(tx, {source for one in every for source in one.sources})
        return SummariesView(
            current=SummaryView.of(current, places) if current else None,
            history=[SummaryView.of(one, places) for one in history],
        )

    return await db.read(read, by=me)


@router.post("/conversations/{conversation_id}/summary")
async def summarise_now(
    conversation_id: str, me: Member, desk: Work, idempotency_key: IdempotencyKey = None
) -> SummaryView:
    """Summarise all that was said so far."""
    request = PaidRequest.of(idempotency_key, "summarise", conversation_id)
    made = await compressing.once(request, conversation_id, compressing.summarise_now, by=me, desk=desk)
    return await shown(made, me, desk.db)


@router.post("/conversations/{conversation_id}/compression")
async def compress_now(
    conversation_id: str, me: Member, desk: Work, idempotency_key: IdempotencyKey = None
) -> SummaryView:
    """Have all but the last rounds shown to models by their summary alone. Nothing is deleted."""
    request = PaidRequest.of(idempotency_key, "compress", conversation_id)
    made = await compressing.once(request, conversation_id, compressing.compress_now, by=me, desk=desk)
    return await shown(made, me, desk.db)


@router.delete("/conversations/{conversation_id}/compression")
async def undo_compression(conversation_id: str, me: Member, desk: Work) -> SummariesView:
    """Take the last compression back: models are shown exactly what they were shown before it."""
    await compressing.undo(conversation_id, by=me, desk=desk)
    return await get_summary(conversation_id, me, desk.db)
