"""Who may do what to whom in a workspace."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest
from tests.accounts_door import PASSWORD, AccountsDoor, my_id, ok, open_door, quick_hashes, refused
from tests.clocks import DAY_MS, Machine

from tertulia.accounts import users
from tertulia.accounts.authentication import write_last_seen
from tertulia.accounts.domain import MemberStatus
from tertulia.accounts.errors import LastOwner
from tertulia.core import clock

SUSPEND, REINSTATE = {"status": "suspended"}, {"status": "active"}


@pytest.fixture
async def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[AccountsDoor]:
    quick_hashes(monkeypatch)
    async with open_door(tmp_path) as door:
        yield door


async def test_a_suspended_member_is_stopped_at_the_next_request_and_let_in_again(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    bea_id = await my_id(bea)
    token = ok(await bea.post("/api/tokens", json={"name": "script"}), 201)["token"]
    script = door.client(headers={"authorization": f"Bearer {token}"})

    ok(await ana.patch(f"/api/members/{bea_id}", json=SUSPEND))
    for caller in (bea, script):
        refused(await caller.get("/api/me"), 403, "suspended")
    again = {"email": "bea@example.org", "password": PASSWORD}
    refused(await door.client().post("/api/session", json=again), 403, "suspended")

    ok(await ana.patch(f"/api/members/{bea_id}", json=REINSTATE))
    for caller in (bea, script):
        ok(await caller.get("/api/me"))


async def test_a_suspended_person_is_stopped_in_every_workspace(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)

    await users.set_status(door.db, email="Bea@example.org", status=MemberStatus.SUSPENDED)
    refused(await bea.get("/api/me"), 403, "suspended")
    again = {"email": "bea@example.org", "password": PASSWORD}
    refused(await door.client().post("/api/session", json=again), 403, "suspended")
    with pytest.raises(LastOwner):
        await users.set_status(door.db, email="ana@example.org", status=MemberStatus.SUSPENDED)
    ok(await ana.get("/api/me"))

    await users.set_status(door.db, email="bea@example.org", status=MemberStatus.ACTIVE)
    ok(await bea.get("/api/me"))


async def test_a_removed_member_loses_every_credential_of_the_workspace(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    token = ok(await bea.post("/api/tokens", json={"name": "script"}), 201)["token"]

    ok(await ana.delete(f"/api/members/{await my_id(bea)}"), 204)

    refused(await bea.get("/api/me"), 401, "not_signed_in")
    refused(await door.client(headers={"x-api-key": token}).get("/api/me"), 401, "not_signed_in")
    again = {"email": "bea@example.org", "password": PASSWORD}
    refused(await door.client().post("/api/session", json=again), 403, "no_workspace")
    assert [one["email"] for one in ok(await ana.get("/api/members"))["items"]] == ["ana@example.org"]


async def test_a_new_role_counts_at_the_next_request(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    refused(await bea.get("/api/audit"), 403, "not_allowed")

    ok(await ana.patch(f"/api/members/{await my_id(bea)}", json={"role": "admin"}))

    ok(await bea.get("/api/audit"))


@pytest.mark.parametrize("change", [{"role": "admin"}, SUSPEND, None])
async def test_the_last_owner_stays(door: AccountsDoor, change: dict[str, str] | None) -> None:
    ana = await door.owner()
    bea = await door.member(ana, "owner")
    ana_id, bea_id = await my_id(ana), await my_id(bea)
    ok(await ana.patch(f"/api/members/{bea_id}", json=SUSPEND))

    refused(await manage(ana, ana_id, change), 409, "last_owner")

    ok(await ana.patch(f"/api/members/{bea_id}", json=REINSTATE))
    assert (await manage(ana, ana_id, change)).is_success
    assert (await ana.get("/api/audit")).status_code in {401, 403} or change == {"role": "admin"}


async def test_two_owners_who_demote_each_other_at_once_do_not_both_succeed(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana, "owner")
    ids = [await my_id(ana), await my_id(bea)]

    answers = await asyncio.gather(
        bea.patch(f"/api/members/{ids[0]}", json={"role": "viewer"}),
        ana.patch(f"/api/members/{ids[1]}", json={"role": "viewer"}),
    )

    assert sorted(answer.is_success for answer in answers) == [False, True]


@pytest.mark.parametrize("change", [{"role": "viewer"}, SUSPEND, None])
async def test_admins_manage_those_below_them_and_nobody_else(
    door: AccountsDoor, change: dict[str, str] | None
) -> None:
    ana = await door.owner()
    admin = await door.member(ana, "admin", "admin@example.org")
    peer = await door.member(ana, "admin", "peer@example.org")
    member = await door.member(ana, "member", "member@example.org")

    for above in (ana, peer, admin):
        refused(await manage(admin, await my_id(above), change), 403, "role_too_high")
    promotion = await admin.patch(f"/api/members/{await my_id(member)}", json={"role": "admin"})
    refused(promotion, 403, "role_too_high")
    assert (await manage(admin, await my_id(member), change)).is_success


@pytest.mark.parametrize("role", ["member", "viewer"])
async def test_members_and_viewers_see_the_others_but_manage_nobody(door: AccountsDoor, role: str) -> None:
    ana = await door.owner()
    bea = await door.member(ana, role)

    assert len(ok(await bea.get("/api/members"))["items"]) == 2
    for change in (SUSPEND, None):
        refused(await manage(bea, await my_id(bea), change), 403, "not_allowed")
    refused(await bea.post("/api/invitations", json={}), 403, "not_allowed")
    for path in ("/api/invitations", "/api/audit", "/api/workspace"):
        refused(await bea.get(path), 403, "not_allowed")
    refused(await bea.patch("/api/workspace", json={"name": "Mine"}), 403, "not_allowed")
    refused(await bea.post("/api/workspaces", json={"name": "Mine"}), 403, "not_allowed")


async def test_a_viewer_looks_after_their_own_account(door: AccountsDoor) -> None:
    vic = await door.member(await door.owner(), "viewer")

    change = {"name": "Vic", "password": "another password", "current_password": PASSWORD}
    assert ok(await vic.patch("/api/me", json=change))["user"]["name"] == "Vic"
    token = ok(await vic.post("/api/tokens", json={"name": "script"}), 201)["token"]
    script = door.client(headers={"x-api-key": token})
    assert ok(await script.get("/api/me"))["role"] == "viewer"


async def test_what_was_done_is_on_record_page_by_page(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    ok(await ana.patch(f"/api/members/{await my_id(bea)}", json={"role": "viewer"}))

    entries, after = [], None
    while True:
        page = ok(await ana.get("/api/audit", params={"limit": 2} | ({"after": after} if after else {})))
        entries += page["items"]
        if not (after := page["next"]):
            break

    assert [one["action"] for one in entries] == [
        "member_changed",
        "signed_in",
        "invitation_accepted",
        "invitation_created",
        "signed_in",
        "server_set_up",
    ]
    assert entries[0]["actor_id"] == await my_id(ana)
    assert entries[0]["subject_id"] == await my_id(bea)
    assert entries[0]["detail"] == {"role": "viewer", "status": "active"}


async def test_members_are_listed_as_they_joined_although_the_clock_was_set_back(
    machine: Machine, door: AccountsDoor
) -> None:
    ana = await door.owner()
    await door.member(ana, email="bea@example.org")
    machine.ahead_ms = -10 * DAY_MS
    await door.member(ana, email="cal@example.org")

    listed = ok(await ana.get("/api/members"))["items"]
    assert [member["email"] for member in listed] == [
        "ana@example.org",
        "bea@example.org",
        "cal@example.org",
    ]


async def test_the_session_used_last_comes_first_although_the_clock_was_set_back(
    machine: Machine, door: AccountsDoor
) -> None:
    await door.owner()
    await door.sign_in("ana@example.org")
    machine.ahead_ms = -10 * DAY_MS
    third = await door.sign_in("ana@example.org")

    async def sessions() -> list[str]:
        return [session["id"] for session in ok(await third.get("/api/sessions"))["items"]]

    third_id, second_id, first_id = await sessions()
    assert third_id > second_id > first_id
    now = clock.now()
    await door.db.write(lambda tx: write_last_seen(tx, first_id, now, now + timedelta(days=1)), by=None)
    assert await sessions() == [first_id, third_id, second_id]


async def manage(by: httpx2.AsyncClient, user_id: str, change: dict[str, str] | None) -> httpx2.Response:
    """Change a member, or remove them when there is no change to make."""
    path = f"/api/members/{user_id}"
    return await (by.delete(path) if change is None else by.patch(path, json=change))
