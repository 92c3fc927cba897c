"""Figures that servers report: believed where a call can have them, and passed over where none can."""

from dataclasses import replace
from typing import cast

from tertulia.models.calls import Usage
from tertulia.models.cost import max_cost_of

#: Tokens of one prompt, reply or window. No model takes as many; a larger figure is a mistake or a lie.
PLAUSIBLE_TOKENS_MAX = 100_000_000


class ImplausibleFigure(ValueError):
    """A figure that no call can have."""


def plausible_tokens(value: object) -> int:
    """Return how many tokens a server reports, none where it says nothing."""
    if value is None:
        return 0
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= PLAUSIBLE_TOKENS_MAX:
        raise ImplausibleFigure
    return value


def plausible_window(value: object) -> int | None:
    """Return how many tokens a server says that a model takes; None where it does not say so sensibly."""
    try:
        return plausible_tokens(value) or None
    except ImplausibleFigure:
        return None


def reported_usage(
    *,
    prompt: int,
    output: int,
    cached: int = 0,
    cache_write: int = 0,
    thinking: int = 0,
    cost: object = None,
) -> Usage:
    """Return the usage that a server reports, its parts no larger than the whole."""
    if prompt + output == 0 or max(prompt, output) > PLAUSIBLE_TOKENS_MAX:
        raise ImplausibleFigure
    cached = min(cached, prompt)
    usage = Usage(
        input=prompt,
        output=output,
        cached=cached,
        cache_write=min(cache_write, prompt - cached),
        thinking=min(thinking, output),
    )
    return replace(usage, cost=plausible_cost(cost, max_dollars=max_cost_of(usage, None)))


def plausible_cost(value: object, *, max_dollars: float) -> float | None:
    """Return what a server says that a call cost; None where it does not say so sensibly."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        amount = float(cast("float", value))
    except OverflowError:
        return None
    return amount if 0 <= amount <= max_dollars else None
