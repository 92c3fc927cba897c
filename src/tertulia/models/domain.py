"""What we know of a model."""

from dataclasses import dataclass
from enum import StrEnum


class Tier(StrEnum):
    """How capable and how dear a model is; it decides how much context it is given."""

    SMART = "smart"
    BALANCED = "balanced"
    FAST = "fast"
    CHEAP = "cheap"


class Ability(StrEnum):
    """What a model can do beyond text."""

    TOOLS = "tools"
    VISION = "vision"
    THINKING = "thinking"


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million tokens; a prompt of more than `beyond` tokens costs `long` instead."""

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None
    beyond: int | None = None
    long: "Prices | None" = None

    @property
    def are_zero(self) -> bool:
        """Tell whether no token costs anything, however long the prompt."""
        every = (self.input, self.output, self.cached_input, self.cache_write)
        return not any(every) and (self.long is None or self.long.are_zero)


FREE_PRICES = Prices(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Model:
    """One model that can be asked.

    `id` is what people and programs call it. `connection` is the slug of the
    connection that offers it (`openai`, `ollama`, `my-server`) and `name` what
    that server calls it.
    """

    id: str
    connection: str
    name: str
    title: str
    context_window: int
    output_limit: int
    tier: Tier
    abilities: frozenset[Ability] = frozenset()
    prices: Prices | None = None
    local: bool = False

    @property
    def is_free(self) -> bool:
        """Tell whether it is known to cost nothing."""
        return self.prices is not None and self.prices.are_zero
