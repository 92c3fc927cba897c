"""What is asked of routing, and what it answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from tertulia.models.domain import Ability, Model


@dataclass(frozen=True, slots=True)
class RouteQuestion:
    """A question for which a model is wanted, and what that model must be able to do."""

    message: str
    #: From 0, as cheap as can be, to 1, as good as can be.
    preference: float = 0.5
    abilities: frozenset[Ability] = frozenset()
    #: What the prompt takes beside the message.
    context_tokens: int = 0
    local_only: bool = False


@dataclass(frozen=True, slots=True)
class PricedModel:
    """A model that could answer, with what that would cost; None where its price is not known."""

    model: Model
    cost: float | None


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model that answers, why, and who else could: the next best first."""

    chosen: PricedModel
    reason: str
    difficulty: float
    alternatives: Sequence[PricedModel]
