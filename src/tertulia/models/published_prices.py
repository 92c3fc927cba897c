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
GENAI_PRICES_PROVIDERS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "google": "google",
    "xai": "x-ai",
    "openrouter": "openrouter",
}


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """What is published of a model."""

    title: str | None
    context_window: int | None
    prices: Prices | None


@lru_cache(8192)
def find_published(name: str, kind: str, base_url: str) -> PublishedModel | None:
    """Return what is published of a model at this server, or None."""
    model = find_model_info(name, kind, base_url)
    if model is None:
        return None
    standard = model.get_prices(datetime.now(UTC))
    return PublishedModel(model.name, model.context_window, convert_prices(standard))


def find_model_info(name: str, kind: str, base_url: str) -> types.ModelInfo | None:
    """Return the library's entry, sought at the maker, else at the address, else by the name alone."""
    snapshot = get_snapshot()
    places: list[tuple[str | None, str | None]] = [(None, base_url), (None, None)]
    if kind in GENAI_PRICES_PROVIDERS:
        places = [(GENAI_PRICES_PROVIDERS[kind], None)]
    for provider, url in places:
        try:
            return snapshot.find_provider_model(name, None, provider, url)[1]
        except LookupError:
            continue
    return None


def convert_prices(standard: types.ModelPrice) -> Prices | None:
    """Return prices in our words; None when tokens have no price."""
    base = prices_at(standard, lambda price: price.base)
    starts = [
        tier.start
        for price in token_prices(standard)
        if isinstance(price, types.TieredPrices)
        for tier in price.tiers
    ]
    if base is None or not starts:
        return base
    # Where a long prompt costs more, the dearest step stands for all of them: never too little.
    beyond = min(starts)
    long = prices_at(standard, lambda price: max([price.base, *(tier.price for tier in price.tiers)]))
    return Prices(base.input, base.output, base.cached_input, base.cache_write, beyond=beyond, long=long)


def prices_at(standard: types.ModelPrice, step: Callable[[types.TieredPrices], Decimal]) -> Prices | None:
    """Return the prices at one step of those that depend on the prompt's length."""
    values = [
        float(step(price))
        if isinstance(price, types.TieredPrices)
        else None
        if price is None
        else float(price)
        for price in token_prices(standard)
    ]
    sent, received, cached, written = values
    return None if sent is None or received is None else Prices(sent, received, cached, written)


def token_prices(standard: types.ModelPrice) -> list[Decimal | types.TieredPrices | None]:
    """Return the four prices that concern us: sent, received, read from and written to the cache."""
    names = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")
    return [getattr(standard, name, None) for name in names]
