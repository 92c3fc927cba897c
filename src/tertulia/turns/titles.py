"""Naming a conversation: by the first words of its question at once, then by the utility model."""

from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files

from tertulia.context.compression import kept_here
from tertulia.context.past import spoken_lines
from tertulia.conversations import rounds, service
from tertulia.conversations.access import get_for_reading, get_round
from tertulia.conversations.domain import Conversation, TitleBy
from tertulia.conversations.rounds import FullRound
from tertulia.core.errors import NotFound, TertuliaError
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.jobs import NO_WAIT, enqueue
from tertulia.memory.domain import Line
from tertulia.turns.desk import Desk
from tertulia.turns.title_text import title_of_answer, title_of_question
from tertulia.turns.utility import Pen, elsewhere, pen_for

#: So much of each message is shown to the model that names a conversation.
MESSAGE_EXCERPT_CHARS = 2_000
#: A title is short, but a model may think before it writes one.
ANSWER_MAX_TOKENS = 1_000
#: A title is asked for when the first reply is over, or after so long.
REPLY_WAIT = timedelta(seconds=10)
#: A model that fails to write a title is asked again after later replies, up to this round.
LAST_ROUND_TO_TRY = 3


@dataclass(frozen=True, slots=True)
class Exchange:
    """The first round of a conversation that no model has named yet; its lines are those that count."""

    conversation: Conversation
    round: FullRound
    lines: list[Line]


def name_by_question(tx: Tx, conversation: Conversation, *, log: EventLog) -> None:
    """Name a conversation by its first question, and have a model name it later."""
    if conversation.title_by is not TitleBy.NOBODY or conversation.title:
        return
    [asked] = rounds.message_page(tx, conversation.id, after="", limit=1)
    title = title_of_question(asked.content)
    service.suggest_title(tx, conversation.id, title, by=TitleBy.QUESTION, log=log)
    queue_title(tx, conversation, wait=REPLY_WAIT)


def queue_title(tx: Tx, conversation: Conversation, *, wait: timedelta = NO_WAIT) -> None:
    """Have a model name a conversation, unless one or a person has."""
    wants_title = conversation.title_by in (TitleBy.NOBODY, TitleBy.QUESTION)
    if wants_title and conversation.round_count <= LAST_ROUND_TO_TRY:
        who = {"conversation_id": conversation.id, "workspace_id": tx.by.workspace_id}
        payload = who | {"user_id": tx.by.user_id}
        enqueue(tx, "title", key=f"title:{conversation.id}", payload=payload, wait=wait)


async def give_title(conversation_id: str, *, by: Principal, desk: Desk) -> None:
    """Have the utility model name a conversation, unless it has, or a person did, or it is gone."""
    try:
        exchange = await desk.db.read(lambda tx: first_exchange(tx, conversation_id), by=by)
    except NotFound:
        return
    if exchange is None:
        return
    title = await written_title(exchange, by=by, desk=desk)

    def write(tx: Tx) -> None:
        try:
            service.suggest_title(tx, conversation_id, title, by=TitleBy.MODEL, log=desk.events)
        except NotFound:
            return

    if title:
        await desk.db.write(write, by=by)


def first_exchange(tx: Tx, conversation_id: str) -> Exchange | None:
    """Return what a conversation began with, while no model and no person has named it."""
    conversation = get_for_reading(tx, conversation_id)
    if conversation.title_by not in (TitleBy.NOBODY, TitleBy.QUESTION):
        return None
    if not (asked := rounds.message_page(tx, conversation_id, after="", limit=1)):
        return None
    first = rounds.get_full(tx, get_round(tx, asked[0].round_id))
    return Exchange(conversation, first, spoken_lines(first, None)[:2])


async def written_title(exchange: Exchange, *, by: Principal, desk: Desk) -> str:
    """Return a title by the utility model; empty when there is none, it may not, fails, or costs too much."""
    try:
        pen = await pen_for(exchange.conversation, "title", by=by, desk=desk)
        if pen is None or not await may_read(pen, exchange, by=by, desk=desk):
            return ""
        prompt = (files("tertulia.turns.prompts") / "title.md").read_text("utf-8").strip()
        text = "\n\n---\n\n".join(line.text[:MESSAGE_EXCERPT_CHARS] for line in exchange.lines).strip()
        return title_of_answer(await pen.write(prompt, text, ANSWER_MAX_TOKENS))
    except TertuliaError:
        return ""


async def may_read(pen: Pen, exchange: Exchange, *, by: Principal, desk: Desk) -> bool:
    """Tell whether a pen may be shown an exchange: one elsewhere, only what a model elsewhere was asked."""
    if pen.is_local:
        return bool(exchange.lines)
    asked = [answer.reply.model for answer in exchange.round.answers]
    away = await elsewhere(asked, by=by, desk=desk)
    lines = kept_here(exchange.lines, [exchange.round], away)
    return bool(lines) and not any(line.local_only for line in lines)
