"""Which connections count for a person: their own, the workspace's, the server's, and those found here."""

import asyncio
import time
from dataclasses import dataclass

import httpx2

from tertulia.core.principal import Principal
from tertulia.infra.db import Database
from tertulia.infra.secrets import SecretUnreadable, Vault
from tertulia.models import connection_store as store
from tertulia.models.addresses import may_be_private, reach_of
from tertulia.models.connection_store import ConnectionRow
from tertulia.models.connections import Connection, Source, effective, from_environment
from tertulia.models.discovery import find_local
from tertulia.settings import Settings

#: How long what another process changed, or a server that was just started, may go unnoticed.
FRESH_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Found:
    """The servers found on this machine, and when."""

    connections: list[Connection]
    at: float


class ConnectionBook:
    """Reads connections and opens their keys."""

    def __init__(self, settings: Settings, db: Database, *, vault: Vault, client: httpx2.AsyncClient) -> None:
        self._settings = settings
        self._db = db
        self._vault = vault
        self._client = client
        self._environment = from_environment(settings.provider_env)
        self._found: Found | None = None
        self._looking = asyncio.Lock()

    async def of(self, by: Principal) -> list[Connection]:
        """Return the connections that count for a person, in the order in which names are given out."""
        return effective(await self.all(by))

    async def all(self, by: Principal) -> list[Connection]:
        """Return every connection a person sees, those too that another of the same slug wins over."""
        rows = await self._db.read(store.all_of, by=by)
        entered = await asyncio.to_thread(self._open_all, rows, by) if rows else []
        return [*entered, *await self.own()]

    async def own(self) -> list[Connection]:
        """Return the server's own connections: from its environment, and found on its machine."""
        return [*self._environment, *await self._local()]

    def _open_all(self, rows: list[ConnectionRow], by: Principal) -> list[Connection]:
        return [self._open(row, by) for row in rows]

    def _open(self, row: ConnectionRow, by: Principal) -> Connection:
        key, broken = "", ""
        try:
            key = self._vault.open(row.sealed_key, context=row.id) if row.sealed_key else ""
        except SecretUnreadable as error:
            broken = error.message
        source = Source.PERSON if row.user_id else Source.WORKSPACE
        known = (row.id, source, row.kind, row.slug, row.base_url, key, by.workspace_id, broken)
        return Connection(
            *known, reach=reach_of(row.base_url, may_be_private=may_be_private(row.user_id, by))
        )

    async def _local(self) -> list[Connection]:
        if not self._settings.discover_local:
            return []
        async with self._looking:
            if self._found is None or time.monotonic() - self._found.at > FRESH_SECONDS:
                self._found = Found(await find_local(self._client), time.monotonic())
            return self._found.connections
