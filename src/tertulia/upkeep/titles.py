"""Naming a conversation by the utility model, once there is something to name."""

from dataclasses import dataclass
from importlib.resources import files

from tertulia.context.compression import mark_unshared_local
from tertulia.context.past_rounds import round_lines
from tertulia.conversations import rounds, service
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.domain import Conversation, TitleBy
from tertulia.conversations.full_rounds import FullRound
from tertulia.core.errors import NotFound, TertuliaError
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.memory.domain import SourceMessage
from tertulia.turns.services import TurnServices
from tertulia.upkeep.title_text import title_from_answer
from tertulia.upkeep.utility_model import ChorePlace, UtilityModel, find_utility_model, remote_models_among

#: So much of each message is shown to the model that names a conversation.
TITLE_MESSAGE_MAX_CHARS = 2_000
#: A title is short, but a model may think before it writes one.
TITLE_ANSWER_MAX_TOKENS = 1_000


@dataclass(frozen=True, slots=True)
class FirstExchange:
    """The first round of a conversation that no model has named yet; its lines are those that count."""

    conversation: Conversation
    round: FullRound
    lines: list[SourceMessage]


@dataclass(frozen=True, slots=True)
class WrittenTitle:
    """A title, and the id of the model that wrote it."""

    text: str
    model: str


async def title_conversation(conversation_id: str, *, by: Principal, services: TurnServices) -> None:
    """Have the utility model name a conversation, unless it has, or a person did, or it is gone."""
    try:
        exchange = await services.db.read(lambda tx: find_first_exchange(tx, conversation_id), by=by)
    except NotFound:
        return
    if exchange is None:
        return
    written = await write_title(exchange, by=by, services=services)
    if written is None:
        return

    def write(tx: Tx) -> None:
        try:
            service.suggest_title(tx, conversation_id, written.text, by=written.model, log=services.events)
        except NotFound:
            return

    await services.db.write(write, by=by)


def find_first_exchange(tx: Tx, conversation_id: str) -> FirstExchange | None:
    """Return what a conversation began with, while no model and no person has named it."""
    conversation = get_for_reading(tx, conversation_id)
    if conversation.title_by not in (TitleBy.NOBODY, TitleBy.QUESTION):
        return None
    if not (first_rounds := rounds.list_first_rounds(tx, conversation_id)):
        return None
    first = rounds.get_full_round(tx, first_rounds[0], max_chars=TITLE_MESSAGE_MAX_CHARS)
    return FirstExchange(conversation, first, round_lines(first, None)[:2])


async def write_title(
    exchange: FirstExchange, *, by: Principal, services: TurnServices
) -> WrittenTitle | None:
    """Return a title by the utility model; None when there is none, it may not, fails, or costs too much."""
    try:
        utility_model = await find_utility_model(
            ChorePlace.of(exchange.conversation), "title", by=by, services=services
        )
        if utility_model is None or not await can_read_exchange(
            utility_model, exchange, by=by, services=services
        ):
            return None
        prompt = (files("tertulia.upkeep.prompts") / "title.md").read_text("utf-8").strip()
        text = "\n\n---\n\n".join(line.text for line in exchange.lines).strip()
        answer = await utility_model.write(prompt, text, TITLE_ANSWER_MAX_TOKENS)
    except TertuliaError:
        return None
    title = title_from_answer(answer)
    return WrittenTitle(title, utility_model.model) if title else None


async def can_read_exchange(
    utility_model: UtilityModel, exchange: FirstExchange, *, by: Principal, services: TurnServices
) -> bool:
    """Tell whether a model may be shown an exchange: a remote one, only what a remote one was asked."""
    if utility_model.is_local:
        return bool(exchange.lines)
    asked = [answer.reply.model for answer in exchange.round.answers]
    away = await remote_models_among(asked, by=by, services=services)
    lines = mark_unshared_local(exchange.lines, [exchange.round], away)
    return bool(lines) and not any(line.local_only for line in lines)
