"""Secrets that were planted everywhere, looked for everywhere they must not turn up."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.accounts_door import quick_hashes
from tests.faults.truth import tables_with
from tests.listening import listening
from tests.scripted_provider import Fault, Script, ScriptedProvider
from tests.world import World

from tertulia.accounts import setup
from tertulia.accounts.link_acceptance import LinkAcceptance
from tertulia.models.connection_service import NewConnection
from tertulia.models.connections import Connection, ConnectionKind, Source
from tertulia.settings import Settings

#: Some look like a provider's keys, some like nothing: they are known by what they are, not by their form.
ENV_KEY = "sk-proj-canaryAAAAenvironmentAAAA1"
PLAIN_ENV_KEY = "Zq9canaryBBBBgeminiBBBB2"
STORED_KEY = "hunter-canaryCCCCstoredCCCC3"
CHANGED_KEY = "hunter-canaryDDDDchangedDDDD4"
PASSWORD = "canary EEEE password EEEE 5"
WRONG_PASSWORD = "canary FFFF mistyped FFFF 6"
SECRET_KEY = "canaryGGGGsecretkeyGGGG7-of-the-server"
PLANTED = [ENV_KEY, PLAIN_ENV_KEY, STORED_KEY, CHANGED_KEY, PASSWORD, WRONG_PASSWORD, SECRET_KEY]


@asynccontextmanager
async def parrot() -> AsyncGenerator[str]:
    """Serve something that answers every request with an error that quotes all it was sent."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        status = "401 Unauthorized" if head.startswith("GET") else "400 Bad Request"
        body = json.dumps({"error": {"message": f"I do not like {head}", "type": "invalid"}}).encode()
        writer.write(f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n".encode())
        writer.write(f"content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()

    async with listening(serve) as port:
        yield f"http://127.0.0.1:{port}/v1"


@dataclass
class Notebook:
    """A browser that writes down everything it is told."""

    client: httpx2.AsyncClient
    heard: list[str] = field(default_factory=list)

    async def send(self, method: str, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        answer = await self.client.request(method, path, json=body, **options)
        self.heard.append(f"{method} {path}: {answer.headers} {answer.text}")
        return answer

    async def failed_turn(self, model: str, message: str = "Hello") -> None:
        """Ask a model that fails, and follow the conversation until it has."""
        turn = (await self.send("POST", "/api/turn", {"message": message, "models": [model]})).json()
        path = f"/api/conversations/{turn['conversation']['id']}"
        async with self.client.stream("GET", f"{path}/events?after=0") as stream:
            async for line in stream.aiter_lines():
                self.heard.append(line)
                if "round.closed" in line:
                    break
        for form in ("json", "markdown"):
            await self.send("POST", f"{path}/export", {"format": form})
        await self.send("GET", path)

    async def look_around(self) -> None:
        """Read every list there is, and every list again once models were asked for anew."""
        for path in ("me", "sessions", "tokens", "workspace", "members", "audit", "connections", "models"):
            await self.send("GET", f"/api/{path}")
        await self.send("POST", "/api/models/metadata/refresh")
        await self.send("GET", "/openapi.json")
        await self.send("GET", "/ready")


def told_of(secret: str, places: list[str]) -> list[str]:
    """Return where a secret turned up."""
    return [place[:300] for place in places if secret in place]


async def moved_in(world: World) -> tuple[Notebook, list[str]]:
    """Set the server up, sign in and make a token; return the browser and the secrets it was given."""
    notebook = Notebook(world.client())
    link = await setup.ensure_setup_link(world.db)
    owner = {"token": link, "email": "ana@example.org", "name": "Ana", "password": PASSWORD}
    made = await notebook.client.post("/api/setup", json=owner)
    assert made.status_code == 200, made.text
    token = (await notebook.client.post("/api/tokens", json={"name": "script"})).json()["token"]
    return notebook, [token, notebook.client.cookies["tertulia_session"], str(link)]


async def misspeak(notebook: Notebook) -> None:
    """Send secrets in requests that are refused: a refusal must not repeat them."""
    sign_in = {"email": "ana@example.org", "password": PASSWORD}
    await notebook.send("POST", "/api/session", sign_in | {"password": WRONG_PASSWORD})
    await notebook.send("POST", "/api/session", sign_in | {"typo": PASSWORD})
    await notebook.send("POST", "/api/session", {"email": [PASSWORD], "password": [PASSWORD]})
    await notebook.send("PATCH", "/api/me", {"password": PASSWORD, "current_password": WRONG_PASSWORD})
    await notebook.send("PATCH", "/api/me", {"password": {"new": PASSWORD}})
    server = {"kind": "openai-compatible", "slug": "other"}
    address = f"https://ana:{STORED_KEY}@example.org/v1"
    await notebook.send("POST", "/api/connections", server | {"base_url": address})
    await notebook.send("POST", "/api/connections", server | {"base_url": f"http://x/?key={STORED_KEY}"})
    await notebook.send("POST", "/api/connections", server | {"key": f"{STORED_KEY} with spaces"})
    await notebook.send("POST", "/api/connections", server | {"slug": STORED_KEY.upper(), "key": STORED_KEY})
    await notebook.send("POST", "/api/connections", {"kind": STORED_KEY, "key": [STORED_KEY]})


async def test_planted_secrets_turn_up_nowhere(
    tmp_path: Path,
    provider: ScriptedProvider,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quick_hashes(monkeypatch)
    caplog.set_level(logging.DEBUG)
    env = {
        "OPENAI_API_KEY": ENV_KEY,
        "GEMINI_API_KEY": PLAIN_ENV_KEY,
        "TERTULIA_SECRET_KEY": SECRET_KEY,
        "TERTULIA_PROVIDER_RETRIES": "1",
    }
    async with parrot() as url, World.open(tmp_path / "data", provider=provider, **env) as world:
        notebook, given = await moved_in(world)
        server = {"kind": "openai-compatible", "slug": "parrot", "base_url": url, "key": STORED_KEY}
        connection = (await notebook.send("POST", "/api/connections", server)).json()
        await notebook.send("POST", f"/api/connections/{connection['id']}/test")
        await notebook.failed_turn("parrot/any")
        await notebook.send("PUT", f"/api/connections/{connection['id']}", {"key": CHANGED_KEY})
        await notebook.send("POST", f"/api/connections/{connection['id']}/test")
        await notebook.failed_turn("parrot/any")

        for model, key in (("scripted-fast", ENV_KEY), ("google/scripted-fast", PLAIN_ENV_KEY)):
            for fault in (
                Fault(kind="status", status=401, message=f"Incorrect API key provided: {key}."),
                Fault(kind="status", status=503, message=f"Busy, {key}, ask again", retry_after="0"),
                Fault(kind="error_event", after=1, message=f"Your key {key} ran out of luck"),
            ):
                provider.script("scripted-fast", Script(reply="one two three", fault=fault))
                await notebook.failed_turn(model)
        await misspeak(notebook)
        await notebook.look_around()
        await notebook.client.aclose()

    # The test's own client writes down what it sends and gets, at its lowest level.
    ours = [record for record in caplog.records if not record.name.startswith("httpcore")]
    logged = [record.getMessage() + str(record.exc_info or "") + str(record.args) for record in ours]
    assert len(notebook.heard) > 50
    assert any("[key]" in line or "••••" in line for line in notebook.heard), "no error quoted a provider"
    for secret in [*PLANTED, *given[:2]]:
        assert told_of(secret, notebook.heard) == []
        assert told_of(secret, logged) == []
    files = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    rows = [row for rows in tables_with(tmp_path / "data" / "tertulia.db", "").values() for row in rows]
    assert files
    assert rows
    for secret in [*PLANTED, *given]:
        assert [path.name for path in files if secret.encode() in path.read_bytes()] == []
        assert told_of(secret, rows) == []


@pytest.mark.sqlite  # with a database elsewhere there is no such file: the key is the operator's to keep
async def test_the_servers_own_key_is_in_one_private_file_alone(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    async with World.open(tmp_path / "data", provider=provider) as world:
        ada = await world.person(role="owner")
        server = {"kind": "openai-compatible", "base_url": provider.openai_url, "key": STORED_KEY}
        assert (await ada.post("/api/connections", server)).status_code == 201

    kept = tmp_path / "data" / "secret.key"
    others = [path for path in (tmp_path / "data").rglob("*") if path.is_file() and path != kept]
    assert kept.stat().st_mode & 0o077 == 0
    assert [path.name for path in others if kept.read_bytes().strip() in path.read_bytes()] == []
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0


def test_a_secret_shows_in_no_text_of_the_values_that_hold_it() -> None:
    # A value that is printed by mistake, in a log or a traceback, must not print its secret.
    kind = ConnectionKind.OPENAI
    connection = Connection("con_1", Source.WORKSPACE, kind, "openai", "https://x/v1", STORED_KEY)
    holders: list[object] = [
        connection,
        connection.endpoint,
        NewConnection(kind, key=STORED_KEY),
        setup.SetupRequest(token=STORED_KEY, email="", name="", password=STORED_KEY),
        LinkAcceptance(token=STORED_KEY, password=STORED_KEY),
        Settings(data_dir=Path("x"), provider_env={"OPENAI_API_KEY": STORED_KEY}),
    ]
    assert [holder for holder in map(repr, holders) if STORED_KEY in holder] == []
