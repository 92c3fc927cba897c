"""The client with which we ask other servers, against servers that answer in every way they can."""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import effort
from tests.listening import Handler, listening

from tertulia.infra.http import outbound
from tertulia.infra.http.http1_connection import BODY_PIECE_MAX_BYTES, UNREAD_BODY_MAX_BYTES
from tertulia.infra.http.outbound import ConnectionPool, make_client

OK = b"HTTP/1.1 200 OK\r\n"


@asynccontextmanager
async def serving(handle: Handler) -> AsyncGenerator[str]:
    async with listening(handle) as port:
        yield f"http://127.0.0.1:{port}/"


def answering(*writes: bytes, hang_up: bool = False) -> Handler:
    """Return a server that sends the same answer to every request, in these writes."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                for write in writes:
                    writer.write(write)
                    await writer.drain()
                if hang_up:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()

    return handle


def cut_up(answer: bytes, cuts: list[int]) -> list[bytes]:
    """Return an answer in pieces of these sizes and what is left."""
    starts = [0, *accumulate(cuts)]
    return [answer[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]


def client() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=ConnectionPool(private_hosts=("127.0.0.1", "localhost")))


@settings(max_examples=effort(40))
@given(body=st.binary(max_size=3000), cuts=st.lists(st.integers(1, 400), max_size=8), chunked=st.booleans())
async def test_a_body_arrives_whole_however_it_is_cut(body: bytes, cuts: list[int], chunked: bool) -> None:
    if chunked:
        sized = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
        answer = OK + b"transfer-encoding: chunked\r\n\r\n" + sized + b"0\r\n\r\n"
    else:
        answer = OK + b"content-length: %d\r\n\r\n%b" % (len(body), body)
    async with serving(answering(*cut_up(answer, cuts))) as url, client() as asking:
        assert (await asking.get(url)).content == body
        assert (await asking.get(url)).content == body


async def test_a_body_without_a_length_ends_with_the_connection() -> None:
    async with serving(answering(OK + b"\r\nall of it", hang_up=True)) as url, client() as asking:
        assert (await asking.get(url)).text == "all of it"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"no http at all\r\n\r\n",
        OK + b"content-length: 100\r\n\r\ntoo short",
        OK + b"transfer-encoding: chunked\r\n\r\n5\r\nhal",
        OK + b"transfer-encoding: chunked\r\n\r\nzz\r\n",
        OK + b"x: " + b"y" * 300_000,
        b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    ],
)
async def test_an_answer_that_is_broken_or_cut_is_an_error(answer: bytes) -> None:
    async with serving(answering(answer, hang_up=True)) as url, client() as asking:
        with pytest.raises(httpx2.TransportError):
            await asking.get(url)


async def test_an_answer_that_only_says_wait_is_not_the_answer() -> None:
    wait = b"HTTP/1.1 100 Continue\r\nx: y\r\n\r\n"
    async with serving(answering(wait, OK + b"content-length: 2\r\n\r\nok")) as url, client() as asking:
        answer = await asking.get(url)
    assert (answer.status_code, answer.text, "x" in answer.headers) == (200, "ok", False)


async def test_connections_are_used_again_unless_the_server_hangs_up() -> None:
    met: list[object] = []

    def counting(answer: bytes) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            met.append(writer)
            await answering(answer)(reader, writer)

        return handle

    for header, connections in ((b"connection: keep-alive", 1), (b"connection: close", 3)):
        met.clear()
        answer = OK + header + b"\r\ncontent-length: 2\r\n\r\nok"
        async with serving(counting(answer)) as url, client() as asking:
            for _ in range(3):
                assert (await asking.get(url)).text == "ok"
        assert len(met) == connections


async def test_a_server_that_hung_up_meanwhile_is_called_anew() -> None:
    hangs_up = answering(OK + b"content-length: 2\r\n\r\nok", hang_up=True)
    async with serving(hangs_up) as url, client() as asking:
        for _ in range(3):
            assert (await asking.get(url)).text == "ok"
            await asyncio.sleep(0.01)


async def test_a_server_that_is_asked_no_more_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbound, "IDLE_CONNECTION_SECONDS", 0.01)
    left = asyncio.Event()
    answer = answering(OK + b"content-length: 2\r\n\r\nok")

    async def noticing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer(reader, writer)
        left.set()

    async with serving(noticing) as once, serving(answer) as often, client() as asking:
        await asking.get(once)
        await asyncio.sleep(0.02)
        await asking.get(often)
        async with asyncio.timeout(5):
            await left.wait()


async def test_a_sender_waits_while_nobody_reads() -> None:
    sent = 0

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(OK + b"\r\n")
        while sent < 200 * UNREAD_BODY_MAX_BYTES:
            writer.write(b"x" * 65536)
            sent += 65536
            try:
                await writer.drain()
            except ConnectionError:
                return

    async with serving(pour) as url, client() as asking, asking.stream("GET", url) as answer:
        pieces = answer.aiter_raw()
        await anext(pieces)
        await asyncio.sleep(0.2)
        assert sent < 50 * UNREAD_BODY_MAX_BYTES
        await pieces.aclose()


async def test_long_answers_arrive_in_pieces_and_one_of_all_of_them_in_a_turn_of_the_loop() -> None:
    body = bytes(range(256)) * 2_000
    whole = answering(OK + f"content-length: {len(body)}\r\n\r\n".encode() + body)
    turns = 0
    heard: list[tuple[int, int]] = []

    async def tick() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async def read(asking: httpx2.AsyncClient, url: str) -> bytes:
        pieces: list[bytes] = []
        async with asking.stream("GET", url) as answer:
            async for piece in answer.aiter_raw():
                heard.append((turns, len(piece)))
                pieces.append(piece)
        return b"".join(pieces)

    async with serving(whole) as url, client() as asking:
        ticking = asyncio.create_task(tick())
        bodies = await asyncio.gather(*(read(asking, url) for _ in range(3)))
        ticking.cancel()
    assert bodies == [body] * 3
    assert max(size for _, size in heard) == BODY_PIECE_MAX_BYTES
    assert len({turn for turn, _ in heard}) > len(heard) / 2


async def test_nobody_can_be_reached_where_nobody_listens() -> None:
    async with serving(answering(b"")) as url:
        pass
    async with client() as asking:
        with pytest.raises(httpx2.ConnectError):
            await asking.get(url)


async def test_a_silent_server_is_given_up_when_a_time_is_set() -> None:
    async with serving(answering()) as url, client() as asking:
        with pytest.raises(httpx2.ReadTimeout):
            await asking.get(url, timeout=httpx2.Timeout(0.05))


async def test_a_line_break_in_a_header_is_refused() -> None:
    async with serving(answering(OK + b"content-length: 0\r\n\r\n")) as url, client() as asking:
        with pytest.raises(httpx2.TransportError):
            await asking.get(url, headers={"x": "y\r\nz: injected"})


async def test_a_proxy_in_the_environment_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    asked: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.write(OK + b"content-length: 2\r\n\r\nok")
        await writer.drain()
        writer.close()

    async with serving(proxy) as url:
        monkeypatch.setenv("HTTP_PROXY", url)
        async with make_client() as asking:
            assert (await asking.get("http://models.example/v1/models")).text == "ok"
    assert asked == [b"GET http://models.example/v1/models HTTP/1.1\r\n"]


def certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate for this machine, signed by nobody but itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    begun = datetime.now(UTC) - timedelta(hours=1)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(begun)
        .not_valid_after(begun + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    (folder / "certificate.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return folder / "certificate.pem", folder / "key.pem"


async def test_only_a_server_whose_certificate_is_trusted_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public, secret = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, secret)
    answer = answering(OK + b"content-length: 2\r\n\r\nok")
    async with listening(answer, tls=context) as port:
        url = f"https://localhost:{port}/"
        async with client() as asking:
            with pytest.raises(httpx2.ConnectError):
                await asking.get(url)
        monkeypatch.setenv("SSL_CERT_FILE", str(public))
        async with client() as asking:
            assert [(await asking.get(url)).text for _ in range(2)] == ["ok", "ok"]
