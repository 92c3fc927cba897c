"""What a header says about where a request came from, and who is believed."""

from collections.abc import AsyncGenerator
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI, Request
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.accounts_door import PASSWORD, AccountsDoor, ok, open_door, quick_hashes, refused
from tests.effort import effort

from tertulia.accounts.routes.session import client_info_of
from tertulia.accounts.throttle import FREE_SIGN_INS_PER_ADDRESS
from tertulia.infra.http.trusted_proxies import TrustedProxyMiddleware
from tertulia.server import create_app, make_server
from tertulia.settings import Settings

PROXY, CHAINED, STRANGER = "10.0.0.1", "10.0.0.2", "192.0.2.7"
RIGHT = {"email": "ana@example.org", "password": PASSWORD}


@pytest.fixture
async def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[AccountsDoor]:
    quick_hashes(monkeypatch)
    async with open_door(tmp_path) as door:
        yield door


def echo(*proxies: str) -> FastAPI:
    """Return an application that answers with the client and the scheme it sees."""
    app = FastAPI()
    if proxies:
        app.add_middleware(TrustedProxyMiddleware, proxies=proxies)

    @app.get("/")
    async def tell(request: Request) -> list[str]:
        return [client_info_of(request).address, request.url.scheme]

    return app


async def seen(app: FastAPI, peer: str, headers: list[tuple[str, str]]) -> list[str]:
    transport = httpx2.ASGITransport(app=app, client=(peer, 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://ai.example.org") as client:
        return (await client.get("/", headers=headers)).json()


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", STRANGER])
async def test_without_a_trusted_proxy_nobody_says_where_a_request_came_from(
    peer: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    headers = [("x-forwarded-for", "203.0.113.5"), ("x-forwarded-proto", "https")]
    assert await seen(echo(), peer, headers) == [peer, "http"]
    server = make_server(Settings(data_dir=tmp_path), host="127.0.0.1", port=0)
    assert not server.config.proxy_headers
    served = create_app(Settings(data_dir=tmp_path)).user_middleware
    assert TrustedProxyMiddleware not in [layer.cls for layer in served]


def test_the_proxies_of_the_settings_are_those_that_are_trusted(tmp_path: Path) -> None:
    served = create_app(Settings(data_dir=tmp_path, trusted_proxies=(PROXY,))).user_middleware
    [layer] = [layer for layer in served if layer.cls is TrustedProxyMiddleware]
    assert layer is served[0]
    assert layer.kwargs == {"proxies": (PROXY,)}


@pytest.mark.parametrize(
    ("peer", "lines", "expected"),
    [
        (PROXY, ["203.0.113.5"], "203.0.113.5"),
        (PROXY, ["1.1.1.1, 203.0.113.5"], "203.0.113.5"),
        (PROXY, ["1.1.1.1", "203.0.113.5"], "203.0.113.5"),
        (PROXY, [f"1.1.1.1, 203.0.113.5, {CHAINED}"], "203.0.113.5"),
        (PROXY, ["203.0.113.5:4711"], "203.0.113.5"),
        (PROXY, ["[2001:db8::1]:4711"], "2001:db8::1"),
        (f"::ffff:{PROXY}", ["203.0.113.5"], "203.0.113.5"),
        (PROXY, [], PROXY),
        (STRANGER, ["203.0.113.5"], STRANGER),
        ("127.0.0.1", ["203.0.113.5"], "127.0.0.1"),
    ],
)
async def test_the_last_address_that_is_no_trusted_proxy_counts(
    peer: str, lines: list[str], expected: str
) -> None:
    address, _ = await seen(echo("10.0.0.0/8"), peer, [("x-forwarded-for", line) for line in lines])
    assert address == expected


async def test_only_a_trusted_proxy_says_that_a_request_was_encrypted() -> None:
    headers = [("x-forwarded-proto", "https")]
    assert (await seen(echo(PROXY), PROXY, headers))[1] == "https"
    assert (await seen(echo(PROXY), STRANGER, headers))[1] == "http"


@given(forged=st.lists(st.text("0123456789.:abcdef[], ", max_size=20), max_size=4))
@settings(max_examples=effort(40))
async def test_nothing_that_a_stranger_writes_changes_who_they_are(forged: list[str]) -> None:
    sent = [("x-forwarded-for", ",".join([*forged, STRANGER]))]
    assert (await seen(echo(PROXY), PROXY, sent))[0] == STRANGER


async def test_guessing_from_this_machine_is_not_hidden_by_forged_addresses(door: AccountsDoor) -> None:
    await door.owner()
    browser = door.client(address="127.0.0.1")
    for guess in range(FREE_SIGN_INS_PER_ADDRESS):
        body = {"email": f"p{guess}@example.org", "password": "a wrong guess"}
        forged = {"x-forwarded-for": f"198.51.100.{guess}"}
        refused(await browser.post("/api/session", json=body, headers=forged), 401, "wrong_credentials")

    forged = {"x-forwarded-for": "198.51.100.200"}
    refused(await browser.post("/api/session", json=RIGHT, headers=forged), 429, "too_many_attempts")
    ok(await door.client(address="192.0.2.9").post("/api/session", json=RIGHT))
