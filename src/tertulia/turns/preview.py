"""What each model would be shown and what that would cost, before anything is sent."""

from dataclasses import dataclass

from tertulia.context.assemble import assemble
from tertulia.context.domain import Scene
from tertulia.context.gather import Draft, gather_draft
from tertulia.context.plan import Plan
from tertulia.conversations import rounds
from tertulia.conversations.access import get_for_reading, get_message
from tertulia.conversations.domain import Seat
from tertulia.conversations.writing import HEAD
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.models.calibration import ratio_of
from tertulia.models.calls import Usage
from tertulia.models.catalogue import Resolved
from tertulia.models.domain import Model
from tertulia.models.prices import cost
from tertulia.turns.domain import Ask
from tertulia.turns.run import Desk
from tertulia.turns.seats import seats_for


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one lane would be shown: a plan, or why it could not be asked."""

    lane: str
    model: Model
    plan: Plan | None
    problem: TertuliaError | None = None

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
    seats = await seats_for(ask, by=by, db=desk.db, models=desk.models)
    table = tuple(seat.lane for seat in seats)
    drafts = [await desk.db.read(lambda tx, one=seat: draft_of(tx, ask, one, table), by=by) for seat in seats]
    memory = await desk.recall.for_draft(drafts[0], by=by)
    found: list[Estimate] = []
    for draft in drafts:
        resolved = await desk.models.resolve(draft.seat.model, by=by)

        def look(tx: Tx, draft: Draft = draft, resolved: Resolved = resolved) -> tuple[Scene, float]:
            scene = gather_draft(tx, draft, tier=resolved.model.tier, memory=memory)
            return scene, ratio_of(tx, resolved.model)

        found.append(estimate(draft.seat, resolved.model, *await desk.db.read(look, by=by)))
    return found


def estimate(seat: Seat, model: Model, scene: Scene, ratio: float) -> Estimate:
    """Return what one lane would be shown, or why it could not be asked."""
    try:
        return Estimate(seat.lane, model, assemble(scene, model, ratio=ratio).plan)
    except TertuliaError as error:
        return Estimate(seat.lane, model, None, error)


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
    if ask.conversation_id is None or ask.parent_id is None:
        return None, None
    conversation = get_for_reading(tx, ask.conversation_id)
    if ask.parent_id != HEAD:
        message = get_message(tx, ask.parent_id)
        return message.id, message.round_id
    if conversation.head_id is None:
        return None, None
    return rounds.question_of(tx, conversation.head_id).id, conversation.head_id
