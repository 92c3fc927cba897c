"""How deep a prompt goes: how many rounds, and which other sections, by tier, strategy and level."""

from dataclasses import dataclass

from tertulia.context.domain import Wish
from tertulia.models.domain import Tier
from tertulia.projects.domain import Level, Strategy

#: Rounds of recent conversation that a model of each tier is shown.
ROUNDS = {Tier.SMART: 20, Tier.BALANCED: 10, Tier.FAST: 5, Tier.CHEAP: 5}
#: What a prompt may have at most when nobody says; smart models may fill their window.
TIER_LIMITS = {Tier.BALANCED: 64_000, Tier.FAST: 32_000, Tier.CHEAP: 16_000}
FEWEST_ROUNDS = 5
#: Messages of each level as rounds of a question and an answer, and tokens for all that is added to them.
LEVEL_ROUNDS = {Level.LIGHT: 5, Level.STANDARD: 8, Level.FULL: 13}
LEVEL_TOKENS = {Level.LIGHT: 800, Level.STANDARD: 1_500, Level.FULL: 3_000}


@dataclass(frozen=True, slots=True)
class Depth:
    """What a prompt has besides the question."""

    rounds: int
    summary: bool = True
    passages: bool = True
    #: Files are pointed at, for a model that can read them itself.
    pointers: bool = False
    #: Tokens for summary, memory and passages together, where a level limits them.
    added: int | None = None
    #: Tokens for the whole prompt, where the window is not the limit.
    limit: int | None = None

    @property
    def step(self) -> int:
        """Return how many rounds are let go at once, so that the beginning mostly stays the same."""
        return max(1, self.rounds // 4)


def depth_for(tier: Tier, wish: Wish, *, can_read: bool) -> Depth:
    """Return how deep a prompt goes for a model of a tier."""
    rounds = LEVEL_ROUNDS[wish.level] if wish.level else ROUNDS[tier]
    minimal = wish.strategy is Strategy.MINIMAL
    return Depth(
        rounds=FEWEST_ROUNDS if minimal else rounds,
        summary=wish.level is not Level.LIGHT,
        passages=not minimal and wish.level in (None, Level.FULL),
        pointers=can_read and tier is Tier.SMART and wish.strategy is Strategy.SMART,
        added=LEVEL_TOKENS[wish.level] if wish.level else None,
        limit=wish.max_tokens or TIER_LIMITS.get(tier),
    )
