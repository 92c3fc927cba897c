"""Several workspaces on one server, and what each decides."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.accounts_door import PASSWORD, AccountsDoor, my_id, ok, open_door, quick_hashes, refused

from tertulia.accounts import workspaces
from tertulia.accounts.domain import WorkspaceSettings
from tertulia.accounts.errors import EmailInvalid, EmailTaken, FirstMustOwn, PasswordUnfit, WorkspaceUnclear
from tertulia.accounts.users import create_owner, create_user
from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database


@pytest.fixture
async def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[AccountsDoor]:
    quick_hashes(monkeypatch)
    async with open_door(tmp_path) as door:
        yield door


async def test_an_owner_makes_another_workspace_and_goes_there_and_back(door: AccountsDoor) -> None:
    ana = await door.owner()
    home = ok(await ana.get("/api/me"))["workspace"]["id"]
    made = ok(await ana.post("/api/workspaces", json={"name": "Second"}), 201)
    assert [one["name"] for one in ok(await ana.get("/api/workspaces"))["items"]] == [
        "My workspace",
        "Second",
    ]

    there = ok(await ana.post("/api/session/workspace", json={"workspace_id": made["id"]}))
    assert (there["workspace"]["id"], there["role"]) == (made["id"], "owner")
    assert ok(await ana.get("/api/me")) == there

    back = ok(await ana.post("/api/session/workspace", json={"workspace_id": home}))
    assert back["workspace"]["id"] == home


async def test_nobody_goes_where_they_do_not_belong(door: AccountsDoor) -> None:
    ana = await door.owner()
    second = ok(await ana.post("/api/workspaces", json={"name": "Second"}), 201)["id"]
    bea = await door.member(ana)

    for place in (second, "wsp_nowhere"):
        answer = await bea.post("/api/session/workspace", json={"workspace_id": place})
        refused(answer, 404, "not_found")


async def test_an_api_token_stays_in_its_workspace(door: AccountsDoor) -> None:
    ana = await door.owner()
    second = ok(await ana.post("/api/workspaces", json={"name": "Second"}), 201)["id"]
    token = ok(await ana.post("/api/tokens", json={"name": "script"}), 201)["token"]
    script = door.client(headers={"x-api-key": token})

    answer = await script.post("/api/session/workspace", json={"workspace_id": second})
    refused(answer, 422, "not_a_session")
    refused(await script.delete("/api/session"), 422, "not_a_session")
    ok(await ana.post("/api/session/workspace", json={"workspace_id": second}))
    assert ok(await script.get("/api/me"))["workspace"]["name"] == "My workspace"
    assert ok(await ana.get("/api/tokens"))["items"] == []


async def test_what_belongs_to_another_workspace_is_not_there(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    invitation = ok(await ana.post("/api/invitations", json={}), 201)["id"]
    token = ok(await ana.post("/api/tokens", json={"name": "script"}), 201)["id"]
    second = ok(await ana.post("/api/workspaces", json={"name": "Second"}), 201)["id"]
    ok(await ana.post("/api/session/workspace", json={"workspace_id": second}))

    member = f"/api/members/{await my_id(bea)}"
    for answer in (
        await ana.patch(member, json={"role": "viewer"}),
        await ana.delete(member),
        await ana.post(f"{member}/reset-link"),
        await ana.delete(f"/api/invitations/{invitation}"),
        await ana.delete(f"/api/tokens/{token}"),
    ):
        refused(answer, 404, "not_found")
    assert ok(await ana.get("/api/invitations"))["items"] == []
    assert len(ok(await ana.get("/api/members"))["items"]) == 1
    assert {one["action"] for one in ok(await ana.get("/api/audit"))["items"]} == {"workspace_created"}
    ok(await bea.get("/api/me"))


async def test_settings_change_one_by_one_and_others_read_them_in_their_own_transactions(
    door: AccountsDoor,
) -> None:
    ana = await door.owner()
    me = ok(await ana.get("/api/me"))
    principal = Principal(me["user"]["id"], me["workspace"]["id"], Role.OWNER)

    ok(await ana.patch("/api/workspace", json={"settings": {"monthly_limit_usd": 20, "lanes_per_person": 4}}))
    ok(await ana.patch("/api/workspace", json={"settings": {"default_models": ["a/b", "c"]}}))
    ok(await ana.patch("/api/workspace", json={"name": "Lab", "settings": {"lanes_per_person": None}}))

    assert await door.db.read(workspaces.get_settings, by=principal) == WorkspaceSettings(
        monthly_limit_usd=20, default_models=["a/b", "c"]
    )
    shown = ok(await ana.get("/api/workspace"))
    assert (shown["name"], shown["settings"]["monthly_limit_usd"]) == ("Lab", 20)
    assert ok(await ana.get("/api/me"))["workspace"]["default_models"] == ["a/b", "c"]


@pytest.mark.parametrize(
    "settings",
    [
        {"monthly_limit_usd": -1},
        {"monthly_limit_usd": 1e300},
        {"lanes_per_person": 0},
        {"lanes_per_workspace": 1.5},
        {"utility_model": ""},
        {"default_models": None},
        {"default_models": ["m"] * 1_001},
        {"surprise": 1},
    ],
)
async def test_a_setting_that_makes_no_sense_is_refused(
    door: AccountsDoor, settings: dict[str, object]
) -> None:
    ana = await door.owner()

    refused(await ana.patch("/api/workspace", json={"settings": settings}), 422, "invalid_request")


async def test_the_command_line_makes_the_first_workspace_and_fills_it(door: AccountsDoor) -> None:
    with pytest.raises(FirstMustOwn):
        await create_user(door.db, email="bea@example.org", password=PASSWORD)
    await create_owner(door.db, email="Ana@example.org", password=PASSWORD, name="Ana")
    await create_user(door.db, email="bea@example.org", password=PASSWORD, role=Role.VIEWER)

    ana = await door.sign_in("ana@example.org")

    members = ok(await ana.get("/api/members"))["items"]
    assert [(one["name"], one["role"]) for one in members] == [("Ana", "owner"), ("bea", "viewer")]
    assert ok(await ana.get("/api/me"))["workspace"]["name"] == "My workspace"


async def test_the_command_line_says_what_is_wrong(door: AccountsDoor) -> None:
    ana = await door.owner()
    second = ok(await ana.post("/api/workspaces", json={"name": "Second"}), 201)["id"]
    db = door.db

    for error, email, password, workspace in (
        (EmailTaken, "ANA@example.org", PASSWORD, second),
        (WorkspaceUnclear, "bea@example.org", PASSWORD, None),
        (NotFound, "bea@example.org", PASSWORD, "wsp_nowhere"),
        (EmailInvalid, "bea", PASSWORD, None),
        (PasswordUnfit, "bea@example.org", "short", None),
    ):
        with pytest.raises(error):
            await create_user(db, email=email, password=password, workspace_id=workspace)
    await create_user(db, email="bea@example.org", password=PASSWORD, workspace_id=second)
    assert await people_in(db) == 2


async def people_in(db: Database) -> int:
    return await db.read(lambda tx: tx.value("SELECT count(*) FROM users"), by=None)
