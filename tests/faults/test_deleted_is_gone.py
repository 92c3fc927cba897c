"""What was deleted is looked for in every byte of the data directory."""

import asyncio
from pathlib import Path

import pytest

from tests.faults.truth import check_integrity, tables_with
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import contents, indexed, until
from tests.world import Person, World

pytestmark = pytest.mark.asyncio(loop_scope="session")

CANARY = "zyzzogeton"
#: What the index knows it by: words are stored by their stems.
STEM = b"zyzzoget"


def files_with_canary(data_dir: Path) -> dict[str, int]:
    """Return how often each file of the data directory has the canary in its bytes."""
    counts = {
        str(path.relative_to(data_dir)): path.read_bytes().lower().count(STEM)
        for path in data_dir.rglob("*")
        if path.is_file()
    }
    return {name: count for name, count in counts.items() if count}


async def reclaim(world: World) -> dict[str, int]:
    """Let the server remove what was deleted, as it does by itself in time; return where it still is."""
    await until(lambda: blobs_deleted(world))
    await world.server.parts.reclaimer.reclaim(may_compact=True)
    return files_with_canary(world.settings.data_dir)


async def blobs_deleted(world: World) -> bool:
    return not await world.db.read(lambda tx: tx.value("SELECT count(*) FROM unused_blobs"), by=None)


async def talk_about_canary(ada: Person, provider: ScriptedProvider, **more: str) -> str:
    """Return a conversation that names the canary in every place that people write to."""
    provider.script("parrot", Script(reply=f"The {CANARY} sings. " * 40))
    turn = await ada.start(f"What does the {CANARY} sing?", models=["openai/parrot"], **more)
    await ada.finished(turn)
    conversation_id = turn["conversation"]["id"]
    change = {"title": f"On the {CANARY}", "instructions": f"Speak of the {CANARY}."}
    assert (await ada.put(f"/api/conversations/{conversation_id}", change)).status_code == 200
    return conversation_id


async def test_a_deleted_conversation_is_in_no_byte_of_the_data_directory(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    await ada.ask("Something that stays: pelicans")
    conversation_id = await talk_about_canary(ada, provider)
    await ada.post("/api/context/preview", {"message": f"And the {CANARY}?", "models": ["openai/parrot"]})
    await indexed(world, meanings=False)
    assert await contents(ada, CANARY)
    assert (await ada.delete(f"/api/conversations/{conversation_id}")).status_code == 204

    assert set(tables_with(world.settings.database, CANARY)) <= {"chunk_words_data"}
    assert await reclaim(world) == {}
    assert (await world.server.parts.reclaimer.remaining()).is_nothing
    assert any("pelicans" in text for text in await contents(ada, "pelicans"))
    check_integrity(world.settings.database)


async def test_deleted_files_and_projects_are_in_no_byte_of_the_data_directory(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    shelf, other = await Shelf.of(ada, f"The {CANARY} project"), await Shelf.of(ada, "What stays")
    await talk_about_canary(ada, provider, project_id=shelf.project_id)
    await shelf.write("small.md", f"# A {CANARY}\n" * 50)
    gone = await other.write(f"{CANARY}.md", f"Once there was a {CANARY}. " * 2_000)
    changed = await other.write("stays.md", f"A {CANARY} that was written over.")
    await shelf.send(("large.txt", f"The {CANARY} flies.\n".encode() * 60_000))
    await indexed(world, meanings=False)
    await asyncio.gather(*(other.write(f"more/{number}.md", f"Pelican {number}") for number in range(20)))
    await other.replace(changed["id"], "Nothing but pelicans.")
    await indexed(world, meanings=False)
    assert (await ada.delete(f"{other.url}/{changed['id']}")).status_code in (200, 204)
    assert (await ada.delete(f"{other.url}/{gone['id']}")).status_code in (200, 204)
    assert (await ada.delete(f"/api/projects/{shelf.project_id}")).status_code in (200, 204)

    assert set(tables_with(world.settings.database, CANARY)) <= {"chunk_words_data"}
    assert await reclaim(world) == {}
    assert await contents(ada, "pelican", other.project_id)
    check_integrity(world.settings.database)


async def test_a_deleted_account_leaves_no_byte_of_what_was_its_own(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    bob = await world.person(like=ada)
    server = {"kind": "openai-compatible", "slug": CANARY, "base_url": provider.openai_url, "key": "k"}
    assert (await bob.post("/api/connections", server | {"personal": True})).status_code == 201
    await talk_about_canary(bob, provider)
    shared = await bob.start("Do pelicans sing?", models=["scripted-fast"])
    await bob.finished(shared)
    await bob.put(f"/api/conversations/{shared['conversation']['id']}", {"visibility": "workspace"})
    await indexed(world, meanings=False)
    assert (await ada.delete(f"/api/members/{bob.principal.user_id}/account")).status_code == 204
    assert (await bob.get("/api/me")).status_code == 401

    async def is_deleted() -> bool:
        sql = "SELECT count(*) FROM jobs WHERE kind = 'account_data'"
        return not await world.db.read(lambda tx: tx.value(sql), by=None)

    await until(is_deleted)
    assert set(tables_with(world.settings.database, CANARY)) <= {"chunk_words_data"}
    assert await reclaim(world) == {}
    assert (await ada.get(f"/api/conversations/{shared['conversation']['id']}")).status_code == 200
    check_integrity(world.settings.database)
