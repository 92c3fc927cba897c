"""Connections end when a stage of them takes too long, and there are only so many."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.search_world import until
from tests.world import World

from tertulia.infra.http.incoming_connections import (
    BODY_DISCARD_MAX_BYTES,
    CHUNK_OVERHEAD_MAX_BYTES,
    PARSER_FEED_BYTES,
    PIPELINE_MAX_REQUESTS,
    REQUEST_HEAD_MAX_BYTES,
    BoundedConnection,
    ConnectionLimits,
    ConnectionStage,
    OpenConnections,
)
from tertulia.infra.http.trusted_proxies import parse_networks

#: An address of this machine that no setting names as a proxy's.
ELSEWHERE = "127.0.0.2"
SHORT = 0.15
#: What a test waits for at most; what must not end is looked at after several of its limits.
PATIENCE = 5.0


@asynccontextmanager
async def world_of(tmp_path: Path, **env: str) -> AsyncGenerator[World]:
    async with World.open(tmp_path / "data", provider=None, **env) as world:
        yield world


class Raw:
    """A connection that sends whatever it is told to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def to(cls, world: World, address: str = "127.0.0.1") -> "Raw":
        host, _, port = world.url.removeprefix("http://").partition(":")
        return cls(*await asyncio.open_connection(host, int(port), local_addr=(address, 0)))

    @property
    def transport(self) -> asyncio.Transport:
        transport = self.writer.transport
        assert isinstance(transport, asyncio.Transport)
        return transport

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def ended(self) -> None:
        """Wait until the server has closed the connection."""
        await self.rest()

    async def status(self) -> int:
        async with asyncio.timeout(PATIENCE):
            return int((await self.reader.readline()).split()[1])

    async def rest(self) -> bytes:
        """Return what comes until the server closes the connection."""
        received = b""
        with suppress(ConnectionError):
            async with asyncio.timeout(PATIENCE):
                while part := await self.reader.read(65_536):
                    received += part
        return received

    def close(self) -> None:
        self.writer.transport.abort()


GET = b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n"
POST = b"POST /api/session HTTP/1.1\r\nhost: x\r\ncontent-length: 10000\r\n\r\n"
#: Refused for want of a token, before any of its body is read.
UNREAD_POST = b"POST /api/turn HTTP/1.1\r\nhost: x\r\ncontent-length: 999999999999\r\n\r\n"
CHUNKED_POST = b"POST /api/session HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
UNFINISHED = {
    "nothing": [],
    "half a head": [b"GET /health HTTP/1.1\r\nhost:"],
    "half a body": [POST, b"{"],
    "nothing after an answer": [GET],
    "half a head after an answer": [GET, b"GET /he"],
    "line ends after an answer": [GET, b"\r\n"],
    "half a body after its answer": [POST.replace(b"10000", b"999999"), b"{"],
}
LIMITS = {
    "TERTULIA_HEAD_SECONDS": str(SHORT),
    "TERTULIA_BODY_SECONDS": str(SHORT),
    "TERTULIA_IDLE_SECONDS": "1",
}


async def test_no_unfinished_request_holds_its_connection(tmp_path: Path) -> None:
    async with world_of(tmp_path, **LIMITS) as world:

        async def try_one(sent: list[bytes]) -> None:
            connection = await Raw.to(world)
            for part in sent:
                await connection.send(part)
            await connection.ended()

        await asyncio.gather(*(try_one(sent) for sent in UNFINISHED.values()))


async def test_a_body_that_comes_after_its_answer_does_not_hold_its_connection(tmp_path: Path) -> None:
    async with world_of(tmp_path) as world:
        connection = await Raw.to(world)
        await connection.send(UNREAD_POST.replace(b"999999999999", b"2"))
        assert await connection.status() == 401
        await asyncio.gather(*world.server.server_state.tasks)
        await connection.send(b"{}")
        [answered] = open_connections(world)
        await until(holds(lambda: answered._stage is ConnectionStage.HEAD))
        run_out_of_time(world)
        await connection.ended()


