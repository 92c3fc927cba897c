"""What models are shown, over HTTP: plans before, receipts after, and how full a conversation is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Query, Request

from tertulia.context import receipts
from tertulia.context.compression import BranchHistory, read_branch_history
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
from tertulia.inspection.context_meter import measure_context
from tertulia.inspection.context_preview import PromptEstimate, estimate_prompts
from tertulia.inspection.schemas import (
    ContextView,
    EstimateView,
    MeterView,
    PreviewBody,
    PreviewView,
    ReceiptView,
)
from tertulia.memory.schemas import SummaryView
from tertulia.turns.domain import Ask, InvitedModel
from tertulia.turns.schemas import TURN_BODY_LIMIT
from tertulia.turns.services import TurnServices

router = Router(prefix="/api", tags=["context"])


async def _services(request: Request) -> TurnServices:
    return get_part(request, TurnServices)


ServicesPart = Annotated[TurnServices, Depends(_services)]
#: It travels in the address, which has to stay short; `POST /api/context/preview` takes longer ones.
DraftQuestionText = Annotated[LongText, Query(max_length=4_000)]
ModelNames = Annotated[list[str] | None, Query(max_length=8)]


async def estimate_views(
    lanes: Sequence[PromptEstimate], me: Principal, db: Database, *, texts: bool = False
) -> list[EstimateView]:
    """Show estimates: what was looked up a moment ago may be hidden by now."""

    def show(tx: Tx) -> list[EstimateView]:
        plans = [receipts.show_plan(tx, lane.plan) if lane.plan else None for lane in lanes]
        shown = [replace(lane, plan=plan) for lane, plan in zip(lanes, plans, strict=True)]
        return [EstimateView.of(lane, texts=texts) for lane in shown]

    return await db.read(show, by=me)


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

    def read(tx: Tx) -> tuple[BranchHistory | None, SummaryView | None]:
        history = read_branch_history(tx, get_for_reading(tx, conversation_id))
        summary = history.summary if history else None
        places = rounds.find_round_ids(tx, summary.sources) if summary else {}
        return history, SummaryView.of(summary, places) if summary else None

    history, summary = await services.db.read(read, by=me)
    meter = MeterView.of(await measure_context(history, lanes))
    return ContextView(meter=meter, lanes=told, summary=summary)


@router.post("/context/preview")
@body_limit(TURN_BODY_LIMIT)
async def preview(body: PreviewBody, me: Member, services: ServicesPart) -> PreviewView:
    """Estimate what each model would be shown, and what that would cost, before anything is sent.

    With `texts`, every word of it is told.
    """
    lanes = await estimate_prompts(body.to_ask(), by=me, services=services)
    return PreviewView(lanes=await estimate_views(lanes, me, services.db, texts=body.texts))
