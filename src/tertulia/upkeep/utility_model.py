"""Small chores for a model that nobody talks to: asked within the budget, and booked."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import partial

from tertulia.accounts import workspaces
from tertulia.agents.model_quirks import ModelQuirks
from tertulia.agents.retry import RetryScheduled
from tertulia.agents.step_stream import stream_step
from tertulia.conversations.domain import Conversation
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.models.calls import Call, PromptMessage, Provider, StreamEvent, TextDelta, Usage
from tertulia.models.catalogue import ResolvedModel
from tertulia.models.tokens import count, counter_for
from tertulia.turns import billing
from tertulia.turns.services import TurnServices


@dataclass(frozen=True, slots=True)
class UtilityModel:
    """The utility model, ready for one chore; `write` takes a system prompt, a text and an output limit."""

    model: str
    is_local: bool
    write: Callable[[str, str, int], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class ChorePlace:
    """Where a chore is done, for the books: outside of any conversation its id is empty."""

    conversation_id: str = ""
    project_id: str | None = None

    @classmethod
    def of(cls, conversation: Conversation) -> "ChorePlace":
        """Return a conversation as the place of a chore."""
        return cls(conversation.id, conversation.project_id)


async def find_utility_model(
    place: ChorePlace, purpose: str, *, by: Principal, services: TurnServices
) -> UtilityModel | None:
    """Return the workspace's utility model for a chore; None when there is none."""
    settings = await services.db.read(workspaces.get_settings, by=by)
    resolved = await services.models.utility_model(by, settings.utility_model or "")
    if resolved is None:
        return None

    async def write(system: str, text: str, output_limit: int) -> str:
        await services.db.read(lambda tx: billing.check_spending_limits(tx, settings, [resolved]), by=by)
        most = min(output_limit, resolved.model.output_limit)
        call = Call(resolved.model.name, system, (PromptMessage("user", text),), most)
        quirks = services.quirks.of(resolved.model, by=by)
        said, usage = await complete(resolved, call, quirks=quirks)
        spent = partial(
            billing.record_chore_spending,
            project_id=place.project_id,
            conversation_id=place.conversation_id,
            resolved=resolved,
            usage=usage,
            purpose=purpose,
        )
        await services.db.write(spent, by=by)
        return said

    return UtilityModel(resolved.model.id, resolved.model.local, write)


async def remote_models_among(
    models: Iterable[str], *, by: Principal, services: TurnServices
) -> frozenset[str]:
    """Return the models among these that are neither on this machine nor network; none that nobody knows."""
    found = set[str]()
    for name in set(models):
        try:
            resolved = await services.models.resolve(name, by)
        except TertuliaError:
            continue
        if not resolved.model.local:
            found.add(name)
    return frozenset(found)


async def complete(resolved: ResolvedModel, call: Call, *, quirks: ModelQuirks) -> tuple[str, Usage]:
    """Return all that a model says to one call, and what it used, by our count where it does not say."""
    said: list[str] = []
    reported: list[Usage] = []

    def take_in(event: StreamEvent | RetryScheduled) -> None:
        if isinstance(event, TextDelta):
            said.append(event.text)
        elif isinstance(event, Usage):
            reported.append(event)

    async def find_provider() -> Provider:
        return resolved.provider

    await stream_step(find_provider, call, quirks=quirks, retries=1, on_event=take_in)
    text = "".join(said)
    if reported:
        return text, reported[-1]
    return text, Usage(counter_for(call.model).call(call), count(text, call.model), estimated=True)
