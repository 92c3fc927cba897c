"""How many tokens a prompt may have."""

from dataclasses import dataclass, replace

from tertulia.core.errors import Invalid
from tertulia.models.domain import Model

REPLY_MAX_TOKENS = 32_000
#: Counts for some models are estimates: so much of the window stays free.
TOKEN_COUNT_MARGIN_SHARE = 0.05


class TokenBudgetTooSmall(Invalid):
    """The reply would fill the whole window, leaving no room for a prompt."""

    code = "budget_too_small"

    def __init__(self, *, window: int, reply: int) -> None:
        super().__init__(f"A reply of {reply} tokens leaves no prompt in a window of {window}.")


@dataclass(frozen=True, slots=True)
class PromptPart:
    """Something that every prompt must have, as people call it."""

    name: str
    tokens: int


class QuestionTooLong(Invalid):
    """The question, with what every prompt must have, is more than the model can read."""

    code = "question_too_long"

    def __init__(self, *, tokens: int, limit: int, model: str, is_window: bool, largest: PromptPart) -> None:
        advice = (
            "Shorten it, or ask a model with a larger window."
            if is_window
            else "Shorten it, or raise the limit of the conversation or its project."
        )
        super().__init__(
            f"The largest part of the prompt, {largest.tokens:,} of at least {tokens:,} tokens, is "
            f"{largest.name}, and {model} can read {limit:,} here. {advice}",
            tokens=tokens,
            limit=limit,
        )


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """Tokens one prompt may use once room for the reply and for miscounting is set aside."""

    window: int
    reply: int
    #: What conversation, project or tier allow, where that is less.
    max_tokens: int | None = None
    #: What is taken already by other things.
    taken: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.reply < self.window:
            raise TokenBudgetTooSmall(window=self.window, reply=self.reply)

    @classmethod
    def of(cls, model: Model, *, reply: int | None = None, max_tokens: int | None = None) -> "TokenBudget":
        """Return what a model's window, its limit on replies and the person's wishes leave."""
        share = max(1, model.context_window // 4)
        longest = min(model.output_limit, share, REPLY_MAX_TOKENS, reply or REPLY_MAX_TOKENS)
        return cls(window=model.context_window, reply=longest, max_tokens=max_tokens)

    @property
    def window_tokens(self) -> int:
        """Return the tokens that the window has room for."""
        return int((self.window - self.reply) * (1 - TOKEN_COUNT_MARGIN_SHARE))

    @property
    def prompt_tokens(self) -> int:
        """Return the tokens that the prompt may have."""
        return max(1, (self.window_tokens if self.is_window_limited else self.max_tokens or 0) - self.taken)

    @property
    def is_window_limited(self) -> bool:
        """Tell whether the window sets the limit, and not what somebody allows."""
        return self.max_tokens is None or self.max_tokens >= self.window_tokens

    def without(self, tokens: int) -> "TokenBudget":
        """Return the budget for a part of the prompt, when the rest takes so many tokens."""
        return replace(self, taken=self.taken + tokens)
