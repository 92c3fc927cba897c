"""Prices and windows as published: a thin view of `genai-prices`, which works offline.

Imported on first use, away from the event loop: the library takes a third of a second.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache

from genai_prices import types
from genai_prices.data_snapshot import get_snapshot

from tertulia.models.domain import Prices

#: How `genai-prices` calls the makers we speak to directly.
PROVIDERS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "google": "google",
    "xai": "x-ai",
    "openrouter": "openrouter",
}


@dataclass(frozen=True, slots=True)
class Published:
    """What is published of a model."""

    title: str | None
    window: int | None
    prices: Prices | None


@lru_cache(8192)
def published(name: str, kind: str, base_url: str) -> Published | None:
    """Return what is published of a model at this server, or None."""
    model = find(name, kind, base_url)
    if model is None:
        return None
    standard = model.get_prices(datetime.now(UTC))
    return Published(model.name, model.context_window, prices_of(standard))


def find(name: str, kind: str, base_url: str) -> types.ModelInfo | None:
    """Return the library's entry, sought at the maker, else at the address, else by the name alone."""
    snapshot = get_snapshot()
    places: list[tuple[str | None, str | None]] = [(None, base_url), (None, None)]
    if kind in PROVIDERS:
        places = [(PROVIDERS[kind], None)]
    for provider, url in places:
        try:
            return snapshot.find_provider_model(name, None, provider, url)[1]
        except LookupError:
            continue
    return None


def prices_of(standard: types.ModelPrice) -> Prices | None:
    """Return prices in our words; None when tokens have no price."""
    base = at(standard, lambda price: price.base)
    starts = [
        tier.start
        for price in parts(standard)
        if isinstance(price, types.TieredPrices)
        for tier in price.tiers
    ]
    if base is None or not starts:
        return base
    # Where a long prompt costs more, the dearest step stands for all of them: never too little.
    beyond = min(starts)
    long = at(standard, lambda price: max([price.base, *(tier.price for tier in price.tiers)]))
    return Prices(base.input, base.output, base.cached_input, base.cache_write, beyond=beyond, long=long)


def at(standard: types.ModelPrice, step: Callable[[types.TieredPrices], Decimal]) -> Prices | None:
    """Return the prices at one step of those that depend on the prompt's length."""
    values = [
        float(step(price))
        if isinstance(price, types.TieredPrices)
        else None
        if price is None
        else float(price)
        for price in parts(standard)
    ]
    sent, received, cached, written = values
    return None if sent is None or received is None else Prices(sent, received, cached, written)


def parts(standard: types.ModelPrice) -> list[Decimal | types.TieredPrices | None]:
    """Return the four prices that concern us: sent, received, read from and written to the cache."""
    names = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")
    return [getattr(standard, name, None) for name in names]
