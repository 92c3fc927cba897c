"""Choosing a model for a question of known difficulty: the cheapest of those that are good enough."""

from collections.abc import Sequence
from math import inf

from tertulia.models.calls import Usage
from tertulia.models.cost import cost_of
from tertulia.models.domain import Ability, Model, Tier
from tertulia.routing.domain import ModelChoice, PricedModel, RouteQuestion
from tertulia.routing.errors import NoModelFits

#: The tiers by how capable their models are, the least first.
TIERS_BY_CAPABILITY = (Tier.CHEAP, Tier.FAST, Tier.BALANCED, Tier.SMART)
#: What an answer takes, where nobody knows better.
EXPECTED_OUTPUT_TOKENS = 500
ABILITY_WORDS = {
    Ability.TOOLS: "can use tools",
    Ability.VISION: "can see pictures",
    Ability.THINKING: "can think before it answers",
}


def choose_model(
    question: RouteQuestion, models: Sequence[Model], *, difficulty: float, prompt_tokens: int
) -> ModelChoice:
    """Return the cheapest model that is good enough for a question, and the others by how well they fit."""
    priced = [price_model(model, prompt_tokens) for model in fitting_models(question, models, prompt_tokens)]
    levels = sorted({capability_of(candidate.model) for candidate in priced})
    wanted = wanted_level(difficulty, question.preference, levels)
    ranked = sorted(priced, key=lambda candidate: rank_of(candidate, wanted))
    chosen, alternatives = ranked[0], ranked[1:]
    return ModelChoice(chosen, explain(chosen, alternatives, difficulty), difficulty, alternatives)


def fitting_models(question: RouteQuestion, models: Sequence[Model], prompt_tokens: int) -> list[Model]:
    """Return the models that can do what a question needs, or raise where none can."""
    fitting = list(models)
    if question.local_only:
        fitting = [model for model in fitting if model.local] or refuse("runs on this machine")
    for ability in sorted(question.abilities):
        fitting = [model for model in fitting if ability in model.abilities] or refuse(ABILITY_WORDS[ability])
    return [
        model for model in fitting if prompt_tokens + EXPECTED_OUTPUT_TOKENS <= model.context_window
    ] or refuse(f"has room for {prompt_tokens} tokens")


def refuse(needed: str) -> list[Model]:
    """Raise: no model can do what is needed."""
    raise NoModelFits(needed)


def wanted_level(difficulty: float, preference: float, levels: Sequence[int]) -> int:
    """Return how capable a model should be: the levels there are share the range of difficulties.

    In the middle the preference leaves difficulty as it is; at its ends one level is always wanted.
    """
    shifted = min(1.0, max(0.0, difficulty + 2 * preference - 1))
    return levels[min(len(levels) - 1, int(shifted * len(levels)))]


def rank_of(candidate: PricedModel, wanted: int) -> tuple[int, float]:
    """Return by what models are ordered: good enough before too good before too weak, then by cost."""
    capability = capability_of(candidate.model)
    missing = wanted - capability
    distance = -missing if missing <= 0 else len(TIERS_BY_CAPABILITY) + missing
    return distance, inf if candidate.cost is None else candidate.cost


def capability_of(model: Model) -> int:
    """Return how capable a model is, by its tier."""
    return TIERS_BY_CAPABILITY.index(model.tier)


def price_model(model: Model, prompt_tokens: int) -> PricedModel:
    """Return a model with what an answer of usual length would cost."""
    return PricedModel(model, cost_of(Usage(prompt_tokens, EXPECTED_OUTPUT_TOKENS), model.prices))


def explain(chosen: PricedModel, alternatives: Sequence[PricedModel], difficulty: float) -> str:
    """Return why a model was chosen, and what that saves or costs more than the runner-up."""
    kind = "easy" if difficulty < 1 / 3 else "difficult" if difficulty > 2 / 3 else "of middling difficulty"
    told = f"The question looks {kind} ({difficulty:.2f}): a {chosen.model.tier} model is enough."
    if not alternatives or chosen.cost is None or alternatives[0].cost is None:
        return told
    saved, other = alternatives[0].cost - chosen.cost, alternatives[0].model.title
    if saved == 0:
        return told
    return f"{told} It costs about ${abs(saved):.4f} {'less' if saved > 0 else 'more'} than {other}."
