"""Getting in without being let in: guessing, planting, probing, and saying more than was asked."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from argon2 import Parameters, PasswordHasher, extract_parameters
from tests.accounts_door import PASSWORD, AccountsDoor, Hands, my_id, ok, open_door, quick_hashes, refused

from tertulia.accounts import one_time_links, passwords, setup
from tertulia.accounts.bearer_secrets import new_secret
from tertulia.accounts.throttle import FREE_SIGN_INS_PER_ACCOUNT, FREE_SIGN_INS_PER_ADDRESS

ANA = "ana@example.org"
WRONG = {"email": ANA, "password": "a wrong guess"}
RIGHT = {"email": ANA, "password": PASSWORD}
ODD = [
    "'; DROP TABLE users; --",
    '" OR 1=1 --',
    "\u202eevil\u202c \u200b\ufeff name",
    "\U0001d518\U0001d52b \U0001f469\u200d\U0001f467 n\u0303",
    "<script>alert(1)</script>",
    "{{7*7}} %s %00 \\u0000",
    "\r\nSet-Cookie: tertulia_session=planted",
]


@pytest.fixture
async def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[AccountsDoor]:
    quick_hashes(monkeypatch)
    async with open_door(tmp_path) as door:
        yield door


async def test_guessing_one_account_from_many_addresses_is_slowed_down(
    door: AccountsDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = Hands(monkeypatch)
    await door.owner()
    for guess in range(FREE_SIGN_INS_PER_ACCOUNT):
        browser = door.client(address=f"192.0.2.{guess}")
        refused(await browser.post("/api/session", json=WRONG), 401, "wrong_credentials")

    waits = []
    for guess in range(8):
        browser = door.client(address=f"198.51.100.{guess}")
        answer = await browser.post("/api/session", json=RIGHT)
        refused(answer, 429, "too_many_attempts")
        waits.append(int(answer.headers["retry-after"]))
        hands.forward(seconds=waits[-1])
        refused(await browser.post("/api/session", json=WRONG), 401, "wrong_credentials")

    assert waits == [1, 2, 4, 8, 16, 32, 64, 128]
    hands.forward(hours=1)
    await door.sign_in(ANA)


async def test_guessing_many_accounts_from_one_address_is_slowed_down(door: AccountsDoor) -> None:
    await door.owner()
    spray = [
        {"email": f"p{n}@example.org", "password": "a wrong guess"} for n in range(FREE_SIGN_INS_PER_ADDRESS)
    ]
    here, elsewhere = door.client(address="192.0.2.1"), door.client(address="192.0.2.2")
    for body in spray:
        refused(await here.post("/api/session", json=body), 401, "wrong_credentials")

    refused(await here.post("/api/session", json=RIGHT), 429, "too_many_attempts")
    ok(await elsewhere.post("/api/session", json=RIGHT))


async def test_a_stranger_who_keeps_guessing_locks_nobody_out_for_good(door: AccountsDoor) -> None:
    ana = await door.owner()
    for guess in range(FREE_SIGN_INS_PER_ACCOUNT):
        browser = door.client(address=f"192.0.2.{guess}")
        refused(await browser.post("/api/session", json=WRONG), 401, "wrong_credentials")
    refused(await door.client().post("/api/session", json=RIGHT), 429, "too_many_attempts")

    ok(await ana.get("/api/me"))
    made = await one_time_links.create_reset_link_as_operator(door.db, email=ANA)
    body = {"token": made.secret, "password": "another long password"}
    ok(await door.client().post("/api/links/accept", json=body))


async def test_guesses_made_at_once_do_not_slip_past_the_count(door: AccountsDoor) -> None:
    await door.owner()

    answers = await asyncio.gather(*(door.client().post("/api/session", json=WRONG) for _ in range(40)))

    assert [answer.status_code for answer in answers].count(401) == FREE_SIGN_INS_PER_ACCOUNT


async def test_signing_in_rightly_forgets_the_accounts_failures_but_not_the_addresss(
    door: AccountsDoor,
) -> None:
    await door.owner()
    rounds, browser = FREE_SIGN_INS_PER_ADDRESS // (FREE_SIGN_INS_PER_ACCOUNT - 1), door.client()
    for turn in range(rounds):
        for _ in range(FREE_SIGN_INS_PER_ACCOUNT - 1):
            refused(await browser.post("/api/session", json=WRONG), 401, "wrong_credentials")
        if turn < rounds - 1:
            ok(await browser.post("/api/session", json=RIGHT))

    refused(await browser.post("/api/session", json=RIGHT), 429, "too_many_attempts")
    await door.sign_in(ANA, address="192.0.2.1")


@pytest.mark.parametrize("way", ["current_password", "invitation"])
async def test_other_ways_to_try_a_password_are_counted_too(door: AccountsDoor, way: str) -> None:
    ana = await door.owner()
    token = await door.invite(ana)

    async def guess() -> Any:
        if way == "invitation":
            return await door.client().post("/api/links/accept", json=WRONG | {"token": token})
        change = {"password": "my new password", "current_password": "a wrong guess"}
        return await ana.patch("/api/me", json=change)

    codes = [(await guess()).status_code for _ in range(FREE_SIGN_INS_PER_ACCOUNT + 1)]

    assert codes[-1] == 429
    assert set(codes[:-1]) <= {401, 403}
    refused(await door.client().post("/api/session", json=RIGHT), 429, "too_many_attempts")


async def test_an_unknown_email_gets_the_same_answer_as_a_wrong_password(door: AccountsDoor) -> None:
    await door.owner()
    answers = [
        await door.client(address=f"192.0.2.{n}").post("/api/session", json=WRONG | {"email": email})
        for n, email in enumerate([ANA, "nobody@example.org", "not an email", "' OR 1=1 --"])
    ]

    assert {(answer.status_code, answer.text) for answer in answers} == {(401, answers[0].text)}
    assert not any("set-cookie" in answer.headers for answer in answers)


async def test_an_unknown_email_is_throttled_like_a_known_one(door: AccountsDoor) -> None:
    await door.owner()

    async def codes(email: str, address: str) -> list[int]:
        browser, body = door.client(address=address), WRONG | {"email": email}
        return [(await browser.post("/api/session", json=body)).status_code for _ in range(8)]

    assert await codes(ANA, "192.0.2.1") == await codes("nobody@example.org", "192.0.2.2")


async def test_an_unknown_email_costs_the_same_work_as_a_wrong_password(
    door: AccountsDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasher, checked = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1), list[Parameters]()

    class Watched:
        def verify(self, stored: str, password: bytes) -> bool:
            checked.append(extract_parameters(stored))
            return hasher.verify(stored, password)

        def __getattr__(self, name: str) -> Any:
            return getattr(hasher, name)

    monkeypatch.setattr(passwords, "hasher", Watched)
    await door.owner()

    for email in (ANA, "nobody@example.org", "not an email"):
        answer = await door.client().post("/api/session", json=WRONG | {"email": email})
        refused(answer, 401, "wrong_credentials")

    assert len(checked) == 3
    assert checked[0] == checked[1] == checked[2]


async def test_a_suspended_account_shows_itself_only_to_the_right_password(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    ok(await ana.patch(f"/api/members/{await my_id(bea)}", json={"status": "suspended"}))
    right = {"email": "bea@example.org", "password": PASSWORD}

    wrong = right | {"password": "a wrong guess"}
    refused(await door.client().post("/api/session", json=wrong), 401, "wrong_credentials")
    refused(await door.client().post("/api/session", json=right), 403, "suspended")


async def test_a_planted_cookie_is_never_adopted(door: AccountsDoor) -> None:
    ana = await door.owner()
    planted = new_secret()
    victim = door.client(cookies={"tertulia_session": planted})

    answer = await victim.post("/api/session", json=RIGHT)

    ok(answer)
    assert planted not in answer.headers["set-cookie"]
    attacker = door.client(cookies={"tertulia_session": planted})
    refused(await attacker.get("/api/me"), 401, "not_signed_in")
    ok(await ana.get("/api/me"))


async def test_every_sign_in_opens_a_session_of_its_own(door: AccountsDoor) -> None:
    browser = await door.owner()
    seen = {browser.cookies["tertulia_session"]}
    for _ in range(3):
        ok(await browser.post("/api/session", json=RIGHT))
        seen.add(browser.cookies["tertulia_session"])

    assert len(seen) == 4


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9000"},
    ],
)
async def test_another_site_cannot_sign_a_browser_in_as_the_attacker(
    door: AccountsDoor, headers: dict[str, str]
) -> None:
    ana = await door.owner()
    invitation = {"token": await door.invite(ana), "email": "eve@example.org", "password": PASSWORD}

    for path, body in (("/api/session", RIGHT), ("/api/links/accept", invitation)):
        answer = await door.client().post(path, json=body, headers=headers)
        refused(answer, 403, "cross_site")
        assert "set-cookie" not in answer.headers


async def test_a_form_on_another_page_is_no_json(door: AccountsDoor) -> None:
    await door.owner()
    text = '{"email": "ana@example.org", "password": "' + PASSWORD + '"}'

    answer = await door.client().post("/api/session", content=text, headers={"content-type": "text/plain"})

    assert answer.status_code == 422


async def test_a_body_cannot_say_more_than_it_may(door: AccountsDoor) -> None:
    ana = await door.owner()
    token = await door.invite(ana, "viewer")
    bea = {"token": token, "email": "bea@example.org", "password": PASSWORD}
    extras: list[dict[str, Any]] = [
        {"role": "owner"},
        {"status": "active"},
        {"workspace_id": "wsp_1"},
        {"user_id": "usr_1"},
        {"id": "usr_1"},
        {"password_hash": "x"},
        {"is_admin": True},
    ]
    bodies: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "/api/links/accept", bea),
        ("POST", "/api/session", RIGHT),
        ("PATCH", "/api/me", {"name": "Ana"}),
        ("POST", "/api/tokens", {"name": "script"}),
        ("POST", "/api/workspaces", {"name": "Second"}),
        ("PATCH", "/api/workspace", {"name": "Lab"}),
    ]
    for method, path, body in bodies:
        for extra in extras:
            refused(await ana.request(method, path, json=body | extra), 422, "invalid_request")
    for extra in extras[2:]:
        refused(await ana.post("/api/invitations", json=extra), 422, "invalid_request")

    assert ok(await door.client().post("/api/links/accept", json=bea))["role"] == "viewer"
    assert ok(await ana.get("/api/tokens"))["items"] == []


@pytest.mark.parametrize("odd", ODD)
async def test_odd_text_is_kept_as_it_is_or_refused_and_never_run(door: AccountsDoor, odd: str) -> None:
    token = await setup.ensure_setup_link(door.db)
    visitor = door.client()
    body = {"token": token, "email": ANA, "name": odd, "password": f"{odd} and more", "workspace": odd}

    for field in ("token", "email"):
        assert (await visitor.post("/api/setup", json=body | {field: odd})).status_code in {404, 422}
    me = ok(await visitor.post("/api/setup", json=body))
    await door.sign_in(ANA, f"{odd} and more")
    token_name = ok(await visitor.post("/api/tokens", json={"name": odd}), 201)["name"]

    assert {me["user"]["name"], me["workspace"]["name"], token_name} == {odd.strip()}
    settings = {"utility_model": odd, "default_models": [odd]}
    shown = ok(await visitor.patch("/api/workspace", json={"settings": settings}))["settings"]
    assert (shown["utility_model"], shown["default_models"]) == (odd.strip(), [odd.strip()])
    wrong = {"email": odd, "password": odd}
    refused(await door.client().post("/api/session", json=wrong), 401, "wrong_credentials")
    for path in ("members", "sessions", "tokens", "invitations"):
        answer = await visitor.request("DELETE", path_of(path, odd))
        assert answer.status_code in {404, 405}
    ok(await visitor.get("/api/audit", params={"after": odd[:64]}))
    assert len(ok(await visitor.get("/api/members"))["items"]) == 1


@pytest.mark.parametrize("broken", ["\\ud800", "\\u0000"])
async def test_text_that_no_database_takes_is_refused_everywhere(door: AccountsDoor, broken: str) -> None:
    ana = await door.owner()
    as_json = {"content-type": "application/json"}
    fields = [
        ("POST", "/api/setup", ["token", "email", "name", "password", "workspace"]),
        ("POST", "/api/session", ["email", "password"]),
        ("POST", "/api/links/accept", ["token", "email", "name", "password"]),
        ("PATCH", "/api/me", ["name", "password", "current_password"]),
        ("POST", "/api/tokens", ["name"]),
        ("POST", "/api/workspaces", ["name"]),
        ("POST", "/api/session/workspace", ["workspace_id"]),
        ("POST", "/api/invitations", ["email"]),
    ]

    for method, path, names in fields:
        text = ", ".join(f'"{name}": "some {broken} text"' for name in names)
        answer = await ana.request(method, path, content=f"{{{text}}}", headers=as_json)
        refused(answer, 422, "invalid_request")


def path_of(kind: str, odd: str) -> str:
    """Return the path of a thing whose id is odd text."""
    return f"/api/{kind}/{quote(odd, safe='')}"
