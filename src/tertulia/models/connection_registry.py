"""Which connections count for a person: their own, the workspace's, the server's, and those found here."""

import asyncio
import time
from dataclasses import dataclass

import httpx2

from tertulia.core.principal import Principal
from tertulia.infra.db import Database
from tertulia.infra.db.statements import Row
from tertulia.infra.secrets import SecretUnreadable, SecretVault
from tertulia.models import connection_store as store
from tertulia.models.connection_store import ConnectionRow
from tertulia.models.connection_urls import may_reach_private_network, network_reach_of
from tertulia.models.connections import (
    Connection,
    Source,
    connections_from_environment,
    effective_connections,
)
from tertulia.models.local_discovery import discover_local_servers
from tertulia.settings import Settings

#: How long a server that was just started on this machine may go unnoticed.
CONNECTIONS_TTL_SECONDS = 60


@dataclass(frozen=True, slots=True)
class DiscoveredServers:
    """The servers found on this machine, and when."""

    connections: list[Connection]
    at: float


class ConnectionRegistry:
    """Reads connections and opens their keys."""

    def __init__(
        self, settings: Settings, db: Database, *, vault: SecretVault, client: httpx2.AsyncClient
    ) -> None:
        self._settings = settings
        self._db = db
        self._vault = vault
        self._client = client
        self._environment = connections_from_environment(settings.provider_env)
        self._discovered: DiscoveredServers | None = None
        self._discovery_lock = asyncio.Lock()

    async def effective_for(self, by: Principal) -> list[Connection]:
        """Return the connections that count for a person, in the order in which names are given out."""
        return effective_connections(await self.visible_to(by))

    async def visible_to(self, by: Principal) -> list[Connection]:
        """Return every connection a person sees, those too that another of the same slug wins over."""
        rows = await self._db.read(store.list_visible, by=by)
        entered = await asyncio.to_thread(self._decrypt_all, rows, by) if rows else []
        return [*entered, *await self.server_connections()]

    async def fingerprint(self, by: Principal) -> list[Row]:
        """Return what changes whenever somebody, in whichever process, changes what a person may use."""
        return await self._db.read_inline(store.read_fingerprint, by=by)

    async def server_connections(self) -> list[Connection]:
        """Return the server's own connections: from its environment, and found on its machine."""
        return [*self._environment, *await self._discover()]

    def _decrypt_all(self, rows: list[ConnectionRow], by: Principal) -> list[Connection]:
        return [self._decrypt(row, by) for row in rows]

    def _decrypt(self, row: ConnectionRow, by: Principal) -> Connection:
        key, broken = "", ""
        try:
            key = self._vault.open(row.sealed_key, context=row.id) if row.sealed_key else ""
        except SecretUnreadable as error:
            broken = error.message
        source = Source.PERSON if row.user_id else Source.WORKSPACE
        known = (row.id, source, row.kind, row.slug, row.base_url, key, by.workspace_id, broken)
        return Connection(
            *known,
            reach=network_reach_of(row.base_url, may_be_private=may_reach_private_network(row.user_id, by)),
        )

    async def _discover(self) -> list[Connection]:
        if not self._settings.discover_local:
            return []
        async with self._discovery_lock:
            if self._discovered is None or time.monotonic() - self._discovered.at > CONNECTIONS_TTL_SECONDS:
                self._discovered = DiscoveredServers(
                    await discover_local_servers(self._client), time.monotonic()
                )
            return self._discovered.connections
