"""The list of models that each connection gives: asked for rarely, kept in memory and in the database."""

import asyncio
import logging
import time
from dataclasses import dataclass
from datetime import datetime

import httpx2

from tertulia.core.clock import now
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx
from tertulia.infra.secrets import redact
from tertulia.models.calls import Offered, Provider
from tertulia.models.connections import Connection
from tertulia.models.domain import Model
from tertulia.models.errors import ProviderError, ProviderSilent
from tertulia.models.facts import model_of
from tertulia.models.families import is_for_chat
from tertulia.models.providers import provider_for

LIST_SECONDS = 5
FRESH_SECONDS = 600
#: A server that failed is asked again sooner.
FAILED_FRESH_SECONDS = 60
MOST_MODELS = 5000

log = logging.getLogger("tertulia.models")


@dataclass(frozen=True, slots=True)
class OfferList:
    """What one connection offers; `stale` when the server could not be asked just now."""

    connection: Connection
    models: tuple[Model, ...]
    asked_at: float
    stale: bool = False
    problem: str = ""

    def is_fresh(self) -> bool:
        """Tell whether the server need not be asked again yet."""
        lasts = FAILED_FRESH_SECONDS if self.problem else FRESH_SECONDS
        return time.monotonic() - self.asked_at < lasts


@dataclass(frozen=True, slots=True)
class StoredList:
    """A list as the database keeps it."""

    models: tuple[Offered, ...]
    fetched_at: datetime


class Offers:
    """Asks connections for their models: each at most once at a time, and seldom."""

    def __init__(self, db: Database, *, client: httpx2.AsyncClient, silence_seconds: float) -> None:
        self._db = db
        self._client = client
        self._silence = silence_seconds
        self._lists: dict[str, OfferList] = {}
        self._asking: dict[Connection, asyncio.Task[OfferList]] = {}

    def provider(self, connection: Connection) -> Provider:
        """Return the adapter that speaks to a connection."""
        return provider_for(connection.endpoint, client=self._client, silence_seconds=self._silence)

    async def of(self, connection: Connection, *, by: Principal, wait: bool = True) -> OfferList:
        """Return a connection's models; without `wait` an outdated list is returned and renewed behind it."""
        known = self._lists.get(connection.id)
        if known is None or known.connection != connection:
            known = None if wait else await self._remembered(connection, by)
        if known is not None and known.is_fresh():
            return known
        asking = self._ask(connection, by)
        return await asyncio.shield(asking) if wait or known is None else known

    async def renew(self, connection: Connection, *, by: Principal) -> OfferList:
        """Ask the server now, however fresh the list is."""
        return await asyncio.shield(self._ask(connection, by))

    async def close(self) -> None:
        """Give up the questions under way."""
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    def _ask(self, connection: Connection, by: Principal) -> asyncio.Task[OfferList]:
        task = self._asking.get(connection)
        if task is None:
            task = asyncio.create_task(self._asked(connection, by))
            self._asking[connection] = task
            task.add_done_callback(lambda done: self._answered(connection, done))
        return task

    def _answered(self, connection: Connection, done: asyncio.Task[OfferList]) -> None:
        self._asking.pop(connection, None)
        # Nobody may be waiting for a list that is renewed behind an outdated one.
        if not done.cancelled() and (error := done.exception()) is not None:
            log.warning("The models of %s could not be listed.", connection.slug, exc_info=error)

    async def _asked(self, connection: Connection, by: Principal) -> OfferList:
        try:
            offered = await self.ask_once(connection)
        except ProviderError as error:
            answer = await self._fallen_back(connection, error.message, by)
        else:
            models = await asyncio.to_thread(described, offered, connection)
            answer = OfferList(connection, models, time.monotonic())
            await self._store(connection, offered, by)
        self._lists[connection.id] = answer
        return answer

    async def ask_once(self, connection: Connection) -> tuple[Offered, ...]:
        """Return what the server lists, or raise why not within a few seconds."""
        if connection.broken:
            raise ProviderError(connection.slug, connection.broken)
        try:
            async with asyncio.timeout(LIST_SECONDS):
                return tuple((await self.provider(connection).offered())[:MOST_MODELS])
        except TimeoutError:
            message = f"{connection.slug} did not list its models within {LIST_SECONDS} seconds."
            raise ProviderSilent(connection.slug, message) from None
        except ProviderError as error:
            error.message = redact(error.message, [connection.key])
            raise

    async def _fallen_back(self, connection: Connection, problem: str, by: Principal) -> OfferList:
        known = self._lists.get(connection.id)
        if known is None or known.connection.base_url != connection.base_url:
            known = await self._remembered(connection, by)
        models = known.models if known else ()
        return OfferList(connection, models, time.monotonic(), stale=True, problem=problem)

    async def _remembered(self, connection: Connection, by: Principal) -> OfferList | None:
        """Return the list of an earlier time, outdated so that the server is asked again."""
        whose = by if connection.workspace_id else None
        stored = await self._db.read(lambda tx: load(tx, connection), by=whose)
        if stored is None:
            return None
        models = await asyncio.to_thread(described, stored.models, connection)
        return OfferList(connection, models, asked_at=float("-inf"), stale=True)

    async def _store(self, connection: Connection, offered: tuple[Offered, ...], by: Principal) -> None:
        whose = by if connection.workspace_id else None
        await self._db.write(lambda tx: save(tx, connection, offered), by=whose)


def described(offered: tuple[Offered, ...], connection: Connection) -> tuple[Model, ...]:
    """Return listed models with all that is known of them; those that do not chat are left out."""
    return tuple(model_of(one, connection) for one in offered if is_for_chat(one.name))


def load(tx: Tx, connection: Connection) -> StoredList | None:
    """Return the list that a connection gave last, at this address."""
    sql = """
        SELECT models, fetched_at FROM offered_models
        WHERE workspace_id = :workspace AND connection_id = :connection AND origin = :origin"""
    return tx.one(StoredList, sql, **key_of(connection))


def save(tx: Tx, connection: Connection, offered: tuple[Offered, ...]) -> None:
    """Keep the list that a connection gave."""
    sql = """
        INSERT INTO offered_models (connection_id, workspace_id, origin, models, fetched_at)
        VALUES (:connection, :workspace, :origin, :models, :fetched_at)
        ON CONFLICT (workspace_id, connection_id) DO UPDATE
        SET origin = excluded.origin, models = excluded.models, fetched_at = excluded.fetched_at"""
    tx.run(sql, **key_of(connection), models=offered, fetched_at=now())


def key_of(connection: Connection) -> dict[str, str]:
    """Return what tells one list from another; a principal's own workspace is bound over the one here."""
    return {
        "workspace": connection.workspace_id,
        "connection": connection.id,
        "origin": connection.base_url,
    }
