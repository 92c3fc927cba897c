"""What each model would be shown and what that would cost, before anything is sent."""

from dataclasses import dataclass, replace
from functools import partial

from tertulia.agents.fenced import may_use_tools
from tertulia.context.assemble import assemble
from tertulia.context.domain import Memory, Scene
from tertulia.context.gather import Draft, gather_draft
from tertulia.context.plan import Plan
from tertulia.conversations import rounds
from tertulia.conversations.access import get_for_reading, get_message
from tertulia.conversations.audience import find_audience
from tertulia.conversations.domain import Origin, Seat
from tertulia.conversations.writing import HEAD
from tertulia.core.errors import NotFound, TertuliaError
from tertulia.core.principal import Principal
from tertulia.core.threads import run_by_length
from tertulia.infra.db import Tx
from tertulia.models.calibration import ratio_of
from tertulia.models.calls import Tool, Usage
from tertulia.models.domain import Model
from tertulia.models.prices import cost
from tertulia.projects import store as projects
from tertulia.tools.domain import Caller
from tertulia.turns.desk import Desk
from tertulia.turns.domain import Ask
from tertulia.turns.seats import seats_for


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one lane would be shown: a plan, or why it could not be asked."""

    lane: str
    model: Model
    plan: Plan | None
    problem: TertuliaError | None = None
    #: What the plan was made from.
    scene: Scene | None = None
    ratio: float = 1.0
    tools: tuple[Tool, ...] = ()

    @property
    def limit(self) -> int:
        """Return the tokens that a prompt of this lane may have."""
        return self.plan.limit if self.plan else 0

    def tokens_of(self, scene: Scene) -> int:
        """Return how many tokens a prompt made from another scene would have."""
        return assemble(scene, self.model, ratio=self.ratio, tools=self.tools).tokens

    @property
    def cost_input(self) -> float | None:
        """Return what reading the prompt costs, where the price is known."""
        return self._cost(output=0)

    @property
    def cost_most(self) -> float | None:
        """Return what it costs at most, with the longest reply."""
        return self._cost(output=self.plan.reply if self.plan else 0)

    def _cost(self, *, output: int) -> float | None:
        if self.plan is None or self.model.prices is None:
            return None
        return cost(Usage(self.plan.tokens, output), self.model.prices)


async def estimates(ask: Ask, *, by: Principal, desk: Desk) -> list[Estimate]:
    """Return what each model that would be asked would be shown."""
    ask = await placed(ask, by=by, desk=desk)
    most = desk.settings.models_per_round
    seats = (await seats_for(ask, by=by, db=desk.db, models=desk.models, most=most)).seats
    table = tuple(seat.lane for seat in seats)
    drafts = [await desk.db.read(lambda tx, one=seat: draft_of(tx, ask, one, table), by=by) for seat in seats]
    audience = await desk.db.glance(lambda tx: find_audience(tx, ask.conversation_id), by=by)
    memory = await desk.recall.for_draft(drafts[0], by=by, audience=audience)
    return [await estimate_for(draft, memory, by=by, audience=audience, desk=desk) for draft in drafts]


async def placed(ask: Ask, *, by: Principal, desk: Desk) -> Ask:
    """Return a question with the project that a conversation begun with it would belong to."""
    if ask.conversation_id is not None:
        return ask
    if ask.project_id is None:
        return replace(ask, project_id=(await desk.db.write(projects.get_default, by=by)).id)
    project_id = ask.project_id
    return replace(ask, project_id=(await desk.db.read(lambda tx: projects.get(tx, project_id), by=by)).id)


async def estimate_for(
    draft: Draft, memory: Memory, *, by: Principal, audience: Principal, desk: Desk
) -> Estimate:
    """Return what one lane would be shown, or why it could not be asked."""
    resolved = await desk.models.resolve(draft.seat.model, by=by)
    model = resolved.model
    tools = await offered_to(draft, model, by=by, desk=desk)

    def look(tx: Tx) -> tuple[Scene, float]:
        scene = gather_draft(tx, draft, tier=model.tier, memory=memory, can_read=bool(tools))
        return scene, ratio_of(tx, model, payer=resolved.payer(by))

    scene, ratio = await desk.db.read(look, by=audience)
    try:
        write_prompt = partial(assemble, scene, model, ratio=ratio, tools=tools)
        plan = (await run_by_length(write_prompt, chars=scene.chars)).plan
    except TertuliaError as error:
        return Estimate(draft.seat.lane, model, None, error)
    return Estimate(draft.seat.lane, model, plan, None, scene, ratio, tools)


async def offered_to(draft: Draft, model: Model, *, by: Principal, desk: Desk) -> tuple[Tool, ...]:
    """Return the tools that a model would be offered."""
    if not may_use_tools(model):
        return ()
    project_id = await desk.db.read(lambda tx: project_of(tx, draft), by=by)
    caller = Caller(by, project_id, draft.conversation_id or "", model_is_local=model.local)
    return (await desk.toolbox.for_caller(caller)).offered(caller)


def project_of(tx: Tx, draft: Draft) -> str | None:
    """Return the project that a question would be asked in."""
    if draft.conversation_id is None:
        return draft.project_id
    conversation = get_for_reading(tx, draft.conversation_id)
    return None if conversation.origin is Origin.API else conversation.project_id


def draft_of(tx: Tx, ask: Ask, seat: Seat, table: tuple[str, ...]) -> Draft:
    """Return a question as it would be asked, and where."""
    parent_id, before = place_of(tx, ask)
    return Draft(
        text=ask.message,
        seat=seat,
        table=table,
        policy=ask.policy,
        conversation_id=ask.conversation_id,
        project_id=ask.project_id,
        parent_id=parent_id,
        round_before=before,
        images=ask.images,
    )


def place_of(tx: Tx, ask: Ask) -> tuple[str | None, str | None]:
    """Return the message that a question would follow, and its round."""
    conversation = get_for_reading(tx, ask.conversation_id) if ask.conversation_id else None
    if ask.parent_id is None:
        return None, None
    if ask.parent_id != HEAD:
        message = get_message(tx, ask.parent_id)
        if conversation is None or message.conversation_id != conversation.id:
            raise NotFound("message")
        return message.id, message.round_id
    if conversation is None or conversation.head_id is None:
        return None, None
    return rounds.question_of(tx, conversation.head_id).id, conversation.head_id
