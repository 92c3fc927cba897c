"""Several processes of one server, on PostgreSQL and Valkey, behind a balancer: each request hops."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from tertulia.core.ids import new_id
from tertulia.core.principal import Role
from tertulia.infra.db.opening import open_database
from tertulia.settings import Settings
from tests.databases import migrated_postgres
from tests.engines import valkey
from tests.engines.postgres import create_database, drop_database
from tests.process import ServerProcess
from tests.round_robin import balancing
from tests.scripted_provider import ScriptedProvider
from tests.world import NO_TLS, Person, add_person, environment, free_port

SECRET_KEY = "a secret that all processes of the tests share"
#: No connection is used twice, so that each request reaches another process.
EACH_REQUEST_HOPS = httpx2.Limits(max_keepalive_connections=0)


@dataclass
class Cluster:
    """Processes that share a database and a courier."""

    servers: list[ServerProcess]
    settings: Settings
    url: str = ""
    people: list[Person] = field(default_factory=list[Person])

    @classmethod
    @asynccontextmanager
    async def running(
        cls,
        folder: Path,
        provider: ScriptedProvider,
        *,
        processes: int = 3,
        redis_url: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> AsyncGenerator["Cluster"]:
        """Start so many processes over a new database."""
        database_url = create_database(template=migrated_postgres())
        shared = environment(folder / "data", provider, **(env or {})) | {
            "DATABASE_URL": database_url,
            "REDIS_URL": valkey.server_url() if redis_url is None else redis_url,
            "TERTULIA_SECRET_KEY": SECRET_KEY,
        }
        ports = [free_port() for _ in range(processes)]
        servers = [ServerProcess(folder / str(port) / "data", provider, port, shared) for port in ports]
        cluster = cls(servers, Settings.from_env(shared))
        async with AsyncExitStack() as stack:
            stack.callback(drop_database, database_url)
            for server in servers:
                server.data_dir.mkdir(parents=True)
                stack.callback(server.kill)
            await asyncio.gather(*(server.start() for server in servers))
            port = await stack.enter_async_context(balancing(cluster.ports))
            cluster.url = f"http://127.0.0.1:{port}"
            yield cluster
            for person in cluster.people:
                await person.client.aclose()

    def ports(self) -> list[int]:
        """Return where its processes listen."""
        return [server.port for server in self.servers]

    async def person(self, *, role: Role = Role.OWNER, like: Person | None = None) -> Person:
        """Add a person, whose requests go to one process after the other."""
        db = open_database(self.settings)
        workspace = like.principal.workspace_id if like else None
        email = f"{new_id('usr').lower()}@example.org"
        try:
            principal, token = await add_person(db, role=role, workspace=workspace, email=email)
        finally:
            db.close()
        return self._person_at(self.url, Person(principal, token, httpx2.AsyncClient()))

    def at(self, server: ServerProcess, person: Person) -> Person:
        """Return a person whose requests all go to one process."""
        return self._person_at(server.url, person)

    def everywhere(self, person: Person) -> list[Person]:
        """Return a person once for each process."""
        return [self.at(server, person) for server in self.servers]

    def _person_at(self, url: str, person: Person) -> Person:
        client = httpx2.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {person.token}"},
            timeout=30,
            trust_env=False,
            verify=NO_TLS,
            limits=EACH_REQUEST_HOPS,
        )
        there = Person(person.principal, person.token, client)
        self.people.append(there)
        return there
