"""Which models there are for a person, and who answers under each name.

A model is called by its bare name. When several connections offer the same
name it belongs to the first in order; the others' is written `slug/name`,
which is always understood.
"""

import asyncio
import logging
import time
from dataclasses import dataclass, field, replace

from tertulia.core.principal import Principal
from tertulia.core.tasks import cancel_tasks
from tertulia.infra.db.statements import Row
from tertulia.models.builtin.child import BUILTIN_SLUG as BUILTIN
from tertulia.models.builtin.models import BuiltinModels
from tertulia.models.calls import OfferedModel, Provider
from tertulia.models.connection_registry import CONNECTIONS_TTL_SECONDS, ConnectionRegistry
from tertulia.models.connections import Connection, Source
from tertulia.models.domain import Model
from tertulia.models.errors import KeyRejected, ModelUnknown
from tertulia.models.model_metadata import describe_model
from tertulia.models.offered_models import OfferedModelList, OfferedModels

#: A name nobody knows makes us look again, but not more often than this.
UNKNOWN_MODEL_REFRESH_SECONDS = 10
#: For so long at most a key goes on being used that another process has removed.
CONNECTIONS_CHECK_SECONDS = 0.5

log = logging.getLogger("tertulia.models")


@dataclass(frozen=True, slots=True)
class ConnectionProblem:
    """Why a connection's models are missing or may be outdated."""

    connection: str
    message: str


@dataclass(frozen=True, slots=True)
class ModelListing:
    """The models there are; those of the `stale_connections` are from an earlier time."""

    models: tuple[Model, ...]
    problems: tuple[ConnectionProblem, ...] = ()
    stale_connections: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A model, and who answers for it; `is_personal` where the caller's own connection does, and they pay."""

    model: Model
    provider: Provider
    is_personal: bool = False

    def payer(self, by: Principal) -> str:
        """Return who pays: the caller where their own connection answers, nobody where the workspace does."""
        return by.user_id if self.is_personal else ""


@dataclass(slots=True)
class ModelIndex:
    """One person's names, ready to be looked up without waiting."""

    listing: ModelListing
    names: dict[str, Model]
    connections: dict[str, Connection]
    #: What the connections were made of when they were last looked at, and when that was.
    fingerprint: list[Row] = field(default_factory=list[Row])
    checked_at: float = field(default_factory=time.monotonic)
    made_at: float = field(default_factory=time.monotonic)
    resolved: dict[str, ResolvedModel] = field(default_factory=dict[str, ResolvedModel])

    @property
    def age(self) -> float:
        """Return how many seconds ago it was made."""
        return time.monotonic() - self.made_at


