"""Export and import through their doors."""

import asyncio
import tracemalloc
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from tests.export_world import ExportWorld, ask, collect, new_conversation, open_world, reply

from tertulia.conversations import export_routes, store
from tertulia.conversations.export import EXPORT_BATCH_MAX_BYTES, read_outline
from tertulia.conversations.export_documents import ExportFormat
from tertulia.conversations.export_routes import IMPORT_MAX_BYTES, ExportChoice
from tertulia.conversations.export_stream import stream_json, stream_markdown
from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal
from tertulia.files.service import Files
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.infra.http import errors
from tertulia.infra.http.identity import Authenticator
from tertulia.infra.http.routing import add_routes
from tertulia.settings import Settings

T = TypeVar("T")
#: Five are on their way at once; each of at most four threads that read may still hold the one it read.
PARTS_IN_MEMORY_MAX = 9.5


class Anyone:
    """Believes whoever knocks."""

    def __init__(self, world: ExportWorld) -> None:
        self.world = world

    async def identify(self, request: Request) -> Principal:
        return self.world.ben if request.headers.get("x-who") == "ben" else self.world.ana

    async def is_still_allowed(self, principal: Principal) -> bool:
        return bool(principal)


@pytest.fixture
def world(tmp_path: Path) -> ExportWorld:
    return open_world(tmp_path)


@pytest.fixture
async def client(world: ExportWorld, tmp_path: Path) -> AsyncGenerator[httpx2.AsyncClient]:
    app = FastAPI()
    app.state.parts = {
        Database: world.db,
        EventLog: world.log,
        Files: world.files,
        Authenticator: Anyone(world),
        Settings: Settings(tmp_path),
    }
    add_routes(app, export_routes.router)
    errors.install_error_handlers(app)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://here") as client:
        yield client
    world.db.close()


async def planted(world: ExportWorld) -> str:
    def write(tx: Tx) -> str:
        made = new_conversation(tx, world, title='Über "Gezeiten"\r\nX: y')
        reply(tx, ask(tx, made, "Why?"), "Because.")
        return made

    return await world.db.write(write, by=world.ana)


async def test_what_one_exports_another_imports(world: ExportWorld, client: httpx2.AsyncClient) -> None:
    path = f"/api/conversations/{await planted(world)}/export"
    exported = await client.post(path, json={"format": "json"})
    imported = await client.post(
        "/api/conversations/import", content=exported.content, headers={"x-who": "ben"}
    )
    assert imported.status_code == 201
    assert imported.json()["origin"] == "import"

    again = await client.post(f"/api/conversations/{imported.json()['id']}/export", headers={"x-who": "ben"})
    assert again.content == exported.content


async def test_a_file_is_named_for_every_browser(world: ExportWorld, client: httpx2.AsyncClient) -> None:
    path = f"/api/conversations/{await planted(world)}/export"
    answer = await client.post(path, json={"format": "markdown"})
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert answer.headers["content-disposition"] == (
        "attachment; filename=\"Uber Gezeiten X y.md\"; filename*=UTF-8''%C3%9Cber%20Gezeiten%20X%20y.md"
    )
    assert "Because." in answer.text


async def test_a_foreign_conversation_cannot_be_exported(
    world: ExportWorld, client: httpx2.AsyncClient
) -> None:
    path = f"/api/conversations/{await planted(world)}/export"
    assert (await client.post(path, headers={"x-who": "ben"})).status_code == 404


