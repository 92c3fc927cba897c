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
#: Messages of each level as rounds of a question and an answer, and about what its prompts have in tokens.
LEVEL_ROUNDS = {Level.LIGHT: 5, Level.STANDARD: 8, Level.FULL: 13}
LEVEL_PROMPT_TOKENS = {Level.LIGHT: 800, Level.STANDARD: 1_500, Level.FULL: 3_000}
#: Long rounds leave so much to what is added to them: names, promises and decisions are never gone.
LEVEL_ADDED_MIN_TOKENS = {Level.LIGHT: 300, Level.STANDARD: 600, Level.FULL: 1_200}


@dataclass(frozen=True, slots=True)
class PromptDepth:
    """What a prompt has besides the question."""

    rounds: int
    passages: bool = True
    #: Of the summary only what is looked up again, binds, or says who the person is.
    key_points_only: bool = False
    #: Files are pointed at, for a model that can read them itself.
    pointers: bool = False
    #: About what a level gives to a prompt, and what of it is for summary and passages at least.
    level_tokens: int | None = None
    added_min_tokens: int = 0
    #: Tokens for the whole prompt, where the window is not the limit.
    max_tokens: int | None = None

    def added_max_tokens(self, taken: int, limit: int) -> int:
        """Return what summary and passages may take beside a system prompt, a question and rounds."""
        return limit if self.level_tokens is None else max(self.added_min_tokens, self.level_tokens - taken)

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
        passages=not minimal and settings.level in (None, Level.FULL),
        key_points_only=settings.level is Level.LIGHT,
        pointers=can_read and tier is Tier.SMART and settings.strategy is Strategy.SMART,
        level_tokens=LEVEL_PROMPT_TOKENS[settings.level] if settings.level else None,
        added_min_tokens=LEVEL_ADDED_MIN_TOKENS[settings.level] if settings.level else 0,
        max_tokens=settings.max_tokens or TIER_PROMPT_MAX_TOKENS.get(tier),
    )
