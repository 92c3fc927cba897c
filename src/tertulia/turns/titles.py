"""Naming a conversation: by the first words of its question at once, then by the utility model."""

from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files

from tertulia.context.compression import mark_unshared_local
from tertulia.context.past_rounds import round_lines
from tertulia.conversations import rounds, service
from tertulia.conversations.access import get_for_reading, get_round
from tertulia.conversations.domain import Conversation, TitleBy
from tertulia.conversations.rounds import FullRound
from tertulia.core.errors import NotFound, TertuliaError
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.jobs import NO_JOB_DELAY, enqueue
from tertulia.memory.domain import SourceMessage
from tertulia.turns.services import TurnServices
from tertulia.turns.title_text import title_from_answer, title_from_question
from tertulia.turns.utility_model import UtilityModel, find_utility_model, remote_models_among

#: So much of each message is shown to the model that names a conversation.
TITLE_MESSAGE_MAX_CHARS = 2_000
#: A title is short, but a model may think before it writes one.
TITLE_ANSWER_MAX_TOKENS = 1_000
#: A title is asked for when the first reply is over, or after so long.
TITLE_REPLY_WAIT = timedelta(seconds=10)
#: A model that fails to write a title is asked again after later replies, up to this round.
TITLE_LAST_ROUND = 3


@dataclass(frozen=True, slots=True)
class FirstExchange:
    """The first round of a conversation that no model has named yet; its lines are those that count."""

    conversation: Conversation
    round: FullRound
    lines: list[SourceMessage]


def title_by_question(tx: Tx, conversation: Conversation, *, log: EventLog) -> None:
    """Name a conversation by its first question, and have a model name it later."""
    if conversation.title_by is not TitleBy.NOBODY or conversation.title:
        return
    [asked] = rounds.list_messages_page(tx, conversation.id, after="", limit=1)
    title = title_from_question(asked.content)
    service.suggest_title(tx, conversation.id, title, by=TitleBy.QUESTION, log=log)
    queue_title(tx, conversation, wait=TITLE_REPLY_WAIT)


def queue_title(tx: Tx, conversation: Conversation, *, wait: timedelta = NO_JOB_DELAY) -> None:
    """Have a model name a conversation, unless one or a person has."""
    wants_title = conversation.title_by in (TitleBy.NOBODY, TitleBy.QUESTION)
    if wants_title and conversation.round_count <= TITLE_LAST_ROUND:
        who = {"conversation_id": conversation.id, "workspace_id": tx.by.workspace_id}
        payload = who | {"user_id": tx.by.user_id}
        enqueue(tx, "title", key=f"title:{conversation.id}", payload=payload, delay=wait)


async def title_conversation(conversation_id: str, *, by: Principal, services: TurnServices) -> None:
    """Have the utility model name a conversation, unless it has, or a person did, or it is gone."""
    try:
        exchange = await services.db.read(lambda tx: find_first_exchange(tx, conversation_id), by=by)
    except NotFound:
        return
    if exchange is None:
        return
    title = await write_title(exchange, by=by, services=services)

    def write(tx: Tx) -> None:
        try:
            service.suggest_title(tx, conversation_id, title, by=TitleBy.MODEL, log=services.events)
        except NotFound:
            return

    if title:
        await services.db.write(write, by=by)


def find_first_exchange(tx: Tx, conversation_id: str) -> FirstExchange | None:
    """Return what a conversation began with, while no model and no person has named it."""
    conversation = get_for_reading(tx, conversation_id)
    if conversation.title_by not in (TitleBy.NOBODY, TitleBy.QUESTION):
        return None
    if not (asked := rounds.list_messages_page(tx, conversation_id, after="", limit=1)):
        return None
    first = rounds.get_full_round(tx, get_round(tx, asked[0].round_id))
    return FirstExchange(conversation, first, round_lines(first, None)[:2])


async def write_title(exchange: FirstExchange, *, by: Principal, services: TurnServices) -> str:
    """Return a title by the utility model; empty when there is none, it may not, fails, or costs too much."""
    try:
        utility_model = await find_utility_model(exchange.conversation, "title", by=by, services=services)
        if utility_model is None or not await can_read_exchange(
            utility_model, exchange, by=by, services=services
        ):
            return ""
        prompt = (files("tertulia.turns.prompts") / "title.md").read_text("utf-8").strip()
        text = "\n\n---\n\n".join(line.text[:TITLE_MESSAGE_MAX_CHARS] for line in exchange.lines).strip()
        return title_from_answer(await utility_model.write(prompt, text, TITLE_ANSWER_MAX_TOKENS))
    except TertuliaError:
        return ""


async def can_read_exchange(
    utility_model: UtilityModel, exchange: FirstExchange, *, by: Principal, services: TurnServices
) -> bool:
    """Tell whether a pen may be shown an exchange: one elsewhere, only what a model elsewhere was asked."""
    if utility_model.is_local:
        return bool(exchange.lines)
    asked = [answer.reply.model for answer in exchange.round.answers]
    away = await remote_models_among(asked, by=by, services=services)
    lines = mark_unshared_local(exchange.lines, [exchange.round], away)
    return bool(lines) and not any(line.local_only for line in lines)
