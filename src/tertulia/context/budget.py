"""How many tokens a prompt may have."""

from dataclasses import dataclass

from tertulia.core.errors import Invalid
from tertulia.models.domain import Model, Tier

#: Rounds of recent conversation that a model of each tier is shown at most.
ROUNDS = {Tier.SMART: 20, Tier.BALANCED: 10, Tier.FAST: 5, Tier.CHEAP: 5}
LONGEST_REPLY = 32_000


class BudgetTooSmall(Invalid):
    """The reply would fill the whole window, leaving no room for a prompt."""

    code = "budget_too_small"

    def __init__(self, *, window: int, reply: int) -> None:
        super().__init__(f"A reply of {reply} tokens leaves no prompt in a window of {window}.")


class QuestionTooLong(Invalid):
    """The question alone is more than the model can read."""

    code = "question_too_long"

    def __init__(self, *, tokens: int, limit: int, model: str) -> None:
        super().__init__(
            f"The question has about {tokens:,} tokens, and {model} can read {limit:,}. "
            "Shorten it, or ask a model with a larger window.",
            tokens=tokens,
            limit=limit,
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens one prompt may use once room for the reply and for miscounting is set aside."""

    window: int
    reply: int

    def __post_init__(self) -> None:
        if not 0 < self.reply < self.window:
            raise BudgetTooSmall(window=self.window, reply=self.reply)

    @classmethod
    def of(cls, model: Model, *, at_most: int | None = None) -> "Budget":
        """Return what a model's window, its limit on replies and the person's own leave."""
        share = max(1, model.window // 4)
        return cls(
            window=model.window, reply=min(model.output_limit, share, LONGEST_REPLY, at_most or LONGEST_REPLY)
        )

    @property
    def prompt(self) -> int:
        """Tokens for the prompt: 5 % stay free, because counts for some models are estimates."""
        return (self.window - self.reply) * 95 // 100
