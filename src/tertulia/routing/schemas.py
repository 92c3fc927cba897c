"""Routing on the wire."""

from typing import Annotated, Self

from pydantic import Field

from tertulia.infra.http.schema import LongText, Schema
from tertulia.models.domain import Ability, Tier
from tertulia.models.schemas import Reference
from tertulia.routing.domain import ModelChoice, PricedModel, RouteQuestion

ROUTED_MODELS_MAX = 1_000


class RouteBody(Schema):
    """A question, and the models to choose from: without names, all connected ones, else the built-in."""

    message: Annotated[LongText, Field(min_length=1)]
    models: Annotated[list[Reference], Field(max_length=ROUTED_MODELS_MAX)] = Field(default_factory=list[str])
    preference: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.5, description="From 0, as cheap as can be, to 1, as good as can be."
    )
    abilities: list[Ability] = Field(default_factory=list[Ability])
    context_tokens: Annotated[int, Field(ge=0, le=100_000_000)] = Field(
        default=0, description="What the prompt takes beside the message."
    )
    local_only: bool = False

    def to_question(self) -> RouteQuestion:
        """Return what a model is wanted for."""
        return RouteQuestion(
            self.message, self.preference, frozenset(self.abilities), self.context_tokens, self.local_only
        )


class AlternativeView(Schema):
    """A model that could answer too. `cost` is in US dollars, for an answer of usual length."""

    model: str
    tier: Tier
    cost: float | None

    @classmethod
    def of(cls, candidate: PricedModel) -> Self:
        """Show a model."""
        return cls(model=candidate.model.id, tier=candidate.model.tier, cost=candidate.cost)


class RouteView(Schema):
    """Who should answer, and why."""

    model: str
    reason: str
    difficulty: float
    cost: float | None
    alternatives: list[AlternativeView]

    @classmethod
    def of(cls, choice: ModelChoice) -> Self:
        """Show a choice."""
        return cls(
            model=choice.chosen.model.id,
            reason=choice.reason,
            difficulty=round(choice.difficulty, 4),
            cost=choice.chosen.cost,
            alternatives=[AlternativeView.of(candidate) for candidate in choice.alternatives],
        )
