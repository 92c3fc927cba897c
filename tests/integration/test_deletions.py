"""What is deleted with an undo: gone for everybody at once, back when asked in time, else gone for good."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.files_world import Shelf
from tests.long_talk import Spoken
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.world import Json, Person, World
from tests.written_rounds import write_rounds

from tertulia.infra.courier.news import JobsQueued
from tertulia.infra.db import Tx
from tertulia.live.member_topics import member_topic

pytestmark = pytest.mark.both_engines

WORDS = "The canary sings at midnight"


async def delete_conversation(person: Person, conversation_id: str) -> Json:
    answer = await person.post(f"/api/conversations/{conversation_id}/deletion")
    assert answer.status_code == 201, answer.text
    return answer.json()


async def delete_files(shelf: Shelf, **which: list[str]) -> Json:
    answer = await shelf.person.post(f"{shelf.url}/deletion", which)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def restore(person: Person, deletion: Json) -> int:
    return (await person.post(f"/api/deletions/{deletion['id']}/restore")).status_code


async def make_final(world: World) -> None:
    """Let the time for restoring be over, and wait until all that was deleted is erased."""

    def make_due(tx: Tx) -> None:
        tx.run("UPDATE jobs SET run_at = 0 WHERE kind = 'deletion'")
        tx.run("UPDATE pending_deletions SET restore_until_uptime = 0")

    await world.db.write(make_due, by=None)
    world.server.parts.services.courier.publish(JobsQueued())
    await become_empty(world, "pending_deletions")


async def become_empty(world: World, table: str, where: str = "1 = 1") -> None:
    """Wait until no row is left that meets a condition."""
    for _ in range(1_000):
        if not await count(world, table, where):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"there are still {table}")


async def count(world: World, table: str, where: str = "1 = 1") -> int:
    sql = f"SELECT count(*) FROM {table} WHERE {where}"
    return await world.db.read(lambda tx: int(tx.value(sql)), by=None)


async def indexed(world: World) -> None:
    """Wait until everything that can be found is found."""
    await become_empty(world, "sources", "state = 'waiting'")


async def found(person: Person, query: str) -> list[str]:
    answer = (await person.post("/api/search/global", {"query": query})).json()
    return [hit["content"] for hit in answer["hits"]]


@pytest.fixture
async def conversation(ada: Person, world: World) -> str:
    """A conversation of Ada's that every member sees."""
    round_ = await ada.ask(WORDS)
    conversation_id = round_["conversation_id"]
    await ada.put(f"/api/conversations/{conversation_id}", {"visibility": "workspace", "title": WORDS})
    await indexed(world)
    return conversation_id


async def doors_of(person: Person, conversation_id: str, reply_id: str) -> dict[str, Any]:
    """Return what each way to a conversation shows a person."""
    listed = (await person.get("/api/conversations")).json()["conversations"]
    titled = (await person.get("/api/conversations", params={"search": "canary"})).json()["conversations"]
    statuses = {
        "open": await person.get(f"/api/conversations/{conversation_id}"),
        "messages": await person.get(f"/api/conversations/{conversation_id}/messages"),
        "events": await person.get(f"/api/conversations/{conversation_id}/events"),
        "export": await person.post(f"/api/conversations/{conversation_id}/export"),
        "receipt": await person.get(f"/api/replies/{reply_id}/receipt"),
        "rename": await person.put(f"/api/conversations/{conversation_id}/title", {"title": "x"}),
        "ask": await person.post(f"/api/conversations/{conversation_id}/rounds", {"message": "More"}),
        "delete": await person.delete(f"/api/conversations/{conversation_id}"),
        "delete again": await person.post(f"/api/conversations/{conversation_id}/deletion"),
    }
    return {
        "listed": [one["id"] for one in listed],
        "titled": [one["id"] for one in titled],
        "found": await found(person, "canary midnight"),
        **{door: answer.status_code for door, answer in statuses.items()},
    }


async def test_a_deleted_conversation_is_behind_no_door_for_anybody(
    ada: Person, world: World, conversation: str
) -> None:
    reply_id = (await ada.get(f"/api/conversations/{conversation}")).json()["rounds"][0]["replies"][0]["id"]
    member = await world.person(like=ada)
    assert await found(member, "canary midnight")

    await delete_conversation(ada, conversation)

    for person in (ada, member):
        seen = await doors_of(person, conversation, reply_id)
        assert {door: shown for door, shown in seen.items() if shown not in ([], 404)} == {}
    assert await count(world, "sources", f"conversation_id = '{conversation}'") == 0


