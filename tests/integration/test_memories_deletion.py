"""A memory that was deleted comes back as it was within a short time, and is gone for good after it."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.accounts_door import ok
from tests.memory_world import contents, listed, open_memory_world, prompt_of, remember
from tests.scripted_provider import ScriptedProvider
from tests.search_world import hits, indexed, rows, until
from tests.world import Json, Person, World


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    async with open_memory_world(tmp_path, provider, monkeypatch) as opened:
        yield opened


async def delete(person: Person, memory: Json) -> str:
    return ok(await person.post(f"/api/memories/{memory['id']}/deletion"), 201)["id"]


async def bring_back(person: Person, deletion: str) -> None:
    ok(await person.post(f"/api/deletions/{deletion}/restore"), 204)


async def test_it_is_nowhere_at_once_and_comes_back_as_it_was(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    await remember(ada, "My boat is called Argo.")
    memory = await remember(ada, "My boat is called Nautilus.", pinned=True, category="boats")
    before = await listed(ada, "?status=active&status=superseded")
    await indexed(world)
    deletion = await delete(ada, memory)
    assert await contents(ada) == []
    assert (await ada.get(f"/api/memories/{memory['id']}")).status_code == 404
    assert await hits(ada, "boat called Nautilus") == []
    await ada.ask("What is my boat called?")
    assert "Nautilus" not in prompt_of(provider)
    await bring_back(ada, deletion)
    assert await listed(ada, "?status=active&status=superseded") == before
    await indexed(world)
    assert (await hits(ada, "boat called Nautilus"))[0]["source_id"] == memory["id"]


async def test_only_whoever_deleted_it_brings_it_back_and_only_once(ada: Person, world: World) -> None:
    bea = await world.person(like=ada, role="admin")
    deletion = await delete(ada, await remember(ada, "My boat is called Nautilus."))
    assert (await bea.post(f"/api/deletions/{deletion}/restore")).status_code == 404
    await bring_back(ada, deletion)
    assert (await ada.post(f"/api/deletions/{deletion}/restore")).status_code == 404


async def test_what_was_said_meanwhile_holds_when_it_comes_back(ada: Person) -> None:
    deletion = await delete(ada, await remember(ada, "My boat is called Nautilus."))
    await remember(ada, "My boat is called Argo.")
    await bring_back(ada, deletion)
    assert await contents(ada) == ["My boat is called Argo."]
    assert await contents(ada, "?status=superseded") == ["My boat is called Nautilus."]


async def test_after_a_while_no_trace_of_it_is_left(ada: Person, world: World) -> None:
    before = await rows(world)
    memory = await remember(ada, "My boat is called Nautilus.")
    ok(await ada.put(f"/api/memories/{memory['id']}", {"content": "My boat is called Nautilus II."}))
    await indexed(world)
    deletion = await delete(ada, memory)
    assert await contents(ada, "?status=superseded") == []
    await world.db.write(lambda tx: tx.run("UPDATE jobs SET run_at = 0"), by=None)

    async def is_gone() -> bool:
        return not await world.db.read(lambda tx: tx.value("SELECT count(*) FROM memories"), by=None)

    await until(is_gone)
    assert (await ada.post(f"/api/deletions/{deletion}/restore")).status_code == 404
    assert await rows(world) == before


async def test_what_it_had_taken_the_place_of_can_be_restored_by_its_person(ada: Person) -> None:
    old = await remember(ada, "My boat is called Argo.")
    new = await remember(ada, "My boat is called Nautilus.")
    ok(await ada.delete(f"/api/memories/{new['id']}"), 204)
    assert await contents(ada, "?status=archived") == ["My boat is called Argo."]
    ok(await ada.put(f"/api/memories/{old['id']}", {"archived": False}))
    assert await contents(ada) == ["My boat is called Argo."]