async def test_a_bad_file_is_refused_with_a_sentence(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/api/conversations/import", content=b'{"format": "tertulia.conversation"')
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "import_unreadable"


async def test_more_than_we_read_is_refused(client: httpx2.AsyncClient) -> None:
    headers = {"Content-Length": str(IMPORT_MAX_BYTES + 1)}
    answer = await client.post("/api/conversations/import", content=b"x", headers=headers)
    assert answer.json()["error"]["code"] == "import_too_large"


async def test_the_shape_is_in_the_api_description(client: httpx2.AsyncClient) -> None:
    api = (await client.get("/openapi.json")).json()
    asked = api["paths"]["/api/conversations/import"]["post"]["requestBody"]
    name = asked["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    assert "rounds" in api["components"]["schemas"][name]["properties"]


async def plant_long(world: ExportWorld, rounds: int) -> str:
    """Make a conversation of so many rounds with as much text each as is read at a time."""

    def write(tx: Tx) -> str:
        made = new_conversation(tx, world, title="Long")
        parent_id = None
        for number in range(rounds):
            asked = ask(tx, made, f"Question {number}", parent_id=parent_id)
            parent_id = reply(tx, asked, f"{number} " * (EXPORT_BATCH_MAX_BYTES // 3)).id
        return made

    return await world.db.write(write, by=world.ana)


@pytest.fixture
def one_thread(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Have a single thread do all that is put off the event loop.

    A thread may hold what it made for a moment after that was handed over, and of several each may. One
    alone lets go before it takes up the next.
    """
    with ThreadPoolExecutor(max_workers=1) as executor:

        async def run_there(call: Callable[[], T]) -> T:
            return await asyncio.get_running_loop().run_in_executor(executor, call)

        monkeypatch.setattr(asyncio, "to_thread", run_there)
        yield


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("form", ["json", "markdown"])
async def test_a_long_conversation_is_exported_without_being_in_memory(world: ExportWorld, form: str) -> None:
    made = await plant_long(world, rounds=30)
    outline = await world.db.read(lambda tx: read_outline(tx, made), by=world.ana)
    if form == "json":
        parts = stream_json(outline, db=world.db, files=world.files, by=world.ana)
    else:
        parts = stream_markdown(outline, db=world.db, by=world.ana)
    size = 0
    tracemalloc.start()
    try:
        async for part in parts:
            size += len(part)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    world.db.close()

    assert size > 25 * EXPORT_BATCH_MAX_BYTES
    assert peak < PARTS_IN_MEMORY_MAX * EXPORT_BATCH_MAX_BYTES


async def test_an_export_that_cannot_go_on_has_no_end(world: ExportWorld) -> None:
    made = await plant_long(world, rounds=3)
    outline = await world.db.read(lambda tx: read_outline(tx, made), by=world.ana)
    parts = stream_json(outline, db=world.db, files=world.files, by=world.ana)
    head, first = await anext(parts), await anext(parts)
    await world.db.write(lambda tx: store.delete(tx, made), by=world.ana)

    with pytest.raises(NotFound):
        await anext(parts)
    assert b'"rounds": [' in head
    assert b"Question 0" in first
    world.db.close()


@pytest.mark.parametrize("form", ["json", "markdown"])
async def test_an_export_ends_without_an_end_once_its_credential_is_revoked(
    world: ExportWorld, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    made = await plant_long(world, rounds=3)
    answers = iter([True, True])

    async def still_allowed(authenticator: Anyone, principal: Principal) -> bool:
        return next(answers, False)

    monkeypatch.setattr(Anyone, "is_still_allowed", still_allowed)
    sent: list[dict[str, Any]] = []
    response = await export_routes.export_conversation(
        made,
        world.ana,
        world.db,
        world.files,
        Anyone(world),
        ExportChoice(format=ExportFormat(form)),
    )

    async def send(message: Any) -> None:
        sent.append(message)

    assert isinstance(response, StreamingResponse)
    await response.stream_response(send)
    assert [message.get("more_body") for message in sent] == [None, True, True]
    world.db.close()


async def test_what_is_said_during_an_export_is_not_in_it(world: ExportWorld) -> None:
    made = await planted(world)
    before = await collect(world, made, by=world.ana)
    outline = await world.db.read(lambda tx: read_outline(tx, made), by=world.ana)

    def say_more(tx: Tx) -> None:
        reply(tx, outline.rounds[0], "A second thought.", attempt=2)
        reply(tx, ask(tx, made, "And now?"), "Later.")

    await world.db.write(say_more, by=world.ana)
    parts = stream_json(outline, db=world.db, files=world.files, by=world.ana)
    assert b"".join([part async for part in parts]) == before
    world.db.close()