class Catalogue:
    """Lists and finds models."""

    def __init__(self, book: ConnectionRegistry, offers: OfferedModels, builtins: BuiltinModels) -> None:
        self._registry = book
        self._offers = offers
        self._builtins = builtins
        self._indexes: dict[tuple[str, str], ModelIndex] = {}
        self._changes: dict[str, int] = {}
        self._refreshing: dict[tuple[str, str], asyncio.Task[ModelIndex]] = {}

    async def listing(self, by: Principal) -> ModelListing:
        """Return the models there are for a person; servers with outdated lists are asked, all at once."""
        return (await self._build_index(by)).listing

    async def refresh(self, by: Principal) -> ModelListing:
        """Return the models there are, asking every server now."""
        connections = await self._registry.effective_for(by)
        await asyncio.gather(*(self._offers.refresh(connection, by=by) for connection in connections))
        return await self.listing(by)

    async def cached_listing(self, by: Principal) -> ModelListing:
        """Return the models there are as far as is known, without waiting where that can be."""
        return (await self._cached_index(by)).listing

    async def resolve(self, reference: str, by: Principal) -> ResolvedModel:
        """Return the model that a name means and who answers for it, or raise `ModelUnknown`."""
        table = await self._cached_index(by)
        if found := table.resolved.get(reference):
            return found
        found = await self._resolve_in(reference, table)
        if found is None and table.age > UNKNOWN_MODEL_REFRESH_SECONDS:
            await self.refresh(by)
            table = await self._cached_index(by)
            found = await self._resolve_in(reference, table)
        if found is None:
            raise ModelUnknown(reference)
        table.resolved[reference] = found
        return found

    def invalidate(self, workspace_id: str) -> None:
        """Make everyone's names in a workspace anew: its connections changed."""
        self._changes[workspace_id] = self._changes.get(workspace_id, 0) + 1
        for key in [key for key in self._indexes if key[0] == workspace_id]:
            del self._indexes[key]

    async def close(self) -> None:
        """Give up what is being made."""
        await cancel_tasks(self._refreshing.values())

    async def _cached_index(self, by: Principal) -> ModelIndex:
        key = (by.workspace_id, by.user_id)
        table = self._indexes.get(key)
        if table is None or await self._is_outdated(table, by):
            return await self._build_index(by, wait=False)
        if table.age > CONNECTIONS_TTL_SECONDS and key not in self._refreshing:
            task = asyncio.create_task(self._build_index(by))
            self._refreshing[key] = task
            task.add_done_callback(lambda done: self._finish_refresh(key, done))
        return table

    async def _is_outdated(self, table: ModelIndex, by: Principal) -> bool:
        """Tell whether a person's connections were changed since, by this process or another."""
        if time.monotonic() - table.checked_at < CONNECTIONS_CHECK_SECONDS:
            return False
        table.checked_at = time.monotonic()
        return await self._registry.fingerprint(by) != table.fingerprint

    def _finish_refresh(self, key: tuple[str, str], done: asyncio.Task[ModelIndex]) -> None:
        self._refreshing.pop(key, None)
        if not done.cancelled() and (error := done.exception()) is not None:
            log.warning("The catalogue could not be renewed; the one before stays.", exc_info=error)

    async def _build_index(self, by: Principal, *, wait: bool = True) -> ModelIndex:
        changes = self._changes.get(by.workspace_id)
        checked_at, fingerprint = time.monotonic(), await self._registry.fingerprint(by)
        connections = await self._registry.effective_for(by)
        asked = (self._offers.list_for(connection, by=by, wait=wait) for connection in connections)
        table = index_models(await asyncio.gather(*asked), self._builtins)
        table.fingerprint, table.checked_at = fingerprint, checked_at
        # What was read before a change is not kept: a removed key must not come back.
        if changes == self._changes.get(by.workspace_id):
            self._indexes[by.workspace_id, by.user_id] = table
        return table

    async def _resolve_in(self, reference: str, table: ModelIndex) -> ResolvedModel | None:
        model = table.names.get(reference)
        slug, _, name = reference.partition("/")
        if model is None and name and slug in table.connections:
            # People hear of a new model before its server lists it: let the server decide.
            unlisted = await asyncio.to_thread(describe_model, OfferedModel(name), table.connections[slug])
            model = replace(unlisted, id=reference)
        if model is None:
            return None
        if model.connection == BUILTIN:
            return ResolvedModel(model, self._builtins.provider(model.name))
        connection = table.connections[model.connection]
        if connection.unusable_reason:
            raise KeyRejected(connection.slug, connection.unusable_reason)
        is_personal = connection.source is Source.PERSON
        return ResolvedModel(model, self._offers.provider(connection), is_personal)


def index_models(lists: list[OfferedModelList], builtins: BuiltinModels) -> ModelIndex:
    """Give every model its name, and note what is wrong."""
    models = assign_ids([*(offers.models for offers in lists), builtins.models()])
    listing = ModelListing(models, connection_problems(lists, builtins), frozenset(stale_slugs(lists)))
    names = {model.id: model for model in models} | {full_name(model): model for model in models}
    return ModelIndex(listing, names, {offers.connection.slug: offers.connection for offers in lists})


def assign_ids(groups: list[tuple[Model, ...]]) -> tuple[Model, ...]:
    """Return all models, each under the name that people use, in the order of their connections."""
    # `openai/gpt-5` means OpenAI's own where that is offered, and not a router's model of that name.
    taken = {full_name(model) for group in groups for model in group}
    listed: dict[str, Model] = {}
    for model in (model for group in groups for model in group):
        if full_name(model) not in listed:
            public = full_name(model) if model.name in taken else model.name
            taken.add(public)
            listed[full_name(model)] = replace(model, id=public)
    return tuple(listed.values())


def full_name(model: Model) -> str:
    """Return the name that is never in doubt."""
    return f"{model.connection}/{model.name}"


def connection_problems(
    lists: list[OfferedModelList], builtins: BuiltinModels
) -> tuple[ConnectionProblem, ...]:
    """Return what is wrong, connection by connection."""
    problems = [
        ConnectionProblem(offers.connection.slug, offers.problem) for offers in lists if offers.problem
    ]
    missing = builtins.problem()
    return (*problems, ConnectionProblem(BUILTIN, missing)) if missing else tuple(problems)


def stale_slugs(lists: list[OfferedModelList]) -> list[str]:
    """Return the connections whose models are from an earlier time."""
    return [offers.connection.slug for offers in lists if offers.is_stale]
