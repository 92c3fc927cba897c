"""A chat completion is a turn like any other: kept, and answered from the conversation's events."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from itertools import zip_longest

import anyio
import msgspec

from tertulia.conversations.domain import ReplyKind
from tertulia.core.principal import Principal
from tertulia.doors.openai import transcript
from tertulia.doors.openai.answer import AllFailed, Answer, Frame, Lane, Piece
from tertulia.doors.openai.schemas import ChatRequest
from tertulia.doors.openai.table import Table, table_for
from tertulia.infra.db import Database
from tertulia.infra.events import EventLog
from tertulia.models.service import Models
from tertulia.turns.domain import Ask, Invited
from tertulia.turns.service import Opened, Turns

DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Kitchen:
    """What making a completion needs."""

    db: Database
    events: EventLog
    models: Models
    turns: Turns


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn that was opened for a program."""

    opened: Opened
    table: Table
    frame: Frame
    answer: Answer


async def begin(
    request: ChatRequest, *, by: Principal, project_id: str | None, key: str | None, kitchen: Kitchen
) -> Begun:
    """Open the turn that a request asks for, in the conversation that it goes on with."""
    request.check_supported()
    table = await table_for(request.model, by=by, models=kitchen.models)
    sent = transcript.read(request.messages, model=table.models[0])
    place = await kitchen.db.write(
        lambda tx: transcript.find_place(tx, sent, project_id=project_id, log=kitchen.events), by=by
    )
    limit = request.max_completion_tokens or request.max_tokens
    ask = Ask(
        message=sent.question.question,
        invited=tuple(
            Invited(model, request.effort or effort, request.temperature, limit)
            for model, effort in zip_longest(table.models, table.efforts)
        ),
        conversation_id=place.conversation.id,
        parent_id=place.parent_id,
        images=sent.question.images,
        idempotency_key=key,
    )
    opened = await kitchen.turns.start_turn(ask, by=by)
    await kitchen.db.write(lambda tx: transcript.remember(tx, sent, opened.round.round.id), by=by)
    lanes = {one.reply.id: Lane(one.reply.lane) for one in opened.round.answers}
    frame = Frame(id=f"chatcmpl-{opened.round.round.id}", model=request.model)
    return Begun(opened, table, frame, Answer(lanes))


async def pieces(begun: Begun, *, by: Principal, kitchen: Kitchen) -> AsyncGenerator[Piece, None]:
    """Yield what is to be handed on; a program that goes away stops its replies."""
    opened, answer = begun.opened, begun.answer
    try:
        if begun.table.merge_model is None:
            async for piece in answer.follow(kitchen.events, opened.conversation.id, opened.last_event_id):
                yield piece
        else:
            async for piece in merged(begun, by=by, kitchen=kitchen):
                yield piece
        answer.check_said_something()
        await kitchen.db.write(
            lambda tx: transcript.remember_answer(tx, opened.round.round.id, answer.text), by=by
        )
    finally:
        if not answer.is_final:
            with anyio.CancelScope(shield=True):
                await kitchen.turns.stop_round(opened.round.round.id, by=by)


async def merged(begun: Begun, *, by: Principal, kitchen: Kitchen) -> AsyncGenerator[Piece, None]:
    """Let everyone answer unheard, then yield the one answer that the merging model makes of it."""
    opened, answer = begun.opened, begun.answer
    async for _ in answer.follow(kitchen.events, opened.conversation.id, opened.last_event_id):
        pass
    answer.check_said_something()
    model = begun.table.merge_model or ""
    more = await kitchen.turns.read_all(opened.round.round.id, model=model, kind=ReplyKind.MERGE, by=by)
    reply = more.round.answers[-1].reply
    answer.listen_to({reply.id: Lane(reply.model)})
    async for piece in answer.follow(kitchen.events, more.conversation.id, more.last_event_id):
        yield piece


async def whole(begun: Begun, *, by: Principal, kitchen: Kitchen) -> bytes:
    """Return the completion in one piece."""
    async for _ in pieces(begun, by=by, kitchen=kitchen):
        pass
    return msgspec.json.encode(begun.frame.whole(begun.answer))


async def stream(
    begun: Begun, *, usage: bool, by: Principal, kitchen: Kitchen
) -> AsyncGenerator[bytes, None]:
    """Yield the completion as server-sent events."""
    yield begun.frame.chunk({"role": "assistant", "content": ""})
    try:
        async for piece in pieces(begun, by=by, kitchen=kitchen):
            yield begun.frame.piece(piece)
    except AllFailed as error:
        problem = {"message": error.message, "type": error.kind, "code": error.data["reason"], "param": None}
        yield b"data: " + msgspec.json.encode({"error": problem}) + b"\n\n"
        return
    yield begun.frame.chunk({}, finish=begun.answer.finish_reason)
    if usage:
        yield begun.frame.usage(begun.answer)
    yield DONE
