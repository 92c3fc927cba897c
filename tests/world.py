"""The world that tests live in: a real server on loopback, people in it, and a scripted provider.

async with World.open(tmp_path, provider=provider) as world:
    ada = await world.person()
    round_ = await ada.ask("Hello", models=["scripted-fast"])
"""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from tertulia.accounts import api_tokens, members, users, workspaces
from tertulia.core.principal import Principal, Role
from tertulia.core.tasks import cancel_tasks, finish_tasks
from tertulia.infra.db import Database, Tx
from tertulia.server import Server, make_server
from tertulia.settings import Settings
from tests.databases import TEST_CONNECTIONS, databases, prepare_database
from tests.scripted_provider import ScriptedProvider

Json = dict[str, Any]
#: A password hash that fits no password: people in tests use tokens.
NO_PASSWORD = "!"
#: Servers under test speak plain HTTP, and loading the machine's certificates takes 40 ms.
NO_TLS = False


def free_port() -> int:
    """Return a port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def stop_serving(server: Server, sockets: list[socket.socket] | None = None) -> None:
    """End a server as uvicorn does, without its pause of a tenth of a second."""
    await server.parts.runner.drain()
    server.parts.events.close()
    for listener in server.servers:
        listener.close()
    for connection in list(server.server_state.connections):
        connection.shutdown()
    if under_way := server.server_state.tasks:
        _, late = await asyncio.wait(under_way, timeout=server.config.timeout_graceful_shutdown)
        await cancel_tasks(late)
    await server.lifespan.shutdown()


def environment(data_dir: Path, provider: ScriptedProvider | None, **more: str) -> dict[str, str]:
    """Return the environment of a server under test: quick to give up, and closed to the outside."""
    env = {
        "TERTULIA_DATA_DIR": str(data_dir),
        "TERTULIA_DISCOVER_LOCAL": "off",
        # Most tests need no meanings, and the embedder's process would cost each of them a second.
        "TERTULIA_EMBEDDER": "off",
        # The same holds for running code.
        "TERTULIA_SANDBOX": "off",
        # What a workspace's admins may add is tried in full.
        "TERTULIA_TOOL_PROGRAMS": "on",
        # A member may connect to the scripted provider too.
        "TERTULIA_PRIVATE_HOSTS": "127.0.0.1",
        "TERTULIA_SILENCE_SECONDS": "5",
        "TERTULIA_DRAIN_SECONDS": "1",
    }
    if url := databases.url(data_dir / "tertulia.db"):
        env |= {
            "DATABASE_URL": url,
            "TERTULIA_DATABASE_CONNECTIONS": str(TEST_CONNECTIONS),
            "TERTULIA_SECRET_KEY": "a secret key of tests",
        }
    if provider is not None:
        env |= {
            "OPENAI_API_KEY": "sk-test",
            "OPENAI_BASE_URL": provider.openai_url,
            "ANTHROPIC_API_KEY": "sk-ant-test",
            "ANTHROPIC_BASE_URL": provider.anthropic_url,
            "GEMINI_API_KEY": "gm-test",
            "GOOGLE_GEMINI_BASE_URL": provider.gemini_url,
        }
    return env | more


async def add_person(db: Database, *, role: Role, workspace: str | None, email: str) -> tuple[Principal, str]:
    """Add a person to a workspace, or to a new one, and return who they are and their token."""

    def write(tx: Tx) -> Principal:
        home = workspace or workspaces.add(tx, "Test").id
        user = users.add(tx, email=email, name=email.partition("@")[0], password_hash=NO_PASSWORD)
        members.add(tx, workspace_id=home, user_id=user.id, role=role)
        return Principal(user.id, home, role)

    principal = await db.write(write, by=None)
    made = await db.write(lambda tx: api_tokens.create_token(tx, "test"), by=principal)
    return principal, made.secret


@dataclass
class Person:
    """Someone with an API token and a client that sends it."""

    principal: Principal
    token: str
    client: httpx2.AsyncClient

    async def get(self, path: str, **options: Any) -> httpx2.Response:
        return await self.client.get(path, **options)

    async def post(self, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        return await self.client.post(path, json=body, **options)

    async def put(self, path: str, body: Any = None) -> httpx2.Response:
        return await self.client.put(path, json=body)

    async def delete(self, path: str) -> httpx2.Response:
        return await self.client.delete(path)

    async def start(self, message: str, **more: Any) -> Json:
        """Ask, and return the accepted turn."""
        answered = await self.post("/api/turn", {"message": message, "models": ["scripted-fast"]} | more)
        assert answered.status_code == 202, answered.text
        return answered.json()

    async def ask(self, message: str, **more: Any) -> Json:
        """Ask, wait for the round to close, and return it."""
        return await self.finished(await self.start(message, **more))

    async def finished(self, turn: Json) -> Json:
        """Wait until the round of a turn is closed, and return it."""
        async for event in self.events(turn["conversation"]["id"], after=turn["last_event_id"]):
            if event["type"] == "round.closed" and event["round_id"] == turn["round"]["id"]:
                break
        return await self.round(turn["conversation"]["id"], turn["round"]["id"])

    async def round(self, conversation_id: str, round_id: str) -> Json:
        page = (await self.get(f"/api/conversations/{conversation_id}?limit=200")).json()
        return next(one for one in page["rounds"] if one["id"] == round_id)

    async def events(self, conversation_id: str, *, after: int | None = None) -> AsyncGenerator[Json]:
        """Follow a conversation; each event has its number as `seq`."""
        headers = {} if after is None else {"Last-Event-ID": str(after)}
        path = f"/api/conversations/{conversation_id}/events"
        async with self.client.stream("GET", path, headers=headers) as stream:
            assert stream.status_code == 200, await stream.aread()
            async for event in read_events(stream):
                yield event

    async def wait_for(self, turn: Json, kind: str, **fields: Any) -> Json:
        """Return the first event of a kind with these fields that follows a turn."""
        async for event in self.events(turn["conversation"]["id"], after=turn["last_event_id"]):
            if event["type"] == kind and all(event.get(name) == value for name, value in fields.items()):
                return event
        raise AssertionError(f"no {kind} came")


async def read_events(stream: httpx2.Response) -> AsyncIterator[Json]:
    """Read server-sent events as JSON; one with a name is a ping, and only says where the stream is."""
    place, named = "0", False
    async for line in stream.aiter_lines():
        if line.startswith("id:"):
            place = line[3:].strip()
        elif line.startswith("event:") or not line:
            named = bool(line)
        elif line.startswith("data:") and not named:
            number = place.rpartition(".")[2].partition("-")[0]
            yield json.loads(line[5:]) | {"id": place, "seq": int(number)}


@dataclass
class World:
    """A running server in this process."""

    server: Server
    url: str
    people: list[Person] = field(default_factory=list)

    @classmethod
    @asynccontextmanager
    async def open(
        cls, data_dir: Path, *, provider: ScriptedProvider | None = None, **env: str
    ) -> AsyncGenerator["World"]:
        async with cls.open_at(free_port(), data_dir, provider, **env) as world:
            yield world

    @classmethod
    @asynccontextmanager
    async def open_at(
        cls, port: int, data_dir: Path, provider: ScriptedProvider | None, /, **env: str
    ) -> AsyncGenerator["World"]:
        prepare_database(data_dir / "tertulia.db")
        settings = Settings.from_env(environment(data_dir, provider, **env))
        server = make_server(settings, host="127.0.0.1", port=port)
        ended = asyncio.Event()

        async def wait_until_ended() -> None:
            await ended.wait()

        # Instead of a look every tenth of a second whether it should exit.
        server.main_loop = wait_until_ended
        server.shutdown = partial(stop_serving, server)
        serving = asyncio.create_task(server.serve())
        while not server.started:
            assert not serving.done(), serving.exception()
            await asyncio.sleep(0.005)
        world = cls(server, f"http://127.0.0.1:{port}")
        try:
            yield world
        finally:
            for person in world.people:
                await person.client.aclose()
            ended.set()
            await serving

    @property
    def db(self) -> Database:
        return self.server.parts.db

    @property
    def settings(self) -> Settings:
        return self.server._settings

    async def stop_replies(self) -> None:
        """Cut off the replies that are being written, and wait until they are closed."""
        runner = self.server.parts.runner
        runner.stop(list(runner._running))
        await finish_tasks(runner._tasks)

    async def person(self, *, role: str = "member", like: Person | None = None) -> Person:
        """Add a person to a workspace of their own, or to someone's."""
        email = f"p{len(self.people)}@example.org"
        workspace = like.principal.workspace_id if like else None
        principal, token = await add_person(self.db, role=Role(role), workspace=workspace, email=email)
        person = Person(principal, token, self.client(token))
        self.people.append(person)
        return person

    async def person_elsewhere(self, person: Person) -> Person:
        """Give a person a second workspace, and return them as they are there."""
        user_id = person.principal.user_id

        def write(tx: Tx) -> Principal:
            home = workspaces.add(tx, "Elsewhere").id
            members.add(tx, workspace_id=home, user_id=user_id, role=Role.OWNER)
            return Principal(user_id, home, Role.OWNER)

        principal = await self.db.write(write, by=None)
        token = (await self.db.write(lambda tx: api_tokens.create_token(tx, "test"), by=principal)).secret
        there = Person(principal, token, self.client(token))
        self.people.append(there)
        return there

    def client(self, token: str | None = None) -> httpx2.AsyncClient:
        """Return a client; without a token, of nobody."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.AsyncClient(
            base_url=self.url, headers=headers, timeout=30, trust_env=False, verify=NO_TLS
        )


class AbsentWorld:
    """A server in this process that goes away, and is back at the same address when it is told to."""

    def __init__(self, data_dir: Path, provider: ScriptedProvider, **env: str) -> None:
        self._open = partial(World.open_at, free_port(), data_dir, provider, **env)
        self._presence = AsyncExitStack()

    async def arrive(self) -> World:
        """Start the server; what it knew before is there."""
        return await self._presence.enter_async_context(self._open())

    async def leave(self) -> None:
        """Stop the server: nobody answers at its address."""
        await self._presence.aclose()
