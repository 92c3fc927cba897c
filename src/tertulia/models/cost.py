"""What a call cost, and up to what a provider is believed that says so."""

from tertulia.models.calls import Usage
from tertulia.models.domain import Prices

TOKENS_PER_PRICE = 1_000_000
MICRO_DOLLAR_DIGITS = 6
#: Dollars for a million tokens, where no price is published: dearer than any that is.
UNPUBLISHED_PRICE_MAX = 1_000.0


def cost_of(usage: Usage, prices: Prices | None) -> float | None:
    """Return dollars, to the micro-dollar: what the provider says, else tokens times prices, else None.

    A provider is believed up to what the tokens can cost. `usage.input` holds the cached and the
    cache-written tokens too; each is priced once.
    """
    if usage.cost is not None:
        return round(min(usage.cost, max_cost_of(usage, prices)), MICRO_DOLLAR_DIGITS)
    if prices is None:
        return None
    if prices.beyond is not None and prices.long is not None and usage.input > prices.beyond:
        prices = prices.long
    plain = max(0, usage.input - usage.cached - usage.cache_write)
    dollars = (
        plain * prices.input
        + usage.cached * price_or(prices.cached_input, prices.input)
        + usage.cache_write * price_or(prices.cache_write, prices.input)
        + usage.output * prices.output
    )
    return round(dollars / TOKENS_PER_PRICE, MICRO_DOLLAR_DIGITS)


def max_cost_of(usage: Usage, prices: Prices | None) -> float:
    """Return what the tokens can cost at most: each at the dearest price that may hold for it."""
    if prices is None:
        return (usage.input + usage.output) * UNPUBLISHED_PRICE_MAX / TOKENS_PER_PRICE
    every = [prices, prices.long] if prices.long else [prices]
    sent = max(max(prices.input, prices.cached_input or 0.0, prices.cache_write or 0.0) for prices in every)
    return (usage.input * sent + usage.output * max(prices.output for prices in every)) / TOKENS_PER_PRICE


def budgeted_cost_of(usage: Usage, prices: Prices | None) -> float:
    """Return what counts against a budget: a price that nobody knows cannot be counted, so nothing does."""
    return cost_of(usage, prices) or 0.0


def price_or(price: float | None, otherwise: float) -> float:
    """Return a price, or the plain one where there is no special one: free is a price too."""
    return otherwise if price is None else price
