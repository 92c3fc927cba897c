"""How deep a prompt goes: how many rounds, and which other sections, by tier, strategy and level."""

from dataclasses import dataclass

from tertulia.context.domain import PromptSettings
from tertulia.models.domain import Tier
from tertulia.projects.domain import Level, Strategy

#: Rounds of recent conversation that a model of each tier is shown.
TIER_ROUNDS = {Tier.SMART: 20, Tier.BALANCED: 10, Tier.FAST: 5, Tier.CHEAP: 5}
#: What a prompt may have at most when nobody says; smart models may fill their window.
TIER_PROMPT_MAX_TOKENS = {Tier.BALANCED: 64_000, Tier.FAST: 32_000, Tier.CHEAP: 16_000}
MINIMAL_STRATEGY_ROUNDS = 5
#: Messages of each level as rounds of a question and an answer, and tokens for all that is added to them.
LEVEL_ROUNDS = {Level.LIGHT: 5, Level.STANDARD: 8, Level.FULL: 13}
LEVEL_ADDED_MAX_TOKENS = {Level.LIGHT: 800, Level.STANDARD: 1_500, Level.FULL: 3_000}


@dataclass(frozen=True, slots=True)
class PromptDepth:
    """What a prompt has besides the question."""

    rounds: int
    summary: bool = True
    passages: bool = True
    #: Files are pointed at, for a model that can read them itself.
    pointers: bool = False
    #: Tokens for summary, memory and passages together, where a level limits them.
    added_max_tokens: int | None = None
    #: Tokens for the whole prompt, where the window is not the limit.
    max_tokens: int | None = None

    @property
    def rounds_dropped_at_once(self) -> int:
        """Return how many rounds are let go at once, so that the beginning mostly stays the same."""
        return max(1, self.rounds // 4)


def depth_for(tier: Tier, settings: PromptSettings, *, can_read: bool) -> PromptDepth:
    """Return how deep a prompt goes for a model of a tier."""
    rounds = LEVEL_ROUNDS[settings.level] if settings.level else TIER_ROUNDS[tier]
    minimal = settings.strategy is Strategy.MINIMAL
    return PromptDepth(
        rounds=MINIMAL_STRATEGY_ROUNDS if minimal else rounds,
        summary=settings.level is not Level.LIGHT,
        passages=not minimal and settings.level in (None, Level.FULL),
        pointers=can_read and tier is Tier.SMART and settings.strategy is Strategy.SMART,
        added_max_tokens=LEVEL_ADDED_MAX_TOKENS[settings.level] if settings.level else None,
        max_tokens=settings.max_tokens or TIER_PROMPT_MAX_TOKENS.get(tier),
    )
