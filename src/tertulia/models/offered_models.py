"""The list of models that each connection gives: asked for rarely, kept in memory and in the database."""

import asyncio
import logging
import time
from dataclasses import dataclass
from datetime import datetime

import httpx2

from tertulia.core.clock import now
from tertulia.core.principal import Principal
from tertulia.core.tasks import cancel_tasks
from tertulia.infra.db import Database, Tx
from tertulia.infra.secrets import redact
from tertulia.models.calls import OfferedModel, Provider
from tertulia.models.connections import Connection
from tertulia.models.domain import Model
from tertulia.models.errors import ProviderError, ProviderSilent
from tertulia.models.model_families import is_chat_model
from tertulia.models.model_metadata import describe_model
from tertulia.models.providers import provider_for

MODEL_LIST_MAX_SECONDS = 5
MODEL_LIST_TTL_SECONDS = 600
#: A server that failed is asked again sooner.
FAILED_MODEL_LIST_TTL_SECONDS = 60
LISTED_MODELS_MAX = 5000

log = logging.getLogger("tertulia.models")


@dataclass(frozen=True, slots=True)
class OfferedModelList:
    """What one connection offers; `is_stale` when the server could not be asked just now."""

    connection: Connection
    models: tuple[Model, ...]
    asked_at: float
    is_stale: bool = False
    problem: str = ""

    def is_fresh(self) -> bool:
        """Tell whether the server need not be asked again yet."""
        lasts = FAILED_MODEL_LIST_TTL_SECONDS if self.problem else MODEL_LIST_TTL_SECONDS
        return time.monotonic() - self.asked_at < lasts


@dataclass(frozen=True, slots=True)
class StoredModelList:
    """A list as the database keeps it."""

    models: tuple[OfferedModel, ...]
    fetched_at: datetime


class OfferedModels:
    """Asks connections for their models: each at most once at a time, and seldom."""

    def __init__(self, db: Database, *, client: httpx2.AsyncClient, silence_seconds: float) -> None:
        self._db = db
        self._client = client
        self._silence = silence_seconds
        self._lists: dict[str, OfferedModelList] = {}
        self._fetching: dict[Connection, asyncio.Task[OfferedModelList]] = {}

    def provider(self, connection: Connection) -> Provider:
        """Return the adapter that speaks to a connection."""
        return provider_for(connection.endpoint, client=self._client, silence_seconds=self._silence)

    async def list_for(self, connection: Connection, *, by: Principal, wait: bool = True) -> OfferedModelList:
        """Return a connection's models; without `wait` an outdated list is returned and renewed behind it."""
        known = self._lists.get(connection.id)
        if known is None or known.connection != connection:
            known = None if wait else await self._load_stored(connection, by)
        if known is not None and known.is_fresh():
            return known
        asking = self._start_fetch(connection, by)
        return await asyncio.shield(asking) if wait or known is None else known

    async def refresh(self, connection: Connection, *, by: Principal) -> OfferedModelList:
        """Ask the server now, however fresh the list is."""
        return await asyncio.shield(self._start_fetch(connection, by))

    async def close(self) -> None:
        """Give up the questions under way."""
        await cancel_tasks(self._fetching.values())

    def _start_fetch(self, connection: Connection, by: Principal) -> asyncio.Task[OfferedModelList]:
        task = self._fetching.get(connection)
        if task is None:
            task = asyncio.create_task(self._fetch_and_store(connection, by))
            self._fetching[connection] = task
            task.add_done_callback(lambda done: self._finish_fetch(connection, done))
        return task

    def _finish_fetch(self, connection: Connection, done: asyncio.Task[OfferedModelList]) -> None:
        self._fetching.pop(connection, None)
        # Nobody may be waiting for a list that is renewed behind an outdated one.
        if not done.cancelled() and (error := done.exception()) is not None:
            log.warning("The models of %s could not be listed.", connection.slug, exc_info=error)

    async def _fetch_and_store(self, connection: Connection, by: Principal) -> OfferedModelList:
        try:
            offered = await self.fetch(connection)
        except ProviderError as error:
            answer = await self._fall_back(connection, error.message, by)
        else:
            models = await asyncio.to_thread(describe_models, offered, connection)
            answer = OfferedModelList(connection, models, time.monotonic())
            await self._store(connection, offered, by)
        self._lists[connection.id] = answer
        return answer

    async def fetch(self, connection: Connection) -> tuple[OfferedModel, ...]:
        """Return what the server lists, or raise why not within a few seconds."""
        if connection.unusable_reason:
            raise ProviderError(connection.slug, connection.unusable_reason)
        try:
            async with asyncio.timeout(MODEL_LIST_MAX_SECONDS):
                return tuple((await self.provider(connection).offered())[:LISTED_MODELS_MAX])
        except TimeoutError:
            message = f"{connection.slug} did not list its models within {MODEL_LIST_MAX_SECONDS} seconds."
            raise ProviderSilent(connection.slug, message) from None
        except ProviderError as error:
            error.message = redact(error.message, [connection.key])
            raise

    async def _fall_back(self, connection: Connection, problem: str, by: Principal) -> OfferedModelList:
        known = self._lists.get(connection.id)
        if known is None or known.connection.base_url != connection.base_url:
            known = await self._load_stored(connection, by)
        models = known.models if known else ()
        return OfferedModelList(connection, models, time.monotonic(), is_stale=True, problem=problem)

    async def _load_stored(self, connection: Connection, by: Principal) -> OfferedModelList | None:
        """Return the list of an earlier time, outdated so that the server is asked again."""
        whose = by if connection.workspace_id else None
        stored = await self._db.read(lambda tx: load_list(tx, connection), by=whose)
        if stored is None:
            return None
        models = await asyncio.to_thread(describe_models, stored.models, connection)
        return OfferedModelList(connection, models, asked_at=float("-inf"), is_stale=True)

    async def _store(self, connection: Connection, offered: tuple[OfferedModel, ...], by: Principal) -> None:
        whose = by if connection.workspace_id else None
        await self._db.write(lambda tx: save_list(tx, connection, offered), by=whose)


def describe_models(offered: tuple[OfferedModel, ...], connection: Connection) -> tuple[Model, ...]:
    """Return listed models with all that is known of them; those that do not chat are left out."""
    return tuple(
        describe_model(offered_model, connection)
        for offered_model in offered
        if is_chat_model(offered_model.name)
    )


def load_list(tx: Tx, connection: Connection) -> StoredModelList | None:
    """Return the list that a connection gave last, at this address."""
    sql = """
        SELECT models, fetched_at FROM offered_models
        WHERE workspace_id = :workspace AND connection_id = :connection AND origin = :origin"""
    return tx.one(StoredModelList, sql, **list_key(connection))


def save_list(tx: Tx, connection: Connection, offered: tuple[OfferedModel, ...]) -> None:
    """Keep the list that a connection gave."""
    sql = """
        INSERT INTO offered_models (connection_id, workspace_id, origin, models, fetched_at)
        VALUES (:connection, :workspace, :origin, :models, :fetched_at)
        ON CONFLICT (workspace_id, connection_id) DO UPDATE
        SET origin = excluded.origin, models = excluded.models, fetched_at = excluded.fetched_at"""
    tx.run(sql, **list_key(connection), models=offered, fetched_at=now())


def list_key(connection: Connection) -> dict[str, str]:
    """Return what tells one list from another; a principal's own workspace is bound over the one here."""
    return {
        "workspace": connection.workspace_id,
        "connection": connection.id,
        "origin": connection.base_url,
    }