async def test_what_is_restored_in_time_is_as_it_was(ada: Person, world: World, conversation: str) -> None:
    before = (await ada.get(f"/api/conversations/{conversation}")).json()
    deletion = await delete_conversation(ada, conversation)

    assert await restore(ada, deletion) == 204

    after = (await ada.get(f"/api/conversations/{conversation}")).json()
    assert (after["conversation"], after["rounds"]) == (before["conversation"], before["rounds"])
    await indexed(world)
    assert await found(ada, "canary midnight")
    assert await count(world, "jobs", "kind = 'deletion'") == 0


async def test_after_its_time_a_deletion_is_final(ada: Person, world: World, conversation: str) -> None:
    deletion = await delete_conversation(ada, conversation)
    await make_final(world)

    assert await restore(ada, deletion) == 404
    for table in ("conversations", "messages", "replies"):
        assert await count(world, table) == 0, table


async def test_only_the_person_who_deleted_can_restore(ada: Person, world: World, conversation: str) -> None:
    deletion = await delete_conversation(ada, conversation)
    assert await restore(await world.person(like=ada), deletion) == 404
    assert await restore(await world.person(), deletion) == 404
    assert await restore(ada, deletion) == 204
    assert await restore(ada, deletion) == 404


async def test_a_deletion_outlives_the_server(tmp_path: Path, provider: ScriptedProvider) -> None:
    async with World.open(tmp_path, provider=provider) as world:
        ada = await world.person(role="owner")
        conversation_id = (await ada.ask(WORDS))["conversation_id"]
        await delete_conversation(ada, conversation_id)
        # Not even a job that was given up keeps it.
        await world.db.write(lambda tx: tx.run("UPDATE jobs SET failed_at = 1"), by=None)
    async with World.open(tmp_path, provider=provider) as world:
        await make_final(world)
        assert await count(world, "conversations") == 0


async def test_a_reply_under_way_is_stopped_and_keeps_what_it_said(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="One two three " * 200, tokens_per_second=20))
    turn = await ada.start("Speak on")
    await ada.wait_for(turn, "reply.text")

    deletion = await delete_conversation(ada, turn["conversation"]["id"])
    await become_empty(world, "runs")
    assert await count(world, "sources") == 0
    assert await restore(ada, deletion) == 204

    [reply] = (await ada.round(turn["conversation"]["id"], turn["round"]["id"]))["replies"]
    assert reply["status"] == "stopped"
    assert reply["content"].startswith("One")


async def test_the_feed_tells_of_a_deletion_and_of_its_undoing(
    ada: Person, world: World, conversation: str
) -> None:
    deletion = await delete_conversation(ada, conversation)
    await restore(ada, deletion)
    feed = member_topic(ada.principal.workspace_id, ada.principal.user_id)
    sql = "SELECT body FROM events WHERE topic = :topic ORDER BY seq"
    told = await world.db.read(lambda tx: tx.column(sql, topic=feed), by=None)
    assert [json.loads(body)["type"] for body in told[-2:]] == [
        "conversation.deleted",
        "conversation.changed",
    ]


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    shelf = await Shelf.of(ada)
    for path in ("docs/a.md", "docs/deep/b.md", "c.md"):
        await shelf.write(path, f"{WORDS}: {path}")
    return shelf


async def test_deleted_files_are_nowhere_and_come_back_as_they_were(world: World, shelf: Shelf) -> None:
    file_id = (await shelf.page())["files"][0]["id"]
    await shelf.replace(file_id, "second version")
    before = await shelf.page()
    versions = (await shelf.person.get(f"{shelf.url}/{file_id}/versions")).json()
    await indexed(world)

    deletion = await delete_files(shelf, file_ids=[file_id], folders=["docs"])
    assert await shelf.paths() == []
    assert (await shelf.person.get(f"{shelf.url}/{file_id}")).status_code == 404
    assert await found(shelf.person, "canary midnight") == []

    assert await restore(shelf.person, deletion) == 204
    assert await shelf.page() == before
    assert (await shelf.person.get(f"{shelf.url}/{file_id}/versions")).json() == versions
    assert (await shelf.read(file_id))["content"] == "second version"
    await indexed(world)
    assert await found(shelf.person, "canary midnight")


async def test_files_that_are_not_restored_leave_no_bytes(world: World, shelf: Shelf, tmp_path: Path) -> None:
    await shelf.send(("large.txt", b"x" * 1_500_000))
    await delete_files(shelf, folders=["docs"], file_ids=[one["id"] for one in (await shelf.page())["files"]])
    assert await count(world, "contents") == 4
    await make_final(world)

    for table in ("files", "file_versions", "contents", "held_rows", "held_contents"):
        assert await count(world, table) == 0, table
    await become_empty(world, "unused_blobs")
    assert [path for path in (tmp_path / "data" / "blobs").rglob("*") if path.is_file()] == []


