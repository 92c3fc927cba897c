"""A chat completion is a turn like any other: kept, and answered from the conversation's events."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from itertools import zip_longest

import anyio
import msgspec

from tertulia.conversations import rounds as replies
from tertulia.conversations.domain import Reply, ReplyKind
from tertulia.conversations.listeners import check_may_listen
from tertulia.conversations.schemas import ReplyView
from tertulia.core.errors import NotFound, NotSignedIn
from tertulia.core.principal import Principal
from tertulia.doors.openai import transcript
from tertulia.doors.openai.answer import AllFailed, Answer, Frame, Lane, Piece
from tertulia.doors.openai.schemas import ChatRequest
from tertulia.doors.openai.table import Table, table_for
from tertulia.infra.db import Database
from tertulia.infra.events import EventLog
from tertulia.infra.http.identity import Authenticator
from tertulia.models.service import Models
from tertulia.turns.domain import Ask, Invited
from tertulia.turns.idempotency import PaidRequest
from tertulia.turns.service import Opened, Turns

DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Kitchen:
    """What making a completion needs."""

    db: Database
    events: EventLog
    models: Models
    turns: Turns
    authenticator: Authenticator


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn that was opened for a program."""

    opened: Opened
    table: Table
    frame: Frame
    answer: Answer
    key: str | None


async def begin(
    request: ChatRequest, *, by: Principal, project_id: str | None, key: str | None, kitchen: Kitchen
) -> Begun:
    """Open the turn that a request asks for, in the conversation that it goes on with."""
    request.check_supported()
    table = await table_for(request.model, by=by, models=kitchen.models)
    once = PaidRequest.of(key, "completion", project_id, request.model_dump(mode="json"))
    if earlier := await kitchen.turns.find_earlier(once, by=by):
        return begun_with(earlier, table, request, key)
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
    )
    opened = await kitchen.turns.start_turn(ask, request=once, by=by)
    await kitchen.db.write(lambda tx: transcript.remember(tx, sent, opened.round.round.id), by=by)
    return begun_with(opened, table, request, key)


def begun_with(opened: Opened, table: Table, request: ChatRequest, key: str | None) -> Begun:
    """Return the answer that a round will give, or has given."""
    asked = [one for one in opened.round.answers if one.reply.kind is ReplyKind.ANSWER]
    frame = Frame(id=f"chatcmpl-{opened.round.round.id}", model=request.model)
    return Begun(opened, table, frame, Answer(lanes_of(asked, name=lambda reply: reply.lane)), key)


def lanes_of(answers: list[replies.Answer], *, name: Callable[[Reply], str]) -> dict[str, Lane]:
    """Return the lanes of replies: those that are all over with what they said, else to be heard from."""
    if all(one.reply.status.is_final for one in answers):
        return {one.reply.id: said_before(one, name(one.reply)) for one in answers}
    return {one.reply.id: Lane(name(one.reply)) for one in answers}


def said_before(answer: replies.Answer, name: str) -> Lane:
    """Return the lane of a reply that is over."""
    view = ReplyView.of(answer)
    return Lane(name, text=view.content, thinking=view.thinking, reply=view.model_dump(mode="json"))


async def pieces(begun: Begun, *, by: Principal, kitchen: Kitchen) -> AsyncGenerator[Piece, None]:
    """Yield what is to be handed on; a program that goes away stops its replies."""
    opened, answer = begun.opened, begun.answer
    try:
        if begun.table.merge_model is None:
            async for piece in hear(answer, opened, by=by, kitchen=kitchen):
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
            # A conversation that was deleted meanwhile has no replies to stop.
            with anyio.CancelScope(shield=True), suppress(NotFound):
                await kitchen.turns.stop_round(opened.round.round.id, by=by)


async def hear(
    answer: Answer, opened: Opened, *, by: Principal, kitchen: Kitchen
) -> AsyncGenerator[Piece, None]:
    """Yield what the lanes of an answer say, for as long as the program may listen."""
    topic = opened.conversation.id

    async def check() -> None:
        await check_may_listen([topic], by=by, authenticator=kitchen.authenticator, db=kitchen.db)

    async with aclosing(answer.follow(kitchen.events, topic, opened.last_event_id, check=check)) as pieces:
        async for piece in pieces:
            yield piece


async def merged(begun: Begun, *, by: Principal, kitchen: Kitchen) -> AsyncGenerator[Piece, None]:
    """Let everyone answer unheard, then yield the one answer that the merging model makes of it."""
    opened, answer = begun.opened, begun.answer
    async for _ in hear(answer, opened, by=by, kitchen=kitchen):
        pass
    answer.check_said_something()
    model = begun.table.merge_model or ""
    key = begun.key and f"{begun.key}/merge"
    more = await kitchen.turns.read_all(
        opened.round.round.id, model=model, kind=ReplyKind.MERGE, key=key, by=by
    )
    merging = [one for one in more.round.answers if one.reply.id == more.added]
    answer.listen_to(lanes_of(merging, name=lambda reply: reply.model))
    async for piece in hear(answer, more, by=by, kitchen=kitchen):
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
    except (AllFailed, NotSignedIn, NotFound) as error:
        code = error.data.get("reason", error.code)
        problem = {"message": error.message, "type": error.kind, "code": code, "param": None}
        yield b"data: " + msgspec.json.encode({"error": problem}) + b"\n\n"
        return
    yield begun.frame.chunk({}, finish=begun.answer.finish_reason)
    if usage:
        yield begun.frame.usage(begun.answer)
    yield DONE
