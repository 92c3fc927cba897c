"""Setting up, signing in and out, and what a session is."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.accounts_door import PASSWORD, AccountsDoor, Hands, ok, open_door, quick_hashes, refused

from tertulia.accounts import passwords, setup
from tertulia.accounts.authentication import RequestAuthenticator
from tertulia.infra.http.identity import Authenticator

ANA = "ana@example.org"


@pytest.fixture
async def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[AccountsDoor]:
    quick_hashes(monkeypatch)
    async with open_door(tmp_path) as door:
        yield door


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    return Hands(monkeypatch)


async def test_whoever_holds_the_setup_link_becomes_the_owner(door: AccountsDoor) -> None:
    token, visitor = await setup.ensure_setup_link(door.db), door.client()
    assert ok(await visitor.get("/api/setup")) == {"needed": True}

    body = {"token": token, "email": " Ana@Example.org", "name": "Ana", "password": PASSWORD}
    me = ok(await visitor.post("/api/setup", json=body | {"workspace": "The Lab"}))

    assert (me["user"]["email"], me["role"], me["workspace"]["name"]) == (ANA, "owner", "The Lab")
    assert ok(await visitor.get("/api/me")) == me
    assert ok(await visitor.get("/api/setup")) == {"needed": False}
    refused(await visitor.post("/api/setup", json=body), 409, "already_set_up")
    assert await setup.ensure_setup_link(door.db) is None


async def test_the_setup_links_of_all_processes_are_good_until_one_is_used(door: AccountsDoor) -> None:
    first, second = await setup.ensure_setup_link(door.db), await setup.ensure_setup_link(door.db)
    body = {"email": ANA, "name": "Ana", "password": PASSWORD}

    ok(await door.client().post("/api/setup", json=body | {"token": first}))
    refused(await door.client().post("/api/setup", json=body | {"token": second}), 409, "already_set_up")
    assert (
        await door.db.read(lambda tx: tx.value("SELECT count(*) FROM links WHERE used_at IS NULL"), by=None)
        == 0
    )


async def test_email_and_password_open_a_session_whatever_the_emails_case(door: AccountsDoor) -> None:
    await door.owner()

    client = await door.sign_in("ANA@example.ORG")

    assert ok(await client.get("/api/me"))["user"]["email"] == ANA


async def test_signing_out_ends_this_session_and_no_other(door: AccountsDoor) -> None:
    first = await door.owner()
    second = await door.sign_in(ANA)
    kept = dict(second.cookies)

    ok(await second.delete("/api/session"), 204)

    assert not second.cookies
    refused(await door.client(cookies=kept).get("/api/me"), 401, "not_signed_in")
    ok(await first.get("/api/me"))


async def test_signing_out_everywhere_leaves_tokens_alone_unless_asked(door: AccountsDoor) -> None:
    first = await door.owner()
    second = await door.sign_in(ANA)
    token = ok(await first.post("/api/tokens", json={"name": "script"}), 201)["token"]
    script = door.client(headers={"x-api-key": token})

    ok(await first.post("/api/sessions/revoke-all"), 204)
    for browser in (first, second):
        refused(await browser.get("/api/me"), 401, "not_signed_in")
    ok(await script.get("/api/me"))

    ok(await script.post("/api/sessions/revoke-all", json={"tokens": True}), 204)
    refused(await script.get("/api/me"), 401, "not_signed_in")


async def test_sessions_are_listed_and_ended_one_by_one(door: AccountsDoor) -> None:
    first = await door.owner()
    second = await door.sign_in(ANA, headers={"user-agent": "A second browser"})

    sessions = ok(await first.get("/api/sessions"))["items"]
    other = next(one for one in sessions if not one["current"])
    assert [one["current"] for one in sessions].count(True) == 1
    assert other["user_agent"] == "A second browser"

    ok(await first.delete(f"/api/sessions/{other['id']}"), 204)
    refused(await second.get("/api/me"), 401, "not_signed_in")
    refused(await first.delete(f"/api/sessions/{other['id']}"), 404, "not_found")


async def test_nobody_ends_another_persons_session(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    session = ok(await bea.get("/api/sessions"))["items"][0]["id"]

    refused(await ana.delete(f"/api/sessions/{session}"), 404, "not_found")
    ok(await bea.get("/api/me"))


async def test_a_session_lives_on_while_it_is_used_and_ends_when_it_is_not(
    door: AccountsDoor, hands: Hands
) -> None:
    client = await door.owner()
    for _ in range(3):
        hands.forward(days=door.settings.session_days - 1)
        ok(await client.get("/api/me"))
        await written(door)

    hands.forward(days=door.settings.session_days)
    refused(await client.get("/api/me"), 401, "not_signed_in")


async def test_being_seen_is_written_down_once_a_minute(door: AccountsDoor, hands: Hands) -> None:
    client = await door.owner()

    async def last_seen() -> str:
        await written(door)
        return ok(await client.get("/api/sessions"))["items"][0]["last_seen_at"]

    at_first = await last_seen()
    hands.forward(seconds=59)
    assert await last_seen() == at_first
    hands.forward(seconds=1)
    await client.get("/api/me")
    assert await last_seen() > at_first


async def test_a_changed_password_ends_the_other_sessions(door: AccountsDoor) -> None:
    first = await door.owner()
    second = await door.sign_in(ANA)
    change = {"password": "another password", "current_password": PASSWORD}

    wrong = change | {"current_password": "not my password"}
    refused(await first.patch("/api/me", json=wrong), 403, "wrong_password")
    refused(await first.patch("/api/me", json={"password": "another password"}), 403, "wrong_password")
    ok(await second.get("/api/me"))

    ok(await first.patch("/api/me", json=change))

    ok(await first.get("/api/me"))
    refused(await second.get("/api/me"), 401, "not_signed_in")
    old = {"email": ANA, "password": PASSWORD}
    refused(await door.client().post("/api/session", json=old), 401, "wrong_credentials")
    await door.sign_in(ANA, "another password")


@pytest.mark.parametrize("password", ["nine char", "x" * 1025, ANA, ANA.upper()])
async def test_an_unfit_password_is_refused(door: AccountsDoor, password: str) -> None:
    client = await door.owner()

    answer = await client.patch("/api/me", json={"password": password, "current_password": PASSWORD})

    assert answer.status_code == 422
    await door.sign_in(ANA)


async def test_a_password_is_the_same_however_its_accents_are_composed(door: AccountsDoor) -> None:
    client = await door.owner()
    composed, taken_apart = "contrase\u00f1a larga", "contrasen\u0303a larga"

    ok(await client.patch("/api/me", json={"password": composed, "current_password": PASSWORD}))

    await door.sign_in(ANA, taken_apart)


async def test_passwords_are_kept_as_argon2id_and_hashed_anew_when_its_parameters_change(
    door: AccountsDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await door.owner()
    before = await stored_hash(door)
    monkeypatch.undo()

    await door.sign_in(ANA)

    after = await stored_hash(door)
    assert before.startswith("$argon2id$v=19$m=8,t=1,p=1$")
    assert not passwords.hasher().check_needs_rehash(after)
    await door.sign_in(ANA)
    assert await stored_hash(door) == after


async def test_neither_passwords_nor_secrets_are_stored_as_they_are(
    door: AccountsDoor, tmp_path: Path
) -> None:
    client = await door.owner()
    token = ok(await client.post("/api/tokens", json={"name": "script"}), 201)["token"]
    invitation = await door.invite(client)

    stored = await asyncio.to_thread(everything_in, tmp_path)

    for secret in (PASSWORD, token, invitation, client.cookies["tertulia_session"]):
        assert secret.encode() not in stored


@pytest.mark.parametrize(
    ("base", "public_url", "secure"),
    [
        ("http://127.0.0.1:8000", "", False),
        ("http://localhost:8000", "", False),
        ("http://[::1]:8000", "", False),
        ("http://chat.example.org", "", True),
        ("http://localhost.example.org", "", True),
        ("https://127.0.0.1:8000", "", True),
        ("http://chat.example.org", "http://chat.example.org", False),
        ("http://127.0.0.1:8000", "https://chat.example.org", True),
    ],
)
async def test_the_cookie_is_out_of_reach_for_scripts_other_sites_and_eavesdroppers(
    door: AccountsDoor, base: str, public_url: str, secure: bool
) -> None:
    await door.owner()
    door.configure(public_url=public_url)

    answer = await door.client(base=base).post("/api/session", json={"email": ANA, "password": PASSWORD})

    attributes = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")}
    assert {"httponly", "samesite=lax", "path=/"} <= attributes
    assert ("secure" in attributes) is secure
    assert not any(part.startswith("domain") for part in attributes)


async def written(door: AccountsDoor) -> None:
    """Wait until every use of a credential has been written down."""
    credentials: RequestAuthenticator = door.app.state.parts[Authenticator]
    await asyncio.gather(*credentials._recording.values())
    await asyncio.sleep(0)  # what follows their end happens now


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def stored_hash(door: AccountsDoor) -> str:
    return await door.db.read(lambda tx: tx.value("SELECT password_hash FROM users"), by=None)
