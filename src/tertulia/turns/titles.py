"""Naming a conversation after its first exchange: by the utility model, or from the text itself."""

import re
from contextlib import aclosing
from dataclasses import asdict
from importlib.resources import files

from tertulia.accounts import workspaces
from tertulia.agents.speaker import speak
from tertulia.conversations import rounds, service
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.domain import Conversation, TitleBy
from tertulia.core.errors import NotFound, TertuliaError
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.models.calls import Call, Said, Text, Usage
from tertulia.models.catalogue import Resolved
from tertulia.models.prices import cost
from tertulia.turns import limits, store
from tertulia.turns.domain import Spent
from tertulia.turns.run import Desk

LONGEST = 60
EXCERPT = 2_000


async def give_title(conversation_id: str, *, by: Principal, desk: Desk) -> None:
    """Give a conversation a title unless it has one or is gone."""
    try:
        known = await desk.db.read(lambda tx: first_exchange(tx, conversation_id), by=by)
    except NotFound:
        return
    if known is None:
        return
    conversation, question, answer = known
    title = await written_title(conversation, question, answer, by=by, desk=desk) or title_from_text(question)

    def write(tx: Tx) -> None:
        try:
            service.suggest_title(tx, conversation_id, title, log=desk.events)
        except NotFound:
            return

    await desk.db.write(write, by=by)


def first_exchange(tx: Tx, conversation_id: str) -> tuple[Conversation, str, str] | None:
    """Return a conversation that still wants a title, with its first question and an answer to it."""
    conversation = get_for_reading(tx, conversation_id)
    if conversation.title_by is not TitleBy.NOBODY:
        return None
    messages = rounds.message_page(tx, conversation_id, after="", limit=2)
    texts = [message.content[:EXCERPT] for message in messages]
    return conversation, texts[0] if texts else "", texts[1] if len(texts) > 1 else ""


async def written_title(
    conversation: Conversation, question: str, answer: str, *, by: Principal, desk: Desk
) -> str:
    """Return a title by the utility model; empty when there is none, it fails, or the budget is spent."""
    settings = await desk.db.read(workspaces.settings, by=by)
    resolved = await desk.models.utility(by, settings.utility_model or "")
    if resolved is None:
        return ""
    prompt = (files("tertulia.turns.prompts") / "title.md").read_text("utf-8").strip()
    call = Call(
        model=resolved.model.name,
        system=prompt,
        messages=(Said("user", f"{question}\n\n---\n\n{answer}".strip()),),
        output_limit=min(1_000, resolved.model.output_limit),
    )
    try:
        await desk.db.read(lambda tx: limits.check_money(tx, settings), by=by)
        text, usage = await ask(resolved, call)
    except TertuliaError:
        return ""
    if usage is not None:
        await desk.db.write(lambda tx: book(tx, conversation, resolved, usage), by=by)
    return tidy(text)


async def ask(resolved: Resolved, call: Call) -> tuple[str, Usage | None]:
    """Return all that a model says to one call, and what it used."""
    text, usage = "", None
    async with aclosing(speak(resolved.provider, call, retries=1)) as words:
        async for heard in words:
            if isinstance(heard, Text):
                text += heard.text
            elif isinstance(heard, Usage):
                usage = heard
    return text, usage


def book(tx: Tx, conversation: Conversation, resolved: Resolved, usage: Usage) -> None:
    """Write down what the title cost."""
    spent = Spent(
        user_id=tx.by.user_id,
        project_id=conversation.project_id,
        conversation_id=conversation.id,
        model=resolved.model.id,
        purpose="title",
        usage=asdict(usage),
        cost=cost(usage, resolved.model.prices),
    )
    store.add_spending(tx, spent)


def tidy(title: str) -> str:
    """Return a model's title as one short plain line."""
    line = next((line for line in title.splitlines() if line.strip()), "")
    return shorten(line.strip().strip("#*_\"'`“”").removeprefix("Title:").strip())


def title_from_text(question: str) -> str:
    """Return a title made of the question's first words."""
    plain = re.sub(r"[`*_#>\[\]]+", "", question)
    sentence = re.split(r"(?<=[.!?])\s", " ".join(plain.split()), maxsplit=1)[0]
    return shorten(sentence) or "New conversation"


def shorten(text: str) -> str:
    """Cut a line at a word near the longest title."""
    if len(text) <= LONGEST:
        return text
    return (text[:LONGEST].rsplit(" ", 1)[0] or text[:LONGEST]).rstrip(",;:-") + "…"
