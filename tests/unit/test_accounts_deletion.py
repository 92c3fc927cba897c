"""An account is deleted with all that is its own, by its person or by an admin."""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.accounts_door import PASSWORD, AccountsDoor, my_id, ok, open_door, quick_hashes, refused
from tests.faults.truth import check_integrity, tables_with

from tertulia.accounts import members, workspaces
from tertulia.accounts.deletion import ClosedAccount
from tertulia.conversations import service
from tertulia.conversations.account_data import delete_account_data
from tertulia.conversations.domain import Conversation
from tertulia.core import clock
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Tx
from tertulia.infra.db.errors import ReferenceBroken
from tertulia.infra.events import EventLog
from tertulia.models import connection_store
from tertulia.models.connection_store import ConnectionRow
from tertulia.models.connections import ConnectionKind
from tertulia.models.presets import Preset, PresetDraft, Presets, insert
from tertulia.projects import service as projects
from tertulia.tasks import service as tasks
from tertulia.tasks.domain import NewTask

PROOF = {"current_password": PASSWORD}


@pytest.fixture
async def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[AccountsDoor]:
    quick_hashes(monkeypatch)
    async with open_door(tmp_path) as door:
        yield door


async def principal_of(client: httpx2.AsyncClient) -> Principal:
    me = ok(await client.get("/api/me"))
    return Principal(me["user"]["id"], me["workspace"]["id"], Role(me["role"]))


async def say(door: AccountsDoor, by: Principal, title: str, **change: Any) -> str:
    """Have somebody make a conversation, and return its id."""
    log = EventLog(door.db)

    def write(tx: Tx) -> Conversation:
        made = service.create(tx, log=log, title=title)
        return service.change(tx, made.id, change, log=log) if change else made

    return (await door.db.write(write, by=by)).id


async def do_queued_deletion(door: AccountsDoor) -> None:
    """Do what the server's job queue does after an account was closed."""
    sql = "SELECT payload FROM jobs WHERE kind = 'account_data'"
    (payload,) = await door.db.read(lambda tx: tx.column(sql), by=None)
    closed = ClosedAccount(**json.loads(payload))
    await delete_account_data(closed, db=door.db, log=EventLog(door.db))


async def titles(door: AccountsDoor) -> set[str]:
    return set(await door.db.read(lambda tx: tx.column("SELECT title FROM conversations"), by=None))


async def topics(door: AccountsDoor) -> list[str]:
    return await door.db.read(lambda tx: tx.column("SELECT topic FROM topics"), by=None)


async def test_a_person_deletes_their_account_and_only_what_they_shared_stays(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana, email="kookaburra@example.org")
    for _ in range(2):
        await door.invite(ana, email="Kookaburra@example.org")
    me = await principal_of(bea)
    token = ok(await bea.post("/api/tokens", json={"name": "kookaburra"}), 201)["token"]
    script = door.client(headers={"authorization": f"Bearer {token}"})
    ok(await bea.patch("/api/me", json={"name": "Kookaburra"}))
    await say(door, me, "kookaburra alone")
    await say(door, me, "told to all", visibility="workspace")

    refused(
        await bea.post("/api/me/deletion", json={"current_password": "a wrong guess"}), 403, "wrong_password"
    )
    ok(await bea.get("/api/me"))
    assert ok(await bea.get("/api/me/deletion")) == {"deleted_workspaces": [], "workspaces_to_hand_over": []}
    ok(await bea.post("/api/me/deletion", json=PROOF), 204)
    for caller in (bea, script):
        assert (await caller.get("/api/me")).status_code == 401
    again = {"email": "kookaburra@example.org", "password": PASSWORD}
    refused(await door.client().post("/api/session", json=again), 401, "wrong_credentials")
    await do_queued_deletion(door)

    database = door.settings.data_dir / "tertulia.db"
    assert await titles(door) == {"told to all"}
    assert tables_with(database, "ookaburra") == {}
    assert not [topic for topic in await topics(door) if me.user_id in topic]
    assert [one["name"] for one in ok(await ana.get("/api/members"))["items"]] == ["Ana"]
    newest = ok(await ana.get("/api/audit"))["items"][0]
    assert (newest["action"], newest["subject_id"], newest["detail"]) == ("account_deleted", me.user_id, {})
    check_integrity(database)


