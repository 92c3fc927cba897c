"""A temporary conversation is neither remembered, exported nor found from elsewhere, and gone after a day."""

from collections.abc import AsyncGenerator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.accounts_door import ok
from tests.memory_world import open_memory_world, prompt_of, remember
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import contents, hits, indexed, rows, until
from tests.world import Json, Person, World

from tertulia.conversations import expiry, service

#: Lists of conversations show it, marked as temporary, and figures of search keep its person's own questions.
DOORS_THAT_SHOW_IT = {
    "/api/conversations",
    "/api/conversations/current",
    "/api/memory/metrics",
    "/api/projects/{project_id}/conversations",
}
SECRET = "I love my walrus Nautilus, who eats forty clams at the harbour."
QUESTION = "How many clams does the walrus at the harbour eat?"


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    async with open_memory_world(tmp_path, provider, monkeypatch) as opened:
        yield opened


async def tell_secret(person: Person) -> str:
    """Say something in a temporary conversation, and return that."""
    turn = await person.start(SECRET, temporary=True)
    await person.finished(turn)
    return turn["conversation"]["id"]


async def opened(person: Person, conversation: str) -> Json:
    return ok(await person.get(f"/api/conversations/{conversation}"))["conversation"]


def read_time(text: str) -> datetime:
    return datetime.fromisoformat(text)


async def test_it_says_that_it_is_temporary_and_until_when(ada: Person) -> None:
    made = ok(await ada.post("/api/conversations", {"temporary": True}), 201)
    begun = (await ada.start("Hello", temporary=True))["conversation"]
    for conversation in (made, begun):
        assert conversation["temporary"]
        lifetime = read_time(conversation["expires_at"]) - read_time(conversation["created_at"])
        assert abs(lifetime - timedelta(days=1)) < timedelta(seconds=1)
    listed = ok(await ada.get("/api/conversations"))["conversations"]
    assert [conversation["temporary"] for conversation in listed] == [True, True]
    lasting = (await ada.start("Hello"))["conversation"]
    assert not lasting["temporary"]
    assert lasting["expires_at"] is None


async def test_it_is_found_only_from_within(ada: Person, world: World, provider: ScriptedProvider) -> None:
    conversation = await tell_secret(ada)
    await indexed(world)
    assert await contents(ada, "walrus Nautilus clams harbour") == []
    assert await hits(ada, "wallrus Nautilus") == []
    assert ok(await ada.get("/api/conversations?search=walrus"))["conversations"] == []
    await ada.ask(QUESTION)
    assert "forty" not in prompt_of(provider)
    within = await contents(ada, "walrus Nautilus clams harbour", conversation_id=conversation)
    assert within[0] == SECRET