async def test_who_sends_on_after_a_refusal_is_read_no_further_and_reset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tertulia.infra.http.incoming_connections.CONNECTION_RESET_DELAY_SECONDS", SHORT)
    sizes = spy_on_content(monkeypatch)
    async with world_of(tmp_path) as world:
        connection = await Raw.to(world)
        await connection.send(UNREAD_POST)
        assert await connection.status() == 401
        async with asyncio.timeout(PATIENCE):
            await drip(connection, b" " * BODY_DISCARD_MAX_BYTES)
        assert BODY_DISCARD_MAX_BYTES < sum(sizes) < 2 * BODY_DISCARD_MAX_BYTES


async def test_who_asks_to_close_has_the_same_time_to_take_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tertulia.infra.http.incoming_connections.CONNECTION_RESET_DELAY_SECONDS", SHORT)
    async with world_of(tmp_path) as world:
        connection = await Raw.to(world)
        await connection.send(UNREAD_POST.replace(b"host: x", b"host: x\r\nconnection: close"))
        await connection.reader.readuntil(b"}")
        (protocol,) = world.server.server_state.connections
        assert not protocol.transport.is_closing()
        async with asyncio.timeout(PATIENCE):
            await drip(connection, b" " * BODY_DISCARD_MAX_BYTES)


async def test_a_connection_that_should_close_does_so_once_its_body_is_there(tmp_path: Path) -> None:
    async with world_of(tmp_path) as world:
        connection = await Raw.to(world)
        request = UNREAD_POST.replace(b"host: x", b"host: x\r\nconnection: close")
        await connection.send(request.replace(b"999999999999", b"20000"))
        assert await connection.status() == 401
        await connection.send(b" " * 20_000 + GET)
        rest = await connection.rest()
        assert b"HTTP/1.1" not in rest


async def test_announced_content_is_parsed_at_once_however_much_arrives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = spy_on_content(monkeypatch)
    async with world_of(tmp_path) as world:
        connection = await Raw.to(world)
        await connection.send(GET)
        assert await connection.status() == 200
        (protocol,) = world.server.server_state.connections
        protocol.data_received(POST)
        protocol.data_received(b" " * 9_999)
        protocol.data_received(b" " + GET)
        assert sizes == [9_999, 1]
        connection.close()