async def test_files_are_not_restored_over_new_ones(shelf: Shelf) -> None:
    deletion = await delete_files(shelf, folders=["docs"])
    await shelf.write("docs/a.md", "Something new")

    answer = await shelf.person.post(f"/api/deletions/{deletion['id']}/restore")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "path_taken")
    assert await shelf.paths() == ["c.md", "docs/a.md"]


async def test_restoring_passes_over_what_refers_to_something_deleted_meanwhile(
    ada: Person, world: World, shelf: Shelf
) -> None:
    file = await shelf.write("spoken.md", WORDS, always_in_context=True)
    round_ = await ada.ask("What does it say?", project_id=shelf.project_id)
    assert await count(world, "receipt_texts", f"file_id = '{file['id']}'")

    deletion = await delete_files(shelf, file_ids=[file["id"]])
    await ada.delete(f"/api/conversations/{round_['conversation_id']}")
    assert await restore(ada, deletion) == 204
    assert (await shelf.read(file["id"]))["content"] == WORDS
    assert await count(world, "receipt_texts") == 0


async def test_a_receipt_shows_again_what_a_restored_file_said(
    ada: Person, world: World, shelf: Shelf
) -> None:
    file = await shelf.write("spoken.md", WORDS, always_in_context=True)
    await ada.ask("What does it say?", project_id=shelf.project_id)
    kept = await count(world, "receipt_texts", f"file_id = '{file['id']}'")
    deletion = await delete_files(shelf, file_ids=[file["id"]])
    await restore(ada, deletion)
    assert await count(world, "receipt_texts", f"file_id = '{file['id']}'") == kept > 0


async def test_what_a_tool_read_comes_back_with_its_file_and_is_erased_with_it(
    ada: Person, world: World, shelf: Shelf, provider: ScriptedProvider
) -> None:
    file = await shelf.write("spoken.md", WORDS)
    read = ScriptedCall(name="read_project_file", arguments='{"path": "spoken.md"}')
    provider.script("scripted-fast", Script(reply="Read.", tool_calls=[read]))
    reply = (await ada.ask("Read it", project_id=shelf.project_id))["replies"][0]
    result_url = f"/api/replies/{reply['id']}/calls/{reply['tool_calls'][0]['id']}/result"

    assert await restore(ada, await delete_files(shelf, file_ids=[file["id"]])) == 204
    assert WORDS in (await ada.get(result_url)).text
    await delete_files(shelf, file_ids=[file["id"]])
    await make_final(world)
    assert (await ada.get(result_url)).text == "What this quoted was deleted."


async def test_nothing_is_deleted_where_nothing_is_named(shelf: Shelf) -> None:
    for which in ({"file_ids": ["fil_none"]}, {"folders": ["nowhere"]}):
        assert (await shelf.person.post(f"{shelf.url}/deletion", which)).status_code == 404
    assert (await shelf.person.post(f"{shelf.url}/deletion", {})).status_code == 422
    assert len(await shelf.paths()) == 3


async def test_too_late_is_told_from_the_clock_and_not_from_the_job(
    ada: Person, world: World, conversation: str
) -> None:
    deletion = await delete_conversation(ada, conversation)
    await world.db.write(lambda tx: tx.run("UPDATE pending_deletions SET restore_until_uptime = 0"), by=None)
    assert await restore(ada, deletion) == 404
    assert (await ada.get(f"/api/conversations/{conversation}")).status_code == 404


@pytest.mark.parametrize("whole", ["conversation", "project"])
async def test_a_conversation_of_any_length_can_be_deleted(world: World, ada: Person, whole: str) -> None:
    project = (await ada.post("/api/projects", {"name": "Long"})).json()["id"]
    made = await ada.post("/api/conversations", {"project_id": project})
    conversation: str = made.json()["id"]
    await write_rounds(world.db, ada, conversation, [Spoken("Hello", "Hello")] * 1_100)

    path = f"/api/projects/{project}" if whole == "project" else f"/api/conversations/{conversation}"
    deleted = await ada.delete(path)

    assert deleted.status_code == 204, deleted.text
    sql = "SELECT count(*) FROM rounds WHERE conversation_id = :id"
    assert await world.db.read(lambda tx: tx.value(sql, id=conversation), by=None) == 0
