"""Links that work once: invitations and new passwords."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.accounts_door import PASSWORD, AccountsDoor, Hands, my_id, ok, open_door, quick_hashes, refused

from tertulia.accounts import one_time_links, setup
from tertulia.accounts.domain import MemberStatus
from tertulia.accounts.users import set_status

ACCEPT = "/api/links/accept"
NEW = "another password"


@pytest.fixture
async def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[AccountsDoor]:
    quick_hashes(monkeypatch)
    async with open_door(tmp_path) as door:
        yield door


async def test_an_invitation_lets_one_person_in_once(door: AccountsDoor) -> None:
    ana = await door.owner()
    token = await door.invite(ana, "viewer")
    body = {"token": token, "email": "bea@example.org", "name": "Bea", "password": PASSWORD}

    me = ok(await door.client().post(ACCEPT, json=body))

    assert (me["user"]["name"], me["role"], me["workspace"]["name"]) == ("Bea", "viewer", "My workspace")
    eve = body | {"email": "eve@example.org"}
    refused(await door.client().post(ACCEPT, json=eve), 404, "link_unusable")
    assert ok(await ana.get("/api/invitations"))["items"] == []


async def test_an_invitation_for_an_address_is_for_nobody_else(door: AccountsDoor) -> None:
    token = await door.invite(await door.owner(), email="Bea@Example.org")
    body = {"token": token, "password": PASSWORD}

    eve = body | {"email": "eve@example.org"}
    refused(await door.client().post(ACCEPT, json=eve), 422, "email_not_invited")
    assert ok(await door.client().post(ACCEPT, json=body))["user"]["email"] == "bea@example.org"


async def test_an_invitation_for_anyone_needs_an_address(door: AccountsDoor) -> None:
    token = await door.invite(await door.owner())

    answer = await door.client().post(ACCEPT, json={"token": token, "password": PASSWORD})

    refused(answer, 422, "email_missing")


async def test_somebody_with_an_account_joins_with_their_own_password(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    second = ok(await ana.post("/api/workspaces", json={"name": "Second"}), 201)["id"]
    ok(await ana.post("/api/session/workspace", json={"workspace_id": second}))
    body = {"token": await door.invite(ana), "email": "bea@example.org", "password": PASSWORD}

    refused(await bea.post(ACCEPT, json=body | {"password": NEW}), 401, "wrong_credentials")
    me = ok(await bea.post(ACCEPT, json=body))

    assert me["workspace"]["id"] == second
    assert [one["name"] for one in me["workspaces"]] == ["My workspace", "Second"]
    body["token"] = await door.invite(ana)
    refused(await bea.post(ACCEPT, json=body), 409, "already_member")
    assert len(ok(await ana.get("/api/invitations"))["items"]) == 1


async def test_an_invitation_expires_after_a_week(
    door: AccountsDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = Hands(monkeypatch)
    ana = await door.owner()
    body = {"token": await door.invite(ana), "email": "bea@example.org", "password": PASSWORD}

    hands.forward(days=7)

    refused(await door.client().post(ACCEPT, json=body), 404, "link_unusable")
    assert ok(await ana.get("/api/invitations"))["items"] == []


async def test_a_withdrawn_invitation_is_void(door: AccountsDoor) -> None:
    ana = await door.owner()
    made = ok(await ana.post("/api/invitations", json={}), 201)
    assert [one["id"] for one in ok(await ana.get("/api/invitations"))["items"]] == [made["id"]]
    assert "token" not in ok(await ana.get("/api/invitations"))["items"][0]

    ok(await ana.delete(f"/api/invitations/{made['id']}"), 204)

    body = {"token": made["token"], "email": "bea@example.org", "password": PASSWORD}
    refused(await door.client().post(ACCEPT, json=body), 404, "link_unusable")
    refused(await ana.delete(f"/api/invitations/{made['id']}"), 404, "not_found")


@pytest.mark.parametrize("role", ["owner", "admin"])
async def test_an_admin_invites_only_those_they_could_manage(door: AccountsDoor, role: str) -> None:
    ana = await door.owner()
    admin = await door.member(ana, "admin")

    refused(await admin.post("/api/invitations", json={"role": role}), 403, "role_too_high")
    ok(await admin.post("/api/invitations", json={"role": "member"}), 201)
    ok(await ana.post("/api/invitations", json={"role": role}), 201)


@pytest.mark.parametrize("change", [{"role": "member"}, {"status": "suspended"}, None])
async def test_an_invitation_is_worth_what_its_maker_may_still_do(
    door: AccountsDoor, change: dict[str, str] | None
) -> None:
    ana = await door.owner()
    admin = await door.member(ana, "admin")
    body = {"token": await door.invite(admin), "email": "eve@example.org", "password": PASSWORD}
    path = f"/api/members/{await my_id(admin)}"
    await (ana.delete(path) if change is None else ana.patch(path, json=change))

    refused(await door.client().post(ACCEPT, json=body), 404, "link_unusable")


async def test_an_invitation_of_a_suspended_person_is_void(door: AccountsDoor) -> None:
    admin = await door.member(await door.owner(), "admin")
    body = {"token": await door.invite(admin), "email": "eve@example.org", "password": PASSWORD}
    await set_status(door.db, email="bea@example.org", status=MemberStatus.SUSPENDED)

    refused(await door.client().post(ACCEPT, json=body), 404, "link_unusable")


async def test_of_many_who_use_an_invitation_at_once_one_gets_in(door: AccountsDoor) -> None:
    ana = await door.owner()
    token = await door.invite(ana)
    bodies = [{"token": token, "email": f"p{n}@example.org", "password": PASSWORD} for n in range(12)]

    answers = await asyncio.gather(*(door.client().post(ACCEPT, json=body) for body in bodies))

    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 11
    assert len(ok(await ana.get("/api/members"))["items"]) == 2
    known = await door.db.read(lambda tx: tx.value("SELECT count(*) FROM users"), by=None)
    assert known == 2


async def test_of_many_who_set_up_at_once_one_becomes_the_owner(door: AccountsDoor) -> None:
    token = await setup.ensure_setup_link(door.db)
    bodies = [
        {"token": token, "email": f"p{n}@example.org", "name": "P", "password": PASSWORD} for n in range(8)
    ]

    answers = await asyncio.gather(*(door.client().post("/api/setup", json=body) for body in bodies))

    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7


async def test_a_reset_link_gives_a_new_password_once_and_ends_the_sessions(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    path = f"/api/members/{await my_id(bea)}/reset-link"
    earlier, token = [ok(await ana.post(path), 201)["token"] for _ in range(2)]

    refused(
        await door.client().post(ACCEPT, json={"token": token, "password": "short"}), 422, "password_unfit"
    )
    me = ok(await door.client().post(ACCEPT, json={"token": token, "password": NEW}))

    assert me["user"]["email"] == "bea@example.org"
    refused(await bea.get("/api/me"), 401, "not_signed_in")
    await door.sign_in("bea@example.org", NEW)
    for used in (token, earlier):
        answer = await door.client().post(ACCEPT, json={"token": used, "password": PASSWORD})
        refused(answer, 404, "link_unusable")


async def test_a_reset_link_cannot_be_used_to_rise(door: AccountsDoor) -> None:
    ana = await door.owner()
    admin = await door.member(ana, "admin", "admin@example.org")
    peer = await door.member(ana, "admin", "peer@example.org")

    for above in (ana, peer, admin):
        answer = await admin.post(f"/api/members/{await my_id(above)}/reset-link")
        refused(answer, 403, "role_too_high")
    answer = await ana.post(f"/api/members/{await my_id(ana)}/reset-link")
    refused(answer, 403, "not_allowed")


async def test_a_reset_link_does_not_reach_into_workspaces_that_its_maker_does_not_manage(
    door: AccountsDoor,
) -> None:
    ana = await door.owner()
    admin = await door.member(ana, "admin", "admin@example.org")
    bea = await door.member(ana, "member", "bea@example.org")
    path = f"/api/members/{await my_id(bea)}/reset-link"
    token = ok(await admin.post(path), 201)["token"]
    second = ok(await ana.post("/api/workspaces", json={"name": "Second"}), 201)["id"]
    ok(await ana.post("/api/session/workspace", json={"workspace_id": second}))
    joining = {"token": await door.invite(ana), "email": "bea@example.org", "password": PASSWORD}
    ok(await bea.post(ACCEPT, json=joining))

    refused(await admin.post(path), 403, "role_too_high")
    refused(await door.client().post(ACCEPT, json={"token": token, "password": NEW}), 404, "link_unusable")


async def test_whoever_runs_the_server_helps_an_owner_who_forgot_their_password(door: AccountsDoor) -> None:
    await door.owner()
    made = await one_time_links.create_reset_link_as_operator(door.db, email="Ana@example.org")

    ok(await door.client().post(ACCEPT, json={"token": made.secret, "password": NEW}))

    await door.sign_in("ana@example.org", NEW)
    assert made.secret not in repr(made)