def spy_on_content(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note how long each piece of content is that the server takes."""
    sizes: list[int] = []
    on_body = BoundedConnection.on_body

    def noting(connection: BoundedConnection, body: bytes) -> None:
        sizes.append(len(body))
        on_body(connection, body)

    monkeypatch.setattr(BoundedConnection, "on_body", noting)
    return sizes


#: How a request begins that never ends, and what comes of it again and again.
DRIPPING = {
    "a head": (b"GET /health HTTP/1.1\r\nx: ", b"x"),
    "a body": (POST, b" "),
    "a body that is answered": (UNREAD_POST, b" " * 20_000),
    "a chunked body that is answered": (
        CHUNKED_POST.replace(b"POST /api/session", b"GET /health"),
        b"4e20\r\n" + b" " * 20_000 + b"\r\n",
    ),
    "a chunk extension": (CHUNKED_POST + b"1;", b"a" * 100),
    "a trailer": (CHUNKED_POST + b"0\r\nx: ", b"a" * 100),
    "chunks with more around them than in them": (CHUNKED_POST, b"1;aaaaaa\r\n \r\n"),
}


async def test_one_byte_after_the_other_does_not_hold_a_connection(tmp_path: Path) -> None:
    async with world_of(tmp_path, **LIMITS) as world:
        for head, drop in DRIPPING.values():
            connection = await Raw.to(world)
            await connection.send(head)
            dripping = asyncio.create_task(drip(connection, drop))
            await connection.ended()
            dripping.cancel()


async def drip(connection: Raw, drop: bytes) -> None:
    while True:
        try:
            await connection.send(drop)
        except ConnectionError:
            return
        await asyncio.sleep(SHORT / 10)


async def test_a_stream_of_events_and_a_body_that_grows_outlast_every_limit(tmp_path: Path) -> None:
    async with world_of(tmp_path) as world:
        ada = await world.person(role="owner")
        stream = await Raw.to(world)
        signed = f"host: x\r\nauthorization: Bearer {ada.token}\r\n".encode()
        await stream.send(b"GET /api/events HTTP/1.1\r\n" + signed + b"\r\n")
        assert await stream.status() == 200
        streaming = open_connections(world)
        # More than the least that must come, and for longer than one limit.
        page, pages = b"x" * 20_000, 5
        head = f"content-type: application/json\r\ncontent-length: {pages * len(page)}\r\n\r\n".encode()
        upload = await Raw.to(world)
        await upload.send(b"POST /api/presets HTTP/1.1\r\n" + signed + head)
        await until(holds(lambda: len(open_connections(world)) == 2))
        [uploading] = open_connections(world) - streaming
        for _ in range(pages - 1):
            await upload.send(page)
            await until(holds(lambda: uploading._content_bytes >= len(page)))
            run_out_of_time(world)
        await upload.send(page)
        assert await upload.status() == 422
        assert not stream.reader.at_eof()
        stream.close()
        upload.close()


def open_connections(world: World) -> set[BoundedConnection]:
    """Return the server's side of every connection."""
    return {one for one in world.server.server_state.connections if isinstance(one, BoundedConnection)}


def holds(condition: Callable[[], bool]) -> Callable[[], Awaitable[bool]]:
    """Return a condition of the server's side as one that can be waited for."""

    async def check() -> bool:
        return condition()

    return check


def run_out_of_time(world: World) -> None:
    """Do what is done when the time of each stage is over."""
    for connection in open_connections(world):
        if connection._deadline is not None:
            connection._check_deadline()


async def test_who_takes_nothing_of_an_answer_is_let_go(tmp_path: Path) -> None:
    async with world_of(tmp_path, TERTULIA_WRITE_SECONDS=str(SHORT)) as world:
        async with world.client() as client:
            # Made when it is first asked for, which takes seconds.
            await client.get("/openapi.json")
        connection = await Raw.to(world)
        connection.transport.pause_reading()
        # The answers are more than all buffers on the way hold.
        await connection.send(b"GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n" * 100)
        async with asyncio.timeout(PATIENCE):
            await drip(connection, b"G")


async def test_one_address_has_so_many_connections_and_all_together_have(tmp_path: Path) -> None:
    env = {"TERTULIA_CONNECTIONS": "5", "TERTULIA_CONNECTIONS_PER_ADDRESS": "2"}
    env["TERTULIA_TRUSTED_PROXIES"] = "127.0.0.1"
    async with world_of(tmp_path, **env) as world:
        held = [await ask(world, ELSEWHERE) for _ in range(2)]
        assert (await ask(world, ELSEWHERE))[1] == 503
        leaving, _ = held.pop()
        leaving.writer.close()
        await leaving.writer.wait_closed()
        # One that leaves makes room, and a proxy speaks for many.
        held += [await ask(world, address) for address in (ELSEWHERE, *["127.0.0.1"] * 3)]
        assert [status for _, status in held] == [200] * 5
        assert (await ask(world, "127.0.0.3"))[1] == 503


async def ask(world: World, address: str) -> tuple[Raw, int]:
    connection = await Raw.to(world, address)
    await connection.send(GET)
    return connection, await connection.status()


async def test_a_head_that_never_ends_is_refused(tmp_path: Path) -> None:
    async with world_of(tmp_path) as world:
        connection = await Raw.to(world)
        await connection.send(b"GET /health HTTP/1.1\r\n" + b"x: y\r\n" * (REQUEST_HEAD_MAX_BYTES // 6 + 100))
        assert await connection.status() == 413


async def test_a_head_that_arrives_whole_is_refused_as_well(tmp_path: Path) -> None:
    async with world_of(tmp_path) as world:
        connection = await Raw.to(world)
        await connection.send(
            b"GET /health HTTP/1.1\r\nhost: x\r\nx: "
            + b"x" * (REQUEST_HEAD_MAX_BYTES + PARSER_FEED_BYTES)
            + b"\r\n\r\n"
        )
        assert await connection.status() == 413


MUCH = CHUNK_OVERHEAD_MAX_BYTES * 2
CHUNK_OVERHEAD = {
    "a trailer": b"0\r\nx: " + b"a" * MUCH,
    "trailers": b"0\r\n" + b"x: y\r\n" * (MUCH // 6),
    "trailers after much content": b"fa0\r\n" + b" " * 4_000 + b"\r\n0\r\n" + b"x: y\r\n" * (MUCH // 6),
    "whole trailers": b"0\r\n" + b"x: y\r\n" * (MUCH // 6) + b"\r\n",
    "an extension": b"1;" + b"a" * MUCH,
    "extensions": (b"1;" + b"a" * 100 + b"\r\n \r\n") * (MUCH // 100),
    "a size": b"0" * MUCH,
    "chunks of one byte": b"1\r\n \r\n" * (MUCH // 4),
}


async def test_what_is_around_the_content_of_chunks_has_an_end(tmp_path: Path) -> None:
    async with world_of(tmp_path) as world:
        for name, sent in CHUNK_OVERHEAD.items():
            connection = await Raw.to(world)
            await connection.send(CHUNKED_POST + sent)
            assert b"chunk_overhead_too_large" in await connection.rest(), name


async def test_small_chunks_are_taken_and_trailers_are_no_headers(tmp_path: Path) -> None:
    async with world_of(tmp_path) as world:
        ada = await world.person(role="owner")
        signed = f"authorization: Bearer {ada.token}\r\n".encode()
        chunk = b"14;n=1\r\n" + b" " * 20 + b"\r\n"
        head = CHUNKED_POST.replace(b"POST /api/session", b"GET /api/me").removesuffix(b"\r\n")
        for sent, status in (
            (CHUNKED_POST + chunk * 700 + b"0\r\nx: y\r\n\r\n", 422),
            (head + signed + b"\r\n0\r\n\r\n", 200),
            (head + b"\r\n0\r\n" + signed + b"\r\n", 401),
        ):
            connection = await Raw.to(world)
            await connection.send(sent)
            assert await connection.status() == status


async def test_a_stream_of_events_ends_when_too_much_or_no_request_comes_behind_it(tmp_path: Path) -> None:
    async with world_of(tmp_path) as world:
        ada = await world.person(role="owner")
        ask = f"GET /api/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {ada.token}\r\n\r\n"
        for sent in (
            GET * (PIPELINE_MAX_REQUESTS + 1),
            b"\r\n" * REQUEST_HEAD_MAX_BYTES,
            b"no request\r\n\r\n",
        ):
            stream = await Raw.to(world)
            await stream.send(ask.encode())
            assert await stream.status() == 200
            await stream.send(sent)
            assert b"HTTP/1.1" not in await stream.rest()


async def test_a_stream_of_events_ends_with_its_connection_whatever_waits_behind_it(tmp_path: Path) -> None:
    async with world_of(tmp_path) as world:
        ada = await world.person(role="owner")
        ask = f"GET /api/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {ada.token}\r\n\r\n"
        stream = await Raw.to(world)
        await stream.send(ask.encode() + GET)
        assert await stream.status() == 200
        stream.close()
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*world.server.server_state.tasks)


def limits(**more: Any) -> ConnectionLimits:
    values: dict[str, Any] = {"total": 5, "per_address": 2}
    values |= dict.fromkeys(("head_seconds", "body_seconds", "write_seconds"), 1.0)
    return ConnectionLimits(**values | more)


@pytest.mark.parametrize(
    ("address", "has_room"),
    [("192.0.2.1", False), ("192.0.2.2", True), ("10.1.2.3", True), ("::1", True), ("", True)],
)
def test_only_proxies_have_more_than_one_address_may(address: str, has_room: bool) -> None:
    opened = OpenConnections(limits(proxies=parse_networks(["10.0.0.0/8", "::1"])))
    for _ in range(2):
        opened.add("192.0.2.1")
        opened.add("10.1.2.3")
    assert opened.has_room(address) is has_room
