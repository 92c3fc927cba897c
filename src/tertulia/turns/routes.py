"""Turns over HTTP: every one is accepted with 202, and its replies arrive on the conversation's events."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Request

from tertulia.conversations.domain import ReplyKind
from tertulia.infra.http.body_limits import body_limit
from tertulia.infra.http.dependencies import get_part
from tertulia.infra.http.identity import Member
from tertulia.infra.http.routing import Router
from tertulia.turns.schemas import (
    TURN_BODY_LIMIT,
    Again,
    IdempotencyKey,
    NewRound,
    NewTurn,
    OneMore,
    TurnView,
    Wording,
)
from tertulia.turns.service import Turns

router = Router(prefix="/api", tags=["turns"])


async def _turns(request: Request) -> Turns:
    return get_part(request, Turns)


TurnsPart = Annotated[Turns, Depends(_turns)]


@router.post("/turn", status_code=202)
@body_limit(TURN_BODY_LIMIT)
async def start_turn(
    body: NewTurn, me: Member, turns: TurnsPart, idempotency_key: IdempotencyKey = None
) -> TurnView:
    """Ask several models at once. Without a conversation a new one is made."""
    ask = replace(
        body.to_ask(key=idempotency_key),
        conversation_id=body.conversation_id,
        project_id=body.project_id,
        temporary=body.temporary,
        parent_id=body.parent_id,
    )
    return TurnView.of(await turns.start_turn(ask, by=me))


@router.post("/conversations/{conversation_id}/rounds", status_code=202)
@body_limit(TURN_BODY_LIMIT)
async def open_round(
    conversation_id: str, body: NewRound, me: Member, turns: TurnsPart, idempotency_key: IdempotencyKey = None
) -> TurnView:
    """Ask a question in a conversation."""
    ask = replace(body.to_ask(key=idempotency_key), conversation_id=conversation_id, parent_id=body.parent_id)
    return TurnView.of(await turns.start_turn(ask, by=me))


@router.post("/rounds/{round_id}/edit", status_code=202)
@body_limit(TURN_BODY_LIMIT)
async def edit_question(
    round_id: str, body: Wording, me: Member, turns: TurnsPart, idempotency_key: IdempotencyKey = None
) -> TurnView:
    """Ask with other words: a branch beside the old round, which stays."""
    return TurnView.of(await turns.edit_question(round_id, body.to_ask(key=idempotency_key), by=me))


@router.post("/rounds/{round_id}/stop", status_code=202)
async def stop_round(round_id: str, me: Member, turns: TurnsPart) -> None:
    """Stop all replies of a round; what they said is kept."""
    await turns.stop_round(round_id, by=me)


@router.post("/rounds/{round_id}/merge", status_code=202)
async def merge_replies(
    round_id: str, body: OneMore, me: Member, turns: TurnsPart, idempotency_key: IdempotencyKey = None
) -> TurnView:
    """Have one more model write the joint answer of all replies."""
    key = body.idempotency_key or idempotency_key
    return TurnView.of(
        await turns.merge_or_judge(round_id, model=body.model, kind=ReplyKind.MERGE, key=key, by=me)
    )


@router.post("/rounds/{round_id}/judge", status_code=202)
async def judge_replies(
    round_id: str, body: OneMore, me: Member, turns: TurnsPart, idempotency_key: IdempotencyKey = None
) -> TurnView:
    """Have one more model rank the replies, with reasons."""
    key = body.idempotency_key or idempotency_key
    return TurnView.of(
        await turns.merge_or_judge(round_id, model=body.model, kind=ReplyKind.JUDGE, key=key, by=me)
    )


@router.post("/replies/{reply_id}/stop", status_code=202)
async def stop_reply(reply_id: str, me: Member, turns: TurnsPart) -> None:
    """Stop one reply; what it said is kept."""
    await turns.stop_reply(reply_id, by=me)


@router.post("/replies/{reply_id}/regenerate", status_code=202)
async def regenerate_reply(
    reply_id: str,
    me: Member,
    turns: TurnsPart,
    body: Again | None = None,
    idempotency_key: IdempotencyKey = None,
) -> TurnView:
    """Have a reply written once more, perhaps without some of what was shown; the earlier one stays."""
    again = body or Again()
    key, left_out = again.idempotency_key or idempotency_key, tuple(again.leave_out)
    begun = await turns.regenerate_reply(reply_id, model=again.model, leave_out=left_out, key=key, by=me)
    return TurnView.of(begun)


@router.post("/replies/{reply_id}/continue", status_code=202)
async def continue_reply(
    reply_id: str, me: Member, turns: TurnsPart, idempotency_key: IdempotencyKey = None
) -> TurnView:
    """Have a reply that was cut short go on where it stopped."""
    return TurnView.of(await turns.continue_reply(reply_id, key=idempotency_key, by=me))
