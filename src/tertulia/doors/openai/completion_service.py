"""A chat completion is a turn like any other: kept, and answered from the conversation's events."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from itertools import zip_longest

import anyio
import msgspec

from tertulia.conversations.domain import Reply, ReplyKind
from tertulia.conversations.full_rounds import ReplyWithMessage
from tertulia.conversations.subscriptions import SubscriptionChecks
from tertulia.conversations.views import ReplyView
from tertulia.core.errors import NotFound, NotSignedIn
from tertulia.core.principal import Principal
from tertulia.doors.openai import transcript
from tertulia.doors.openai.completion import (
    AllModelsFailed,
    Completion,
    CompletionEncoder,
    CompletionLane,
    CompletionPiece,
)
from tertulia.doors.openai.domain import CompletionRequest
from tertulia.doors.openai.requested_table import RequestedTable, resolve_table
from tertulia.infra.db import Database
from tertulia.infra.events import EventLog
from tertulia.models.service import Models
from tertulia.turns.domain import Ask, InvitedModel
from tertulia.turns.service import OpenedRound, Turns

STREAM_DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class CompletionServices:
    """What making a completion needs."""

    db: Database
    events: EventLog
    models: Models
    turns: Turns
    subscription_checks: SubscriptionChecks


@dataclass(frozen=True, slots=True)
class OpenedCompletion:
    """A turn that was opened for a program."""

    opened: OpenedRound
    table: RequestedTable
    encoder: CompletionEncoder
    completion: Completion
    idempotency_key: str | None


async def open_completion(
    request: CompletionRequest, *, by: Principal, services: CompletionServices
) -> OpenedCompletion:
    """Open the turn that a request asks for, in the conversation that it goes on with."""
    table = await resolve_table(request.model, by=by, models=services.models)
    if earlier := await services.turns.find_earlier(request.idempotency, by=by):
        return to_opened_completion(earlier, table, request)
    sent_transcript = transcript.parse_transcript(request.messages, model=table.models[0])
    position = await services.db.write(
        lambda tx: transcript.find_position(
            tx, sent_transcript, project_id=request.project_id, log=services.events
        ),
        by=by,
    )
    ask = Ask(
        message=sent_transcript.question.question,
        invited=tuple(
            InvitedModel(model, request.effort or effort, request.temperature, request.reply_max_tokens)
            for model, effort in zip_longest(table.models, table.efforts)
        ),
        conversation_id=position.conversation.id,
        parent_id=position.parent_id,
        images=sent_transcript.question.images,
    )
    opened = await services.turns.start_turn(ask, request=request.idempotency, by=by)
    await services.db.write(
        lambda tx: transcript.record_transcript(tx, sent_transcript, opened.round.round.id), by=by
    )
    return to_opened_completion(opened, table, request)


def to_opened_completion(
    opened: OpenedRound, table: RequestedTable, request: CompletionRequest
) -> OpenedCompletion:
    """Return the answer that a round will give, or has given."""
    asked = [answer for answer in opened.round.answers if answer.reply.kind is ReplyKind.ANSWER]
    encoder = CompletionEncoder(id=f"chatcmpl-{opened.round.round.id}", model=request.model)
    return OpenedCompletion(
        opened,
        table,
        encoder,
        Completion(completion_lanes(asked, name=lambda reply: reply.lane)),
        request.idempotency.key,
    )


def completion_lanes(
    answers: list[ReplyWithMessage], *, name: Callable[[Reply], str]
) -> dict[str, CompletionLane]:
    """Return the lanes of replies: those that are all over with what they said, else to be heard from."""
    if all(answer.reply.status.is_final for answer in answers):
        return {answer.reply.id: finished_lane(answer, name(answer.reply)) for answer in answers}
    return {answer.reply.id: CompletionLane(name(answer.reply)) for answer in answers}


def finished_lane(answer: ReplyWithMessage, name: str) -> CompletionLane:
    """Return the lane of a reply that is over."""
    view = ReplyView.of(answer)
    return CompletionLane(name, text=view.content, thinking=view.thinking, reply=view)


async def stream_pieces(
    opened_completion: OpenedCompletion, *, by: Principal, services: CompletionServices
) -> AsyncGenerator[CompletionPiece, None]:
    """Yield what is to be handed on; a program that goes away stops its replies."""
    opened, completion = opened_completion.opened, opened_completion.completion
    try:
        if opened_completion.table.merge_model is None:
            async for piece in follow_lanes(completion, opened, by=by, services=services):
                yield piece
        else:
            async for piece in stream_merge(opened_completion, by=by, services=services):
                yield piece
        completion.check_not_empty()
        await services.db.write(
            lambda tx: transcript.record_answer(tx, opened.round.round.id, completion.text), by=by
        )
    finally:
        if not completion.is_final:
            # A conversation that was deleted meanwhile has no replies to stop.
            with anyio.CancelScope(shield=True), suppress(NotFound):
                await services.turns.stop_round(opened.round.round.id, by=by)


async def follow_lanes(
    completion: Completion, opened: OpenedRound, *, by: Principal, services: CompletionServices
) -> AsyncGenerator[CompletionPiece, None]:
    """Yield what the lanes of an answer say, for as long as the program may listen."""
    topic = opened.conversation.id

    async def check() -> None:
        await services.subscription_checks.check([topic], by=by)

    async with aclosing(
        completion.stream_pieces(services.events, topic, opened.last_event_id, check=check)
    ) as pieces:
        async for piece in pieces:
            yield piece


async def stream_merge(
    opened_completion: OpenedCompletion, *, by: Principal, services: CompletionServices
) -> AsyncGenerator[CompletionPiece, None]:
    """Let everyone answer unheard, then yield the one answer that the merging model makes of it."""
    opened, completion = opened_completion.opened, opened_completion.completion
    async for _ in follow_lanes(completion, opened, by=by, services=services):
        pass
    completion.check_not_empty()
    model = opened_completion.table.merge_model or ""
    key = opened_completion.idempotency_key and f"{opened_completion.idempotency_key}/merge"
    more = await services.turns.merge_or_judge(
        opened.round.round.id, model=model, kind=ReplyKind.MERGE, key=key, by=by
    )
    merging = [answer for answer in more.round.answers if answer.reply.id == more.added]
    completion.switch_lanes(completion_lanes(merging, name=lambda reply: reply.model))
    async for piece in follow_lanes(completion, more, by=by, services=services):
        yield piece


async def complete_whole(
    opened_completion: OpenedCompletion, *, by: Principal, services: CompletionServices
) -> bytes:
    """Return the completion in one piece."""
    async for _ in stream_pieces(opened_completion, by=by, services=services):
        pass
    return msgspec.json.encode(opened_completion.encoder.encode_whole(opened_completion.completion))


async def stream_completion(
    opened_completion: OpenedCompletion, *, include_usage: bool, by: Principal, services: CompletionServices
) -> AsyncGenerator[bytes, None]:
    """Yield the completion as server-sent events."""
    yield opened_completion.encoder.encode_chunk({"role": "assistant", "content": ""})
    try:
        async for piece in stream_pieces(opened_completion, by=by, services=services):
            yield opened_completion.encoder.encode_piece(piece)
    except (AllModelsFailed, NotSignedIn, NotFound) as error:
        code = error.data.get("reason", error.code)
        problem = {"message": error.message, "type": error.kind, "code": code, "param": None}
        yield b"data: " + msgspec.json.encode({"error": problem}) + b"\n\n"
        return
    yield opened_completion.encoder.encode_chunk({}, finish=opened_completion.completion.finish_reason)
    if include_usage:
        yield opened_completion.encoder.encode_usage(opened_completion.completion)
    yield STREAM_DONE
