"""What was deleted is looked for in every byte of the data directory."""

import asyncio
import json
import os
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from tertulia.infra.db.sqlite.compaction import truncate_wal
from tests.databases import Engine, databases
from tests.faults.truth import check_integrity, tables_with
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import contents, indexed, until
from tests.world import Json, Person, World

pytestmark = pytest.mark.asyncio(loop_scope="session")

CANARY = "zyzzogeton"
#: What the index knows it by: words are stored by their stems.
STEM = b"zyzzoget"


def files_with_canary(data_dir: Path) -> dict[str, int]:
    """Return how often each file of the data directory has the canary in its bytes."""
    counts = {
        str(path.relative_to(data_dir)): content.lower().count(STEM) for path, content in read_files(data_dir)
    }
    return {name: count for name, count in counts.items() if count}


def read_files(data_dir: Path) -> Generator[tuple[Path, bytes]]:
    """Yield every file of the data directory but those that a server deletes meanwhile."""
    for folder, _, names in os.walk(data_dir):
        for path in (Path(folder, name) for name in names):
            if path.is_file():
                with suppress(FileNotFoundError):
                    yield path, path.read_bytes()


async def reclaim(world: World) -> dict[str, int]:
    """Let the server remove what was deleted, as it does by itself in time; return where it still is."""
    await until(lambda: blobs_deleted(world))
    if databases.engine is Engine.SQLITE:
        await world.server.parts.reclaimer.reclaim(may_compact=True)
        # Whoever reads just now keeps the log from being emptied: the server tries again later.
        await until(lambda: asyncio.to_thread(truncate_wal, world.settings.database))
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
    if databases.engine is Engine.SQLITE:
        assert (await world.server.parts.reclaimer.read_status()).is_clean
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


async def test_what_tools_quoted_of_deleted_files_and_conversations_is_in_no_byte_either(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    shelf = await Shelf.of(ada, "What stays")
    file = await shelf.write("voyage.md", f"The {CANARY} voyage begins in Antwerp.\n" * 20)
    await shelf.write("stays.md", "Pelicans sail on Thursday.")
    quoted = await talk_about_canary(ada, provider, project_id=shelf.project_id)
    await indexed(world, meanings=False)
    calls: list[tuple[str, Json]] = [
        ("read_project_file", {"path": "voyage.md"}),
        ("search_project", {"query": "voyage Antwerp", "filter": {"exclude_conversations": True}}),
        ("list_project_files", {}),
        ("search_project", {"query": "what does it sing"}),
        ("read_project_file", {"path": "stays.md"}),
    ]
    tools = [ScriptedCall(name=name, arguments=json.dumps(given)) for name, given in calls]
    provider.script("reader", Script(reply="Noted.", tool_calls=tools))
    turn = await ada.start("Look it up", models=["openai/reader"], project_id=shelf.project_id)
    reply = (await ada.finished(turn))["replies"][0]
    result_url = f"/api/replies/{reply['id']}/calls/{reply['tool_calls'][3]['id']}/result"
    assert CANARY in (await ada.get(result_url)).text
    assert (await ada.delete(f"{shelf.url}/{file['id']}")).status_code == 204
    assert (await ada.delete(f"/api/conversations/{quoted}")).status_code == 204

    assert set(tables_with(world.settings.database, CANARY)) <= {"chunk_words_data"}
    shown = (await ada.get(f"/api/conversations/{turn['conversation']['id']}")).json()
    results = {call["id"]: call["result"] for call in shown["rounds"][-1]["replies"][0]["tool_calls"]}
    erased = [results[call["id"]] for call in reply["tool_calls"]]
    assert erased[:4] == ["What this quoted was deleted."] * 4
    assert "Pelicans sail" in erased[4]
    assert await reclaim(world) == {}
    check_integrity(world.settings.database)


async def test_headings_of_a_deleted_file_are_in_no_reply_and_in_no_byte_either(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    shelf = await Shelf.of(ada, "What stays")
    # The anchor stands far below the heading, so that the passage has no other word of it.
    text = "# The {}\n\n" + "{} goes on and on. " * 400 + "\n\nThe vermilion anchor of {} lies here.\n"
    file = await shelf.write("voyage.md", text.replace("{}", CANARY, 1).replace("{}", "the sea"))
    await shelf.write("stays.md", text.replace("{}", "pelicans", 1).replace("{}", "a desert"))
    await indexed(world, meanings=False)
    provider.script("reader", Script(reply="It is [1]."))
    asked = {"models": ["openai/reader"], "project_id": shelf.project_id}
    turn = await ada.start("Where is the vermilion anchor?", **asked)
    [reply] = (await ada.finished(turn))["replies"]
    assert {f"The {CANARY}", "The pelicans"} <= {passage["heading"] for passage in reply["passages"]}
    assert (await ada.delete(f"{shelf.url}/{file['id']}")).status_code == 204

    async def passages() -> dict[str, set[str]]:
        shown = (await ada.get(f"/api/conversations/{turn['conversation']['id']}")).json()
        told: dict[str, set[str]] = {}
        for passage in shown["rounds"][-1]["replies"][0]["passages"]:
            told.setdefault(passage["path"], set()).add(passage["heading"])
        return told

    assert (await passages())["voyage.md"] == {""}, "its path stays known"
    assert "The pelicans" in (await passages())["stays.md"]
    assert set(tables_with(world.settings.database, CANARY)) <= {"chunk_words_data"}
    assert await reclaim(world) == {}
    check_integrity(world.settings.database)


async def test_a_deleted_account_leaves_no_byte_of_what_was_its_own(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    bob = await world.person(like=ada)
    server = {"kind": "openai-compatible", "slug": CANARY, "base_url": provider.openai_url, "key": "k"}
    assert (await bob.post("/api/connections", server | {"personal": True})).status_code == 201
    # Asked first: what is told of the canary later cannot be found for it, and be echoed in its reply.
    shared = await bob.start("Do pelicans sing?", models=["scripted-fast"])
    await bob.finished(shared)
    await bob.put(f"/api/conversations/{shared['conversation']['id']}", {"visibility": "workspace"})
    await talk_about_canary(bob, provider)
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
