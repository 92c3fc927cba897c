"""What a request may bring: strangers are refused unread, everyone as soon as it is too much."""

import json
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from starlette.types import Message
from tests.effort import effort
from tests.world import add_person, environment

from tertulia.core.principal import Role
from tertulia.files.upload_limits import UPLOAD_ALWAYS_ALLOWED_BYTES, upload_max_bytes
from tertulia.infra.db import Database
from tertulia.infra.http.body_limits import (
    ANONYMOUS_BODY_MAX_BYTES,
    BODY_MAX_BYTES,
    JSON_MAX_TOKENS,
    count_json_tokens,
)
from tertulia.infra.http.routing import Route
from tertulia.infra.http.security_headers import SECURITY_HEADERS
from tertulia.server import create_app
from tertulia.settings import Settings

ANONYMOUS = {"POST /api/setup", "POST /api/session", "POST /api/links/accept"}
BLOCK = b"x" * 100_000


@pytest.fixture
async def app(tmp_path: Path) -> AsyncGenerator[FastAPI]:
    """The whole application in this process, without a server around it."""
    app = create_app(Settings.from_env(environment(tmp_path, None)))
    async with app.router.lifespan_context(app):
        yield app


@pytest.fixture
async def token(app: FastAPI) -> str:
    db: Database = app.state.running.db
    _, token = await add_person(db, role=Role.OWNER, workspace=None, email="ada@example.org")
    return token


def routes() -> list[RouteContext]:
    """Every route of the application that may be sent something."""
    app = create_app(Settings.from_env({"TERTULIA_DATA_DIR": "/nowhere"}))
    found = [one for one in iter_route_contexts(app.routes) if isinstance(one.original_route, APIRoute)]
    return [one for one in found if (one.methods or set()) & {"POST", "PUT", "PATCH", "DELETE"}]


def name_of(context: RouteContext) -> str:
    return f"{min(context.methods or {''})} {context.path}"


ROUTES = {name_of(one): one for one in routes()}
SETTINGS = Settings(Path("/nowhere"))


def route(name: str) -> Route:
    found = ROUTES[name].original_route
    assert isinstance(found, Route), name
    return found


class Sender:
    """A client that counts how much of its body was read."""

    def __init__(self, app: FastAPI, *, token: str = "", blocks: int = 0, body: bytes = b"") -> None:
        self.app = app
        self.headers = [(b"content-type", b"application/json")]
        if token:
            self.headers.append((b"authorization", f"Bearer {token}".encode()))
        self.blocks = [BLOCK] * blocks or [body]
        self.read = 0
        self.answer: list[Message] = []

    async def send(self, name: str, *, length: int | None = None) -> int:
        """Send the request and return its status."""
        method, _, path = name.partition(" ")
        headers = self.headers + ([] if length is None else [(b"content-length", str(length).encode())])
        scope = {
            "type": "http",
            "method": method,
            "path": path.replace("{", "").replace("}", "").replace(":path", ""),
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 1),
            "scheme": "http",
            "root_path": "",
            "http_version": "1.1",
        }
        await self.app(scope, self._receive, self._answered)
        return self.answer[0]["status"]

    @property
    def error(self) -> dict[str, Any]:
        return json.loads(b"".join(part.get("body", b"") for part in self.answer[1:]))["error"]

    async def _receive(self) -> Message:
        block = self.blocks.pop() if self.blocks else b""
        self.read += len(block)
        return {"type": "http.request", "body": block, "more_body": bool(self.blocks)}

    async def _answered(self, message: Message) -> None:
        self.answer.append(message)


@pytest.mark.parametrize("name", ROUTES)
def test_every_route_judges_the_head_before_it_reads(name: str) -> None:
    found = route(name)
    assert bool(found.role_checks) != (name in ANONYMOUS)
    most = found.body_limit.max_bytes_for(SETTINGS)
    assert most <= ANONYMOUS_BODY_MAX_BYTES if name in ANONYMOUS else most >= BODY_MAX_BYTES


@pytest.mark.parametrize("name", ROUTES)
def test_every_limit_lets_through_what_the_schema_of_its_route_takes(name: str) -> None:
    field = route(name).body_field
    if field is None:
        return
    annotation = field.field_info.annotation
    assert annotation is not None
    schema = TypeAdapter[Any](annotation).json_schema()
    longest = max(lengths_in(schema), default=0)
    assert route(name).body_limit.max_bytes_for(SETTINGS) > longest * (6 if longest <= 2_000_000 else 1)


