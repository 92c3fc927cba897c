"""Credentials that are forged, stale, mixed or carried oddly: one policy for every carrier."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import httpx2
import pytest
from tests.accounts_door import PASSWORD, AccountsDoor, Hands, my_id, ok, open_door, quick_hashes, refused

from tertulia.accounts.bearer_secrets import new_secret
from tertulia.core.principal import Principal, Role

Carry = Callable[[str], dict[str, str]]
TOKEN_CARRIERS: list[Carry] = [
    lambda token: {"authorization": f"Bearer {token}"},
    lambda token: {"Authorization": f"bearer  {token} "},
    lambda token: {"x-api-key": token},
    lambda token: {"X-API-Key": token, "authorization": f"Bearer {token}"},
    lambda token: {"x-api-key": token, "authorization": "Basic cHJveHk6c2VjcmV0"},
]


@pytest.fixture
async def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[AccountsDoor]:
    quick_hashes(monkeypatch)
    async with open_door(tmp_path) as door:
        yield door


def as_cookie(secret: str) -> dict[str, str]:
    return {"cookie": f"tertulia_session={secret}"}


async def new_token(by: httpx2.AsyncClient, **body: int) -> str:
    return ok(await by.post("/api/tokens", json={"name": "script", **body}), 201)["token"]


@pytest.mark.parametrize("carry", TOKEN_CARRIERS)
async def test_every_carrier_of_a_token_meets_the_same_policy(door: AccountsDoor, carry: Carry) -> None:
    ana = await door.owner()
    bea = await door.member(ana, "viewer")
    script = door.client(headers=carry(await new_token(bea)))
    bea_id = await my_id(bea)

    assert ok(await script.get("/api/me"))["role"] == "viewer"
    refused(await script.get("/api/audit"), 403, "not_allowed")
    ok(await ana.patch(f"/api/members/{bea_id}", json={"role": "admin"}))
    ok(await script.get("/api/audit"))
    ok(await ana.patch(f"/api/members/{bea_id}", json={"status": "suspended"}))
    refused(await script.get("/api/me"), 403, "suspended")
    ok(await ana.delete(f"/api/members/{bea_id}"), 204)
    refused(await script.get("/api/me"), 401, "not_signed_in")


async def test_nobody_without_a_credential_gets_past_the_door(door: AccountsDoor) -> None:
    await door.owner()
    open_to_all = {
        ("GET", "/api/setup"),
        ("POST", "/api/setup"),
        ("GET", "/api/session"),
        ("POST", "/api/session"),
        ("POST", "/api/links/accept"),
    }
    routes = {
        (method.upper(), path) for path, verbs in door.app.openapi()["paths"].items() for method in verbs
    }
    assert open_to_all < routes

    for method, path in sorted(routes - open_to_all):
        answer = await door.client().request(method, path, json={})
        refused(answer, 401, "not_signed_in")


async def test_whoever_asks_who_is_signed_in_is_told_of_nobody_but_themselves(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana, "viewer")
    assert ok(await door.client().get("/api/session")) == {"me": None}
    assert ok(await door.client(headers={"authorization": "Bearer forged"}).get("/api/session")) == {
        "me": None
    }
    assert ok(await bea.get("/api/session"))["me"] == ok(await bea.get("/api/me"))
    ok(await ana.patch(f"/api/members/{await my_id(bea)}", json={"status": "suspended"}))
    assert ok(await bea.get("/api/session")) == {"me": None}


@pytest.mark.parametrize("name", ["token", "api_key", "access_token", "tertulia_session", "x-api-key"])
async def test_credentials_in_the_address_are_not_looked_at(door: AccountsDoor, name: str) -> None:
    ana = await door.owner()
    for secret in (await new_token(ana), ana.cookies["tertulia_session"]):
        refused(await door.client().get("/api/me", params={name: secret}), 401, "not_signed_in")


async def test_a_secret_opens_only_its_own_kind_of_door(door: AccountsDoor) -> None:
    ana = await door.owner()
    token, session, invitation = await new_token(ana), ana.cookies["tertulia_session"], await door.invite(ana)

    for headers in (
        as_cookie(token),
        as_cookie(token.removeprefix("ttl_")),
        as_cookie(invitation),
        {"x-api-key": session},
        {"x-api-key": f"ttl_{session}"},
        {"authorization": f"Bearer {session}"},
        {"authorization": token},
        {"authorization": f"Basic {token}"},
        {"authorization": "Bearer"},
    ):
        refused(await door.client(headers=headers).get("/api/me"), 401, "not_signed_in")
    body = {"token": token, "email": "eve@example.org", "password": PASSWORD}
    refused(await door.client().post("/api/links/accept", json=body), 404, "link_unusable")


async def test_a_forged_credential_is_nobodys(door: AccountsDoor) -> None:
    real = await new_token(await door.owner())
    forgeries = {
        *(real[:end] for end in range(len(real))),
        *(real[:at] + neighbour(real[at]) + real[at + 1 :] for at in range(len(real))),
        *(real.swapcase(), real.upper(), real.lower(), real.replace("ttl_", "TTL_")),
        *(real + "A", real + "=", "ttl_" + real, real + "," + real),
        *("ttl_" + "_" * 43, "%" * len(real), new_secret("ttl_")),
    }

    for forged in forgeries:
        for headers in ({"x-api-key": forged}, {"authorization": f"Bearer {forged}"}, as_cookie(forged)):
            refused(await door.client(headers=headers).get("/api/me"), 401, "not_signed_in")
    ok(await door.client(headers={"x-api-key": real}).get("/api/me"))


async def test_an_expired_token_is_refused_from_that_moment(
    door: AccountsDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = Hands(monkeypatch)
    ana = await door.owner()
    script = door.client(headers={"x-api-key": await new_token(ana, expires_in_days=1)})
    hands.forward(hours=23, minutes=59)
    ok(await script.get("/api/me"))

    hands.forward(minutes=1)

    refused(await script.get("/api/me"), 401, "not_signed_in")


async def test_a_revoked_token_is_refused_and_only_its_owner_revokes_it(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    made = ok(await bea.post("/api/tokens", json={"name": "script"}), 201)
    script = door.client(headers={"x-api-key": made["token"]})

    refused(await ana.delete(f"/api/tokens/{made['id']}"), 404, "not_found")
    ok(await script.get("/api/me"))
    ok(await bea.delete(f"/api/tokens/{made['id']}"), 204)

    refused(await script.get("/api/me"), 401, "not_signed_in")


async def test_a_token_is_shown_once_and_recognised_by_its_beginning(door: AccountsDoor) -> None:
    ana = await door.owner()
    made = ok(await ana.post("/api/tokens", json={"name": "script"}), 201)
    secret = made.pop("token")

    listed = ok(await ana.get("/api/tokens"))

    assert listed == {"items": [made]}
    assert secret.startswith(made["prefix"])
    assert len(made["prefix"]) == 8


async def test_carriers_that_disagree_are_refused_and_those_that_agree_are_not(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    anas, beas = await new_token(ana), await new_token(bea)
    other = ok(await ana.post("/api/workspaces", json={"name": "Second"}), 201)["id"]

    ok(await ana.get("/api/me", headers={"x-api-key": anas}))
    for headers in ({"x-api-key": beas}, {"authorization": f"Bearer {beas}"}):
        refused(await ana.get("/api/me", headers=headers), 401, "credentials_disagree")
    both = {"x-api-key": anas, "authorization": f"Bearer {beas}"}
    refused(await door.client().get("/api/me", headers=both), 401, "credentials_disagree")
    forged = {"x-api-key": new_secret("ttl_")}
    refused(await ana.get("/api/me", headers=forged), 401, "not_signed_in")
    ok(await ana.post("/api/session/workspace", json={"workspace_id": other}))
    refused(await ana.get("/api/me", headers={"x-api-key": anas}), 401, "credentials_disagree")


async def test_a_second_cookie_tossed_in_from_elsewhere_is_not_followed(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    both = "; ".join(f"tertulia_session={one.cookies['tertulia_session']}" for one in (ana, bea))

    refused(await door.client(headers={"cookie": both}).get("/api/me"), 401, "credentials_disagree")


FOREIGN = [
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "Cross-Site", "origin": "http://127.0.0.1:8000"},
    {"origin": "https://evil.example"},
    {"origin": "http://127.0.0.1:8001"},
    {"origin": "http://127.0.0.1:8000.evil.example"},
    {"origin": "http://evil.example@127.0.0.1:8000"},
    {"origin": "null"},
    {"origin": ""},
    {"origin": "http://[broken"},
]
OWN = [
    {},
    {"sec-fetch-site": "same-origin", "origin": "http://127.0.0.1:8000"},
    {"sec-fetch-site": "none"},
    {"origin": "http://127.0.0.1:8000"},
]


@pytest.mark.parametrize("headers", FOREIGN)
async def test_another_site_changes_nothing_with_a_browsers_cookie(
    door: AccountsDoor, headers: dict[str, str]
) -> None:
    ana = await door.owner()
    script = door.client(headers={"x-api-key": await new_token(ana)})

    refused(await ana.patch("/api/me", json={"name": "Eve"}, headers=headers), 403, "cross_site")
    refused(await ana.delete("/api/session", headers=headers), 403, "cross_site")
    assert ok(await ana.get("/api/me", headers=headers))["user"]["name"] == "Ana"
    ok(await script.patch("/api/me", json={"name": "Ana"}, headers=headers))
    ok(await script.post("/api/sessions/revoke-all", headers=headers), 204)


@pytest.mark.parametrize("headers", OWN)
async def test_our_own_pages_are_let_through(door: AccountsDoor, headers: dict[str, str]) -> None:
    ana = await door.owner()

    ok(await ana.patch("/api/me", json={"name": "Ana B."}, headers=headers))


async def test_behind_a_proxy_the_public_address_is_ours(door: AccountsDoor) -> None:
    ana = await door.owner()
    door.configure(public_url="https://chat.example.org")
    ours, theirs = {"origin": "https://chat.example.org"}, {"origin": "https://evil.example.org"}

    ok(await ana.patch("/api/me", json={"name": "Ana B."}, headers=ours))
    refused(await ana.patch("/api/me", json={"name": "Eve"}, headers=theirs), 403, "cross_site")


async def test_a_long_stream_learns_that_its_principal_may_no_longer_listen(
    door: AccountsDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = Hands(monkeypatch)
    ana = await door.owner()
    allowed = door.authenticator.is_still_allowed

    async def listening(email: str) -> tuple[httpx2.AsyncClient, Principal]:
        browser = await door.member(ana, "admin", email)
        me, session = ok(await browser.get("/api/me")), ok(await browser.get("/api/sessions"))["items"][0]
        return browser, Principal(me["user"]["id"], me["workspace"]["id"], Role.ADMIN, session["id"])

    for n, change in enumerate([{"status": "suspended"}, {"role": "member"}, None]):
        _, principal = await listening(f"p{n}@example.org")
        assert await allowed(principal)
        path = f"/api/members/{principal.user_id}"
        await (ana.patch(path, json=change) if change else ana.delete(path))
        assert not await allowed(principal)

    browser, principal = await listening("leaver@example.org")
    ok(await browser.delete("/api/session"), 204)
    assert not await allowed(principal)
    assert await allowed(Principal(principal.user_id, principal.workspace_id, Role.ADMIN))

    _, principal = await listening("sleeper@example.org")
    hands.forward(days=door.settings.session_days)
    assert not await allowed(principal)


def neighbour(character: str) -> str:
    """Return another character that a secret may hold."""
    return "B" if character == "A" else "A"
