"""Naming a conversation after its first exchange: by the utility model, or from the text itself."""

import re
from dataclasses import dataclass
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
from tertulia.memory.domain import Line
from tertulia.memory.sentences import Shape, sentences
from tertulia.turns.desk import Desk
from tertulia.turns.utility import Pen, elsewhere, pen_for

LONGEST = 60
EXCERPT = 2_000
#: A title is short, but a model may think before it writes one.
LONGEST_ANSWER = 1_000
#: A sentence with fewer words says too little, such as “Hi!”: the next one is taken along.
FEW_WORDS = 3
LINK = re.compile(r"!?\[([^\]\n]+)\]\([^)\s]*\)")
#: A mark of Markdown that opens before a word and closes after one; underscores are rather of names.
EMPHASIS = re.compile(r"(?<![\w*`])(\*{1,3}|`+)(?=[^\s*`])(.*?[^\s*`])\1(?![\w*`])")


@dataclass(frozen=True, slots=True)
class Exchange:
    """The first round of a conversation that wants a title; its lines are those that count."""

    conversation: Conversation
    round: FullRound
    lines: list[Line]


async def give_title(conversation_id: str, *, by: Principal, desk: Desk) -> None:
    """Give a conversation a title unless it has one or is gone."""
    try:
        exchange = await desk.db.read(lambda tx: first_exchange(tx, conversation_id), by=by)
    except NotFound:
        return
    if exchange is None:
        return
    title = await written_title(exchange, by=by, desk=desk) or title_from_text(
        exchange.round.question.content[:EXCERPT]
    )

    def write(tx: Tx) -> None:
        try:
            service.suggest_title(tx, conversation_id, title, log=desk.events)
        except NotFound:
            return

    await desk.db.write(write, by=by)


def first_exchange(tx: Tx, conversation_id: str) -> Exchange | None:
    """Return what a conversation began with, while it still wants a title."""
    conversation = get_for_reading(tx, conversation_id)
    if conversation.title_by is not TitleBy.NOBODY:
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
        text = "\n\n---\n\n".join(line.text[:EXCERPT] for line in exchange.lines).strip()
        return tidy(await pen.write(prompt, text, LONGEST_ANSWER))
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


def tidy(title: str) -> str:
    """Return a model's title as one short plain line."""
    line = next((line for line in title.splitlines() if line.strip()), "")
    return shorten(line.strip().strip("#*_\"'`“”").removeprefix("Title:").strip())


def title_from_text(question: str) -> str:
    """Return a title made of the question's first words; one that is all code is named by its first row."""
    said = sentences(question)
    spoken = [one for one in said if one.shape is not Shape.CODE] or said
    title = ""
    for one in spoken:
        title = f"{title} {plain(one.text)}".strip()
        if len(title.split()) >= FEW_WORDS or len(title) >= LONGEST:
            break
    return shorten(title) or "New conversation"


def plain(sentence: str) -> str:
    """Return a sentence without marks for bold, code and links; those within words and sums stay."""
    return EMPHASIS.sub(r"\2", LINK.sub(r"\1", sentence))


def shorten(text: str) -> str:
    """Cut a line at a word near the longest title."""
    if len(text) <= LONGEST:
        return text
    return (text[:LONGEST].rsplit(" ", 1)[0] or text[:LONGEST]).rstrip(",;:-") + "…"