def lengths_in(schema: Any) -> Iterator[int]:
    """Yield the greatest length of every text in a schema."""
    if isinstance(schema, dict):
        if "maxLength" in schema:
            yield schema["maxLength"]
        for inner in schema.values():
            yield from lengths_in(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from lengths_in(inner)


async def test_a_stranger_is_refused_without_a_byte_being_read(app: FastAPI) -> None:
    for name in ROUTES:
        if name not in ANONYMOUS:
            sender = Sender(app, blocks=200)
            assert (await sender.send(name), sender.read) == (401, 0), name


async def test_what_a_stranger_may_send_is_small(app: FastAPI) -> None:
    for name in ANONYMOUS:
        announced = Sender(app, blocks=200)
        assert (await announced.send(name, length=20_000_000), announced.read) == (413, 0)
        unannounced = Sender(app, blocks=200)
        assert (await unannounced.send(name), unannounced.read) == (413, len(BLOCK))
        assert unannounced.error["code"] == "body_too_large"


async def test_a_body_is_refused_as_soon_as_it_is_too_much(app: FastAPI, token: str) -> None:
    for name, limit in (("POST /api/presets", BODY_MAX_BYTES), ("POST /api/turn", 40_000_000)):
        for length in (None, 10):
            sender = Sender(app, token=token, blocks=limit // len(BLOCK) + 50)
            assert await sender.send(name, length=length) == 413
            assert limit < sender.read <= limit + len(BLOCK)


async def test_json_of_too_many_values_is_refused_before_it_is_built(app: FastAPI, token: str) -> None:
    body = b'{"name": [' + b"{}," * JSON_MAX_TOKENS + b"{}]}"
    sender = Sender(app, token=token, body=body)
    assert await sender.send("POST /api/presets") == 413
    assert sender.error["code"] == "body_too_complex"


async def test_an_error_names_one_fault_however_many_there_are(app: FastAPI, token: str) -> None:
    body = {"model": "x", "messages": [{"role": "user", "content": [{"type": 1}] * 3}] * 5_000}
    sender = Sender(app, token=token, body=json.dumps(body).encode())
    assert await sender.send("POST /v1/chat/completions") == 422
    assert sender.error["param"].startswith("messages.0.")
    assert len(sender.answer[1]["body"]) < 1_000


async def test_what_is_no_json_is_called_that(app: FastAPI, token: str) -> None:
    for body in (b"{", b"\xff", b'{"a": NaN}', b"[" * 9_000):
        sender = Sender(app, token=token, body=body)
        assert await sender.send("POST /api/presets") == 422
        assert sender.error["message"] == "The body is not valid JSON."


async def test_every_answer_carries_the_security_headers(app: FastAPI) -> None:
    client = httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1")
    for path in ("/health", "/api/me", "/nowhere"):
        assert set((await client.get(path)).headers) >= {name.lower() for name in SECURITY_HEADERS}


def test_an_upload_may_always_bring_some_files() -> None:
    small = Settings(Path("/nowhere"), largest_file=1)
    assert UPLOAD_ALWAYS_ALLOWED_BYTES < upload_max_bytes(small) < upload_max_bytes(SETTINGS)


strings = st.text(alphabet='"\\,[]{}: a\u00e9', max_size=8)
#: Lists and objects of strings: whatever stands in a string must not count.
objects = st.lists(st.dictionaries(strings, strings, max_size=4), min_size=1, max_size=4)


@given(objects, st.booleans())
@settings(max_examples=effort(60))
def test_what_stands_in_a_string_does_not_count(value: list[dict[str, str]], ascii_only: bool) -> None:
    body = json.dumps(value, ensure_ascii=ascii_only).encode()
    strings_inside = sum(2 * len(one) for one in value)
    opened = 1 + len(value)
    divided = len(value) - 1 + sum(max(0, len(one) - 1) for one in value)
    all_of_it = strings_inside + opened + divided
    assert count_json_tokens(body, stop_at=strings_inside) == all_of_it
    assert all_of_it <= count_json_tokens(body, stop_at=1_000) <= 1_000
