"""The two that are always there: a small model of our own, and the Librarian."""

from tertulia.models.builtin import weights
from tertulia.models.builtin.provider import NAME, BuiltinModel
from tertulia.models.builtin.runner import SLUG
from tertulia.models.calls import Provider
from tertulia.models.domain import Model, Prices, Tier
from tertulia.models.errors import BuiltinMissing
from tertulia.models.providers import librarian
from tertulia.models.providers.librarian import Librarian
from tertulia.settings import Settings

FREE = Prices(0.0, 0.0)
SMOLLM2 = Model(
    id=NAME,
    connection=SLUG,
    name=NAME,
    title="SmolLM2 135M (built in)",
    window=8192,
    output_limit=1024,
    tier=Tier.CHEAP,
    prices=FREE,
    local=True,
)
LIBRARIAN = Model(
    id=librarian.NAME,
    connection=SLUG,
    name=librarian.NAME,
    title="Librarian (built in)",
    window=32_768,
    output_limit=2048,
    tier=Tier.BALANCED,
    prices=FREE,
    local=True,
)


class Builtins:
    """Gives the built-in models and those who answer for them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._model = BuiltinModel(settings)
        self._librarian = Librarian()

    def models(self) -> tuple[Model, ...]:
        """Return the built-in models that the settings allow."""
        return (SMOLLM2, LIBRARIAN) if self._settings.builtin_model else (LIBRARIAN,)

    def problem(self) -> str:
        """Return why the built-in model cannot answer yet; empty when it can, or is not wanted."""
        wanted = self._settings.builtin_model
        return BuiltinMissing().message if wanted and weights.find(self._settings) is None else ""

    def provider(self, name: str) -> Provider:
        """Return who answers under a built-in name."""
        return self._librarian if name == librarian.NAME else self._model

    async def close(self) -> None:
        """Stop the built-in model's process."""
        await self._model.close()
