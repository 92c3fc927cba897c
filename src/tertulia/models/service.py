"""Models, as the rest of Tertulia sees them: built once, asked for everything."""

from dataclasses import dataclass

import httpx2

from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database
from tertulia.infra.secrets import SecretVault
from tertulia.models.builtin.child import BUILTIN_SLUG as BUILTIN
from tertulia.models.builtin.models import BuiltinModels
from tertulia.models.calls import Provider
from tertulia.models.catalogue import Catalogue, ModelListing, ResolvedModel
from tertulia.models.connection_registry import ConnectionRegistry
from tertulia.models.connection_service import (
    ConnectionChange,
    ConnectionService,
    ConnectionSummary,
    NewConnection,
)
from tertulia.models.connections import Connection, Source, effective_connections
from tertulia.models.domain import Model, Tier
from tertulia.models.errors import ModelUnknown, ProviderError
from tertulia.models.offered_models import OfferedModels
from tertulia.models.presets import Presets
from tertulia.models.tokens import load_vocabulary
from tertulia.settings import Settings


@dataclass(frozen=True, slots=True)
class ConnectionTest:
    """How trying a connection went: the names it lists, or what is wrong."""

    ok: bool
    models: tuple[str, ...] = ()
    code: str = ""
    message: str = ""


class Models:
    """The catalogue, the connections behind it, and the presets made of it."""

    def __init__(
        self, settings: Settings, db: Database, client: httpx2.AsyncClient, *, librarian: Provider
    ) -> None:
        vault = SecretVault(settings)
        self._settings = settings
        self._offered_models = OfferedModels(db, client=client, silence_seconds=settings.silence_seconds)
        self._builtins = BuiltinModels(settings, librarian=librarian)
        self._registry = ConnectionRegistry(settings, db, vault=vault, client=client)
        self._catalogue = Catalogue(self._registry, self._offered_models, self._builtins)
        self._connections = ConnectionService(db, vault=vault, private_hosts=settings.private_hosts)
        self.presets = Presets(db)

    async def catalogue(self, by: Principal) -> ModelListing:
        """Return the models there are for a person, and which connections have problems."""
        return await self._catalogue.listing(by)

    async def refresh(self, by: Principal) -> ModelListing:
        """Ask every server for its models now."""
        by.require(Role.MEMBER)
        return await self._catalogue.refresh(by)

    async def resolve(self, reference: str, by: Principal) -> ResolvedModel:
        """Return the model that a name means and who answers for it, or raise `ModelUnknown`.

        From then on its tokens are counted without loading anything.
        """
        resolved = await self._catalogue.resolve(reference, by)
        await load_vocabulary(resolved.model.name)
        return resolved

    async def utility_model(self, by: Principal, preferred: str = "") -> ResolvedModel | None:
        """Return the model for titles and the like: the configured one, else the cheapest, else None."""
        for reference in filter(None, (preferred, self._settings.utility_model)):
            try:
                return await self.resolve(reference, by)
            except ModelUnknown:
                continue
        listing = await self._catalogue.cached_listing(by)
        candidates = [model for model in listing.models if suits_utility(model)]
        if not candidates:
            return None
        cheapest = min(
            candidates, key=lambda model: (model.connection in listing.stale_connections, price_rank(model))
        )
        return await self.resolve(f"{cheapest.connection}/{cheapest.name}", by)

    async def connections(self, by: Principal) -> list[ConnectionSummary]:
        """Return all connections a person sees, those from the environment and found here too."""
        entered = await self._connections.list_entered(by)
        effective = await self._registry.effective_for(by)
        others = (
            connection for connection in effective if connection.source in (Source.ENVIRONMENT, Source.FOUND)
        )
        return [*entered, *map(ConnectionSummary.of, others)]

    async def server_connection(self, slug: str) -> Connection | None:
        """Return the server's own connection of that name, which what nobody asked for by hand may use."""
        return next(
            (
                effective_connection
                for effective_connection in effective_connections(await self._registry.server_connections())
                if effective_connection.slug == slug
            ),
            None,
        )

    async def add_connection(self, new: NewConnection, by: Principal) -> ConnectionSummary:
        """Store a new connection."""
        added = await self._connections.add(new, by)
        self._catalogue.invalidate(by.workspace_id)
        return added

    async def change_connection(
        self, connection_id: str, change: ConnectionChange, by: Principal
    ) -> ConnectionSummary:
        """Change a connection's address or key."""
        changed = await self._connections.change(connection_id, change, by)
        self._catalogue.invalidate(by.workspace_id)
        return changed

    async def remove_connection(self, connection_id: str, by: Principal) -> None:
        """Delete a connection with its key."""
        await self._connections.remove(connection_id, by)
        self._catalogue.invalidate(by.workspace_id)

    async def test_connection(self, connection_id: str, by: Principal) -> ConnectionTest:
        """Ask a connection for its models and say what is wrong if it cannot."""
        by.require(Role.MEMBER)
        connection = next(
            (
                connection
                for connection in await self._registry.visible_to(by)
                if connection.id == connection_id
            ),
            None,
        )
        if connection is None:
            raise NotFound("connection")
        try:
            offered = await self._offered_models.fetch(connection)
        except ProviderError as error:
            return ConnectionTest(ok=False, code=error.code, message=error.message)
        return ConnectionTest(ok=True, models=tuple(offered_model.name for offered_model in offered))

    async def close(self) -> None:
        """Stop the built-in model and what is under way."""
        await self._catalogue.close()
        await self._offered_models.close()
        await self._builtins.close()


def suits_utility(model: Model) -> bool:
    """Tell whether a model suits small chores: quick and cheap, and not one of the built-in ones."""
    return model.tier in (Tier.CHEAP, Tier.FAST) and model.connection != BUILTIN


def price_rank(model: Model) -> tuple[float, str]:
    """Return what models are compared by: the price of a typical chore; an unknown price comes last."""
    prices = model.prices
    return (float("inf") if prices is None else 3 * prices.input + prices.output, model.id)
