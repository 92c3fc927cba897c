"""Connections: from the environment, found on this machine, and which one counts."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
import pytest
from tests.listening import listening
from tests.models_world import CANARY

from tertulia.models.connections import (
    Connection,
    ConnectionKind,
    Source,
    connections_from_environment,
    effective_connections,
)
from tertulia.models.local_discovery import LOCAL_SERVER_PORTS, LocalServerPort, discover_local_servers

ALL_KEYS = {
    "OLLAMA_HOST": "127.0.0.1",
    "OPENROUTER_API_KEY": "or",
    "XAI_API_KEY": "x",
    "GEMINI_API_KEY": "g",
    "ANTHROPIC_API_KEY": "a",
    "OPENAI_API_KEY": "o",
}


def test_the_environment_gives_connections_in_a_fixed_order() -> None:
    slugs = [connection.slug for connection in connections_from_environment(ALL_KEYS)]
    assert slugs == ["openai", "anthropic", "google", "xai", "openrouter", "ollama"]


def test_an_empty_environment_gives_none() -> None:
    assert connections_from_environment({"OPENAI_API_KEY": " ", "PATH": "/bin"}) == []


@pytest.mark.parametrize(
    ("env", "slug", "url"),
    [
        ({"OPENAI_API_KEY": "k"}, "openai", "https://api.openai.com/v1"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1/"}, "openai", "http://127.0.0.1:9/v1"),
        ({"OPENAI_BASE_URL": "http://gateway.example.com"}, "openai", "http://gateway.example.com/v1"),
        ({"GOOGLE_API_KEY": "k"}, "google", "https://generativelanguage.googleapis.com"),
        ({"OLLAMA_HOST": "127.0.0.1"}, "ollama", "http://127.0.0.1:11434/v1"),
        ({"OLLAMA_HOST": "0.0.0.0:11500"}, "ollama", "http://127.0.0.1:11500/v1"),
        ({"OLLAMA_HOST": ":11500"}, "ollama", "http://127.0.0.1:11500/v1"),
        ({"OLLAMA_HOST": "http://box:80"}, "ollama", "http://box:80/v1"),
        ({"OLLAMA_HOST": "https://ollama.example.com"}, "ollama", "https://ollama.example.com/v1"),
        ({"OLLAMA_HOST": "http://[::1]"}, "ollama", "http://[::1]:11434/v1"),
    ],
)
def test_an_address_is_understood_as_people_write_it(env: dict[str, str], slug: str, url: str) -> None:
    (connection,) = connections_from_environment(env)
    assert (connection.slug, connection.base_url, connection.unusable_reason) == (slug, url, "")


def test_a_useless_address_in_the_environment_breaks_only_its_own_connection() -> None:
    openai, xai = connections_from_environment(
        {"OPENAI_BASE_URL": "http://169.254.169.254", "XAI_API_KEY": "k"}
    )
    assert "OPENAI_BASE_URL" in openai.unusable_reason
    assert not xai.unusable_reason


def test_a_key_is_not_in_what_a_connection_prints() -> None:
    (connection,) = connections_from_environment({"OPENAI_API_KEY": CANARY})
    assert connection.key == CANARY
    assert CANARY not in f"{connection!r} {connection.endpoint!r}"


def test_for_the_same_slug_the_first_source_wins() -> None:
    def one(source: Source, slug: str) -> Connection:
        return Connection(f"{source}", source, ConnectionKind.OPENAI, slug, f"https://{source}.example.com")

    person, workspace, env = (one(source, "openai") for source in list(Source)[:3])
    assert effective_connections([person, workspace, env]) == [person]
    assert effective_connections([workspace, env]) == [workspace]
    assert effective_connections([env, one(Source.FOUND, "ollama")])[0] == env


def test_a_server_that_is_already_connected_is_not_found_a_second_time() -> None:
    url = "http://127.0.0.1:1234/v1"
    named = Connection("c", Source.WORKSPACE, ConnectionKind.COMPATIBLE, "mine", url)
    found = Connection("found:lmstudio", Source.FOUND, ConnectionKind.COMPATIBLE, "lmstudio", url)
    assert effective_connections([named, found]) == [named]


@asynccontextmanager
async def answering(body: bytes, delay: float = 0) -> AsyncGenerator[int]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(delay)
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    async with listening(answer) as port:
        yield port


async def found_at(*ports: int) -> list[str]:
    places = tuple(LocalServerPort(f"p{port}", ConnectionKind.COMPATIBLE, port) for port in ports)
    async with httpx2.AsyncClient() as client:
        return [connection.slug for connection in await discover_local_servers(client, places)]


async def test_a_server_that_lists_models_is_found() -> None:
    async with (
        answering(b'{"object":"list","data":[{"id":"m","object":"model"}]}') as full,
        answering(b'{"object":"list","data":null}') as empty,
    ):
        assert await found_at(full, empty) == [f"p{full}", f"p{empty}"]


@pytest.mark.parametrize("body", [b"<html>hello</html>", b"[]", b'{"data":[{"id":1}]}', b"\xff", b""])
async def test_another_kind_of_server_on_that_port_is_not_taken_for_one(body: bytes) -> None:
    async with answering(body) as port:
        assert await found_at(port) == []


async def test_looking_around_takes_a_moment_even_when_nobody_answers() -> None:
    async with answering(b"", delay=5) as one, answering(b"", delay=5) as two:
        started = time.monotonic()
        assert await found_at(one, two) == []
        assert time.monotonic() - started < 1


def test_the_usual_places_are_looked_at() -> None:
    assert [(place.slug, place.port) for place in LOCAL_SERVER_PORTS] == [
        ("ollama", 11434),
        ("lmstudio", 1234),
        ("llamacpp", 8080),
    ]