async def test_an_address_is_free_again_once_its_account_is_deleted(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    ok(await bea.post("/api/me/deletion", json=PROOF), 204)
    again = await door.member(ana)
    assert ok(await again.get("/api/me"))["user"]["email"] == "bea@example.org"


async def test_the_last_owner_of_others_hands_over_first(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    plan = ok(await ana.get("/api/me/deletion"))
    assert [place["name"] for place in plan["workspaces_to_hand_over"]] == ["My workspace"]
    error = refused(await ana.post("/api/me/deletion", json=PROOF), 409, "hand_over_first")
    assert error["data"] == {"workspaces": ["My workspace"]}
    ok(await ana.get("/api/me"))

    ok(await ana.patch(f"/api/members/{await my_id(bea)}", json={"role": "owner"}))
    ok(await ana.post("/api/me/deletion", json=PROOF), 204)
    assert [one["role"] for one in ok(await bea.get("/api/members"))["items"]] == ["owner"]


async def test_a_workspace_with_nobody_else_goes_with_its_person(door: AccountsDoor) -> None:
    ana = await door.owner()
    me = await principal_of(ana)
    await say(door, me, "told to all", visibility="workspace")
    await Presets(door.db).add(PresetDraft(name="Mine", models=("scripted-fast",), merge_model=None), by=me)
    plan = ok(await ana.get("/api/me/deletion"))
    assert [place["name"] for place in plan["deleted_workspaces"]] == ["My workspace"]
    ok(await ana.post("/api/me/deletion", json=PROOF), 204)
    await do_queued_deletion(door)

    left = tables_with(door.settings.data_dir / "tertulia.db", me.workspace_id)
    assert set(left) <= {"audit", "jobs"}
    assert await titles(door) == set()
    assert ok(await door.client().get("/api/setup"))["needed"]


async def test_an_admin_deletes_only_accounts_that_they_manage_everywhere(door: AccountsDoor) -> None:
    ana = await door.owner()
    ada = await door.member(ana, role="admin", email="ada@example.org")
    bea = await door.member(ana)
    cy = await door.member(ana, email="cy@example.org")
    ana_id, bea_id, cy_id = await my_id(ana), await my_id(bea), await my_id(cy)

    def join_elsewhere(tx: Tx) -> None:
        place = workspaces.add(tx, "Elsewhere").id
        members.add(tx, workspace_id=place, user_id=cy_id, role=Role.MEMBER)

    await door.db.write(join_elsewhere, by=None)
    refused(await ada.delete(f"/api/members/{ana_id}/account"), 403, "role_too_high")
    refused(await ada.delete(f"/api/members/{cy_id}/account"), 403, "role_too_high")
    refused(await ana.delete(f"/api/members/{ana_id}/account"), 403, "not_allowed")
    refused(await bea.delete(f"/api/members/{cy_id}/account"), 403, "not_allowed")
    ok(await ada.delete(f"/api/members/{bea_id}/account"), 204)
    assert (await bea.get("/api/me")).status_code == 401
    ok(await cy.get("/api/me"))


async def add_server(door: AccountsDoor, slug: str, *, by: Principal, kind: ConnectionKind) -> None:
    """Give somebody a connection of their own."""
    made = clock.now()
    row = ConnectionRow(new_id("con"), by.user_id, kind, slug, "http://localhost", None, "", made, made)
    assert await door.db.write(lambda tx: connection_store.add(tx, row), by=by)


async def test_presets_stay_for_others_unless_they_name_a_server_of_ones_own(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    owner, me = await principal_of(ana), await principal_of(bea)
    compatible = ConnectionKind.COMPATIBLE
    for slug in ("my_house", "cabin"):
        await add_server(door, slug, by=me, kind=compatible)
    await add_server(door, "openai", by=me, kind=ConnectionKind.OPENAI)
    await add_server(door, "cabin", by=owner, kind=compatible)
    presets = Presets(door.db)
    tables = {
        "shared": (("openai/gpt", "myXhouse/a"), None),
        "others have it too": (("cabin/qwen",), None),
        "mine": (("openai/gpt", "my_house/qwen"), None),
        "merged by mine": (("openai/gpt",), "my_house/qwen"),
    }
    for name, (models, merge_model) in tables.items():
        await presets.add(PresetDraft(name=name, models=models, merge_model=merge_model), by=me)
    await presets.add(PresetDraft(name="of another", models=("my_house/qwen",), merge_model=None), by=owner)
    ok(await bea.post("/api/me/deletion", json=PROOF), 204)

    left = await presets.list_all(by=owner)
    assert [preset.name for preset in left] == ["of another", "others have it too", "shared"]


async def test_presets_go_too_when_their_server_was_removed_before_the_account(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    owner, me = await principal_of(ana), await principal_of(bea)
    presets = Presets(door.db)
    for slug in ("my_house", "cabin"):
        await add_server(door, slug, by=me, kind=ConnectionKind.COMPATIBLE)
    await presets.add(PresetDraft(name="mine", models=("openai/gpt", "my_house/qwen")), by=me)
    await presets.add(PresetDraft(name="others have it by now", models=("cabin/qwen",)), by=me)
    changed = await presets.add(PresetDraft(name="changed", models=("my_house/qwen",)), by=me)
    for row in await door.db.read(connection_store.list_visible, by=me):
        await door.db.write(lambda tx, id_=row.id: connection_store.remove(tx, id_), by=me)
    await presets.change(changed.id, {"models": ["openai/gpt"]}, by=me)
    await add_server(door, "cabin", by=owner, kind=ConnectionKind.COMPATIBLE)
    ok(await bea.post("/api/me/deletion", json=PROOF), 204)

    left = await presets.list_all(by=owner)
    assert [preset.name for preset in left] == ["changed", "others have it by now"]


@pytest.mark.both_engines
async def test_what_an_earlier_version_left_of_an_account_is_deleted_later(door: AccountsDoor) -> None:
    ana = await principal_of(await door.owner())
    add = """INSERT INTO reminder_preferences
        (workspace_id, user_id, channels, reminds_of_tasks, task_minute, changed_at)
        VALUES (:workspace, :me, '[]', 0, 0, 0)"""
    await door.db.write(lambda tx: tx.run(add), by=ana)
    await delete_account_data(ClosedAccount(ana.user_id, []), db=door.db, log=EventLog(door.db))
    left = "SELECT count(*) FROM reminder_preferences"
    assert await door.db.read(lambda tx: tx.value(left), by=None) == 0


@pytest.mark.both_engines
async def test_what_is_added_while_a_workspace_is_deleted_goes_with_it(door: AccountsDoor) -> None:
    ana = await door.owner()
    principal = await principal_of(ana)
    models = ("openai/gpt-5",)
    preset = Preset(new_id("pre"), "Last", models, None, principal.user_id, clock.now(), clock.now())
    waiting, may_end = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def add_slowly(tx: Tx) -> None:
        insert(tx, preset)
        loop.call_soon_threadsafe(waiting.set)
        assert may_end.wait(20)

    adding = asyncio.create_task(door.db.write(add_slowly, by=principal))
    await waiting.wait()
    deleting = asyncio.create_task(
        door.db.write(lambda tx: workspaces.delete_workspaces(tx, [principal.workspace_id]), by=None)
    )
    # Long enough for a deletion that does not wait for what is being added.
    await asyncio.wait([deleting], timeout=0.2)
    may_end.set()
    await asyncio.gather(adding, deleting)
    assert not await door.db.read(lambda tx: tx.value("SELECT count(*) FROM presets"), by=None)

    with pytest.raises(ReferenceBroken):
        await Presets(door.db).add(PresetDraft(name="Later", models=models), by=principal)


async def test_a_persons_own_tasks_go_with_them_and_those_of_projects_stay(door: AccountsDoor) -> None:
    ana = await door.owner()
    bea = await door.member(ana)
    me, log = await principal_of(bea), EventLog(door.db)

    def write(tx: Tx) -> None:
        project = projects.create(tx, "House", {}, log=log)
        for title, project_id in (("Own kookaburra", None), ("Shared", project.id)):
            tasks.create(tx, NewTask(title, project_id=project_id), log=log)

    await door.db.write(write, by=me)
    ok(await bea.post("/api/me/deletion", json=PROOF), 204)
    assert tables_with(door.settings.data_dir / "tertulia.db", "kookaburra") == {}
    assert await door.db.read(lambda tx: tx.column("SELECT title FROM tasks"), by=None) == ["Shared"]