async def call_tool(person: Person, name: str, **arguments: str) -> Json:
    """Call a tool at the door for programs, and return what came of it."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    params = {"name": name, "arguments": arguments}
    return ok(await person.post("/mcp", request | {"params": params}))["result"]


async def test_programs_can_neither_list_nor_read_it(ada: Person) -> None:
    conversation = await tell_secret(ada)
    project = (await opened(ada, conversation))["project_id"]
    assert "walrus" not in str(await call_tool(ada, "list_conversations", project_id=project))
    refused = await call_tool(ada, "read_conversation", conversation_id=conversation)
    assert refused["isError"]
    assert "walrus" not in str(refused)
    ok(await ada.put(f"/api/conversations/{conversation}", {"temporary": False}))
    assert "walrus" in str(await call_tool(ada, "list_conversations", project_id=project))
    assert "walrus" in str(await call_tool(ada, "read_conversation", conversation_id=conversation))


async def test_no_door_shows_anything_of_it_but_lists_of_conversations(ada: Person, world: World) -> None:
    conversation = await tell_secret(ada)
    project = (await opened(ada, conversation))["project_id"]
    await indexed(world)
    described = ok(await ada.get("/openapi.json"))["paths"]
    doors = [path for path, verbs in described.items() if "get" in verbs and is_door(path)]
    assert len(doors) > 30
    known = {
        "q": "walrus",
        "query": "walrus",
        "path": "walrus.md",
        "start": "2026-01-01",
        "end": "2026-12-31",
    }
    telling = set[str]()
    for path in doors:
        named = [parameter["name"] for parameter in described[path]["get"].get("parameters", [])]
        asked = {name: known[name] for name in named if name in known}
        answer = await ada.client.get(path.format(project_id=project), params=asked)
        if "clams" in answer.text or "Nautilus" in answer.text:
            telling.add(path)
    assert telling <= DOORS_THAT_SHOW_IT


def is_door(path: str) -> bool:
    """Tell whether a path can be asked without naming anything but a project, and ends its answer."""
    return path != "/api/events" and "{" not in path.replace("{project_id}", "")


async def test_what_it_takes_back_is_told_nowhere_else(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    await ada.ask("We store the walrus diary in PostgreSQL at the harbour.")
    await ada.ask("Scrap PostgreSQL for the walrus diary, we go back to SQLite.", temporary=True)
    await indexed(world)
    await ada.ask("Where do we store the walrus diary at the harbour?")
    assert "PostgreSQL" in prompt_of(provider)
    assert "SQLite" not in prompt_of(provider)


async def test_nothing_of_it_is_remembered(ada: Person, world: World) -> None:
    ok(await ada.put("/api/memories/preferences", {"in_background": True}))
    conversation = await tell_secret(ada)
    refused = await ada.post("/api/memories/extract", {"conversation_id": conversation})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conversation_temporary")
    message = ok(await ada.get(f"/api/conversations/{conversation}/messages"))["messages"][0]
    evidence = {"message_id": message["id"], "quote": SECRET}
    by_hand = await ada.post("/api/memories", {"type": "fact", "content": "A walrus", "evidence": evidence})
    assert by_hand.status_code == 422
    assert ok(await ada.get("/api/memories?status=proposed"))["memories"] == []
    queued = "SELECT count(*) FROM jobs WHERE kind = 'memories'"
    assert not await world.db.read(lambda tx: tx.value(queued), by=None)


async def test_models_are_told_neither_profile_nor_memories(ada: Person, provider: ScriptedProvider) -> None:
    ok(await ada.put("/api/memory/consent", {"consented": True}))
    ok(await ada.put("/api/memory/profile", {"freeform_notes": "Breeds otters"}))
    await remember(ada, "Lives in Porto", pinned=True)
    provider.script("scripted-smart", Script(reply="So be it."))
    project = ok(await ada.post("/api/projects", {"name": "Boat"}), 201)["id"]
    personal = ("Porto", "otters", "search_memory", "'remember'")
    for temporary in (False, True):
        told = {"models": ["scripted-smart"], "project_id": project, "temporary": temporary}
        await ada.ask("Hello", **told)
        prompt = prompt_of(provider, "scripted-smart")
        assert [words in prompt for words in personal] == [not temporary] * len(personal)
        estimate = str(ok(await ada.post("/api/context/preview", {"message": "Hello", **told})))
        assert ("'memory:" in estimate) is not temporary


async def test_it_is_not_exported(ada: Person) -> None:
    conversation = await tell_secret(ada)
    for form in ("json", "markdown"):
        refused = await ada.post(f"/api/conversations/{conversation}/export", {"format": form})
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conversation_temporary")


async def test_it_is_deleted_when_its_time_is_over(
    ada: Person, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await rows(world)
    monkeypatch.setattr(service, "TEMPORARY_LIFETIME", timedelta(milliseconds=1_500))
    conversation = await tell_secret(ada)

    async def is_gone() -> bool:
        return (await ada.get(f"/api/conversations/{conversation}")).status_code == 404

    await until(is_gone)
    said = "SELECT count(*) FROM messages WHERE conversation_id = :id"
    assert not await world.db.read(lambda tx: tx.value(said, id=conversation), by=None)
    assert await rows(world) == before


async def test_one_whose_job_comes_early_or_was_given_up_goes_in_time(ada: Person, world: World) -> None:
    conversation = await tell_secret(ada)
    owner = ada.principal
    log = world.server.parts.events

    async def expire() -> None:
        await world.db.write(lambda tx: service.expire(tx, conversation, log=log), by=owner)

    await expire()
    assert (await opened(ada, conversation))["temporary"]
    sql = "UPDATE conversations SET expires_at = created_at WHERE workspace_id = :workspace"
    await world.db.write(lambda tx: tx.run(sql), by=owner)
    await world.db.write(lambda tx: tx.run("DELETE FROM jobs"), by=None)
    await world.db.write(expiry.requeue_all_expiries, by=None)

    async def is_gone() -> bool:
        return (await ada.get(f"/api/conversations/{conversation}")).status_code == 404

    await until(is_gone)


async def test_it_can_be_kept(ada: Person, world: World) -> None:
    conversation = await tell_secret(ada)
    await indexed(world)
    kept = ok(await ada.put(f"/api/conversations/{conversation}", {"temporary": False}))
    assert (kept["temporary"], kept["expires_at"]) == (False, None)
    assert len(await contents(ada, "walrus Nautilus clams harbour")) > 0
    ok(await ada.post(f"/api/conversations/{conversation}/export"))
    owner = ada.principal
    log = world.server.parts.events
    await world.db.write(lambda tx: service.expire(tx, conversation, log=log), by=owner)
    assert not (await opened(ada, conversation))["temporary"]


async def test_one_in_which_nothing_was_asked_becomes_temporary_with_its_files(
    ada: Person, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ok(await ada.post("/api/conversations", {}), 201)["id"]
    attached = {"files": ("walrus.md", SECRET.encode())}
    ok(await ada.client.post(f"/api/conversations/{made}/files", files=attached), 201)
    await indexed(world)
    assert len(await contents(ada, "walrus Nautilus clams")) > 0
    monkeypatch.setattr(service, "TEMPORARY_LIFETIME", timedelta(milliseconds=1_500))
    changed = ok(await ada.put(f"/api/conversations/{made}", {"temporary": True}))
    assert changed["temporary"]
    assert await contents(ada, "walrus Nautilus clams") == []
    again = ok(await ada.put(f"/api/conversations/{made}", {"temporary": True}))
    assert again["expires_at"] == changed["expires_at"]

    async def is_gone() -> bool:
        return (await ada.get(f"/api/conversations/{made}")).status_code == 404

    await until(is_gone)


async def test_a_conversation_that_stays_cannot_become_temporary(ada: Person) -> None:
    conversation = (await ada.start("Hello"))["conversation"]["id"]
    changed = await ada.put(f"/api/conversations/{conversation}", {"temporary": True})
    asked = await ada.post("/api/turn", {"message": "Hi", "conversation_id": conversation, "temporary": True})
    for refused in (changed, asked):
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conversation_stays")
