"""The two that are always there: a small model of our own, and the Librarian."""

from tertulia.models.builtin import weights
from tertulia.models.builtin.child import BUILTIN_SLUG
from tertulia.models.builtin.provider import SMOLLM2_NAME, BuiltinProvider
from tertulia.models.calls import Provider
from tertulia.models.domain import FREE_PRICES, Model, Tier
from tertulia.models.errors import BuiltinMissing
from tertulia.settings import Settings

LIBRARIAN_NAME = "librarian"
SMOLLM2 = Model(
    id=SMOLLM2_NAME,
    connection=BUILTIN_SLUG,
    name=SMOLLM2_NAME,
    title="SmolLM2 135M (built in)",
    context_window=8192,
    output_limit=1024,
    tier=Tier.CHEAP,
    prices=FREE_PRICES,
    local=True,
)
LIBRARIAN = Model(
    id=LIBRARIAN_NAME,
    connection=BUILTIN_SLUG,
    name=LIBRARIAN_NAME,
    title="Librarian (built in)",
    context_window=32_768,
    output_limit=2048,
    tier=Tier.BALANCED,
    prices=FREE_PRICES,
    local=True,
)


class BuiltinModels:
    """Gives the built-in models and those who answer for them."""

    def __init__(self, settings: Settings, *, librarian: Provider) -> None:
        self._settings = settings
        self._model = BuiltinProvider(settings)
        self._librarian = librarian

    def models(self) -> tuple[Model, ...]:
        """Return the built-in models that the settings allow."""
        return (SMOLLM2, LIBRARIAN) if self._settings.builtin_model else (LIBRARIAN,)

    def problem(self) -> str:
        """Return why the built-in model cannot answer yet; empty when it can, or is not wanted."""
        wanted = self._settings.builtin_model
        return BuiltinMissing().message if wanted and weights.find(self._settings) is None else ""

    def provider(self, name: str) -> Provider:
        """Return who answers under a built-in name."""
        return self._librarian if name == LIBRARIAN_NAME else self._model

    async def close(self) -> None:
        """Stop the built-in model's process."""
        await self._model.close()
