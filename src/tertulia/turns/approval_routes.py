"""Approving, denying and steering over HTTP, and what people have allowed for good."""

from typing import Annotated

from fastapi import Depends, Request
from pydantic import Field

from tertulia.conversations.views import NoteView, ToolCallView
from tertulia.core.view import view_as
from tertulia.infra.http.body_limits import body_limit, long_text_limit
from tertulia.infra.http.dependencies import Db, get_part
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import LongText, Schema, Timestamp
from tertulia.tools import grants
from tertulia.turns.approvals import ApprovalDecision, Approvals, Remember
from tertulia.turns.schemas import IdempotencyKey
from tertulia.turns.steering import Steering

router = Router(prefix="/api", tags=["tools"])


class DecisionBody(Schema):
    """A person's answer to a call that waits; `arguments`, a JSON object as text, replace the model's."""

    approve: bool
    arguments: LongText | None = None
    remember: Remember = Remember.ONCE
    reason: Annotated[LongText, Field(max_length=4_000)] = ""

    def to_decision(self) -> ApprovalDecision:
        """Return the decision."""
        return ApprovalDecision(self.approve, self.arguments, self.remember, self.reason)


class SteerBody(Schema):
    """A word to a model at work."""

    text: Annotated[LongText, Field(min_length=1, max_length=20_000)]


class NotesView(Schema):
    """What was told, to each model that is at work."""

    notes: list[NoteView]


class GrantView(Schema):
    """A tool that may run without asking: everywhere, or in one conversation."""

    id: str
    tool: str
    conversation_id: str | None
    created_at: Timestamp


class GrantsView(Schema):
    """All that the caller has allowed."""

    grants: list[GrantView]


async def _approvals(request: Request) -> Approvals:
    return get_part(request, Approvals)


async def _steering(request: Request) -> Steering:
    return get_part(request, Steering)


ApprovalsPart = Annotated[Approvals, Depends(_approvals)]
SteeringPart = Annotated[Steering, Depends(_steering)]


@router.post("/replies/{reply_id}/calls/{call_id}/decision")
@body_limit(long_text_limit(1))
async def decide(
    reply_id: str,
    call_id: str,
    body: DecisionBody,
    me: Member,
    approvals: ApprovalsPart,
    idempotency_key: IdempotencyKey = None,
) -> ToolCallView:
    """Say yes or no to a call that waits; the reply goes on once nothing of it waits any more."""
    run = await approvals.decide(reply_id, call_id, body.to_decision(), key=idempotency_key, by=me)
    return ToolCallView.of(run.to_visible_call())


@router.post("/replies/{reply_id}/steer", status_code=202)
async def steer_reply(
    reply_id: str,
    body: SteerBody,
    me: Member,
    steering: SteeringPart,
    idempotency_key: IdempotencyKey = None,
) -> NoteView:
    """Tell one model at work something; it reaches the model at its next step."""
    return view_as(NoteView, await steering.add_note(reply_id, body.text, key=idempotency_key, by=me))


@router.post("/rounds/{round_id}/steer", status_code=202)
async def steer_round(
    round_id: str,
    body: SteerBody,
    me: Member,
    steering: SteeringPart,
    idempotency_key: IdempotencyKey = None,
) -> NotesView:
    """Tell every model that is at work in a round."""
    notes = await steering.add_note_to_round(round_id, body.text, key=idempotency_key, by=me)
    return NotesView(notes=[view_as(NoteView, note) for note in notes])


@router.get("/tool-grants")
async def list_grants(me: Me, db: Db) -> GrantsView:
    """List the tools that the caller lets run without being asked."""
    found = await db.read(grants.list_of_caller, by=me)
    return GrantsView(grants=[GrantView.model_validate(grant) for grant in found])


@router.delete("/tool-grants/{grant_id}", status_code=204)
async def revoke_grant(grant_id: str, me: Member, db: Db) -> None:
    """Be asked again before that tool runs."""
    await db.write(lambda tx: grants.revoke(tx, grant_id), by=me)
