"""Small chores for a model that nobody talks to: asked within the budget, and booked."""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import asdict, dataclass

from tertulia.accounts import workspaces
from tertulia.agents.speaker import speak
from tertulia.conversations.domain import Conversation
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.models.calls import Call, Said, Text, Usage
from tertulia.models.catalogue import Resolved
from tertulia.models.prices import countable
from tertulia.models.tokens import count, counter_for
from tertulia.turns import limits, store
from tertulia.turns.desk import Desk
from tertulia.turns.domain import Spent


@dataclass(frozen=True, slots=True)
class Pen:
    """The utility model, ready for one chore; `write` takes a system prompt, a text and an output limit."""

    model: str
    is_local: bool
    write: Callable[[str, str, int], Awaitable[str]]


async def pen_for(conversation: Conversation, purpose: str, *, by: Principal, desk: Desk) -> Pen | None:
    """Return the workspace's utility model for a chore; None when there is none."""
    settings = await desk.db.read(workspaces.settings, by=by)
    resolved = await desk.models.utility(by, settings.utility_model or "")
    if resolved is None:
        return None

    async def write(system: str, text: str, output_limit: int) -> str:
        await desk.db.read(lambda tx: limits.check_money(tx, settings, [resolved]), by=by)
        most = min(output_limit, resolved.model.output_limit)
        said, usage = await ask(resolved, Call(resolved.model.name, system, (Said("user", text),), most))
        await desk.db.write(lambda tx: book(tx, conversation, resolved, usage, purpose), by=by)
        return said

    return Pen(resolved.model.id, resolved.model.local, write)


async def elsewhere(models: Iterable[str], *, by: Principal, desk: Desk) -> frozenset[str]:
    """Return the models among these that are neither on this machine nor network; none that nobody knows."""
    found = set[str]()
    for name in set(models):
        try:
            resolved = await desk.models.resolve(name, by)
        except TertuliaError:
            continue
        if not resolved.model.local:
            found.add(name)
    return frozenset(found)


async def ask(resolved: Resolved, call: Call) -> tuple[str, Usage]:
    """Return all that a model says to one call, and what it used, by our count where it does not say."""
    text, usage = "", None
    async with aclosing(speak(resolved.provider, call, retries=1)) as words:
        async for heard in words:
            if isinstance(heard, Text):
                text += heard.text
            elif isinstance(heard, Usage):
                usage = heard
    used = usage or Usage(counter_for(call.model).call(call), count(text, call.model), estimated=True)
    return text, used


def book(tx: Tx, conversation: Conversation, resolved: Resolved, usage: Usage, purpose: str) -> None:
    """Write down what a chore cost."""
    dollars = countable(usage, resolved.model.prices)
    spent = Spent(
        user_id=tx.by.user_id,
        project_id=conversation.project_id,
        conversation_id=conversation.id,
        model=resolved.model.id,
        purpose=purpose,
        usage=asdict(usage),
        cost=dollars,
        counted=dollars,
        personal=resolved.is_personal,
    )
    store.add_spending(tx, spent)
