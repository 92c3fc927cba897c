"""Which of two statements holds: what was said last, by message or by hand, and whether it can be seen."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.accounts_door import ok
from tests.memory_world import contents, correct, extract, open_memory_world, remember, say
from tests.scripted_provider import ScriptedProvider
from tests.world import Json, Person, World

PORTO, ROME, LISBON = (f"I live in {city}." for city in ("Porto", "Rome", "Lisbon"))

pytestmark = pytest.mark.both_engines


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    async with open_memory_world(tmp_path, provider, monkeypatch) as opened:
        yield opened


async def say_statement(person: Person, statement: str) -> tuple[str, Json]:
    """Have a person say something, and return the conversation and what is proposed of it."""
    conversation = await say(person, f"{statement} What now?")
    [proposed] = await extract(person, conversation)
    return conversation, proposed


async def approve(person: Person, memory: Json) -> Json:
    return ok(await person.post("/api/memories/approve", {"ids": [memory["id"]]}))["memories"][0]


async def delete_conversation(person: Person, conversation: str) -> str:
    """Delete a conversation, and return by what it is restored."""
    return ok(await person.post(f"/api/conversations/{conversation}/deletion"), 201)["id"]


async def restore(person: Person, deletion: str) -> None:
    ok(await person.post(f"/api/deletions/{deletion}/restore"), 204)


async def fetch(person: Person, memory: Json) -> Json:
    return ok(await person.get(f"/api/memories/{memory['id']}"))


async def test_a_correction_by_hand_holds_against_what_was_said_before_it(ada: Person) -> None:
    _, first = await say_statement(ada, PORTO)
    _, second = await say_statement(ada, ROME)
    await approve(ada, first)
    await correct(ada, first, content=LISBON)
    approved = await approve(ada, second)
    assert await contents(ada) == [LISBON]
    assert (approved["status"], approved["superseded_by"]) == ("superseded", first["id"])


async def test_a_correction_by_hand_takes_the_place_of_what_was_said_before_it(ada: Person) -> None:
    other = await approve(ada, (await say_statement(ada, "My name is Ada."))[1])
    await approve(ada, (await say_statement(ada, ROME))[1])
    await correct(ada, other, content=LISBON)
    assert await contents(ada) == [LISBON]


async def test_what_is_said_after_a_correction_by_hand_takes_its_place(ada: Person) -> None:
    first = await approve(ada, (await say_statement(ada, PORTO))[1])
    await correct(ada, first, content=LISBON)
    second = await approve(ada, (await say_statement(ada, ROME))[1])
    assert await contents(ada) == [ROME]
    assert (await fetch(ada, first))["superseded_by"] == second["id"]
    assert second["supersedes"] == first["id"]


async def test_once_a_correction_is_undone_the_later_message_holds(ada: Person) -> None:
    _, first = await say_statement(ada, PORTO)
    _, second = await say_statement(ada, ROME)
    await approve(ada, first)
    await correct(ada, first, content=LISBON)
    await approve(ada, second)
    ok(await ada.post(f"/api/memories/{first['id']}/undo"))
    assert await contents(ada) == [ROME]
    old = await fetch(ada, first)
    assert (old["content"], old["superseded_by"]) == (PORTO, second["id"])


async def test_what_was_contradicted_while_its_conversation_was_deleted_is_history(ada: Person) -> None:
    conversation, proposed = await say_statement(ada, PORTO)
    old = await approve(ada, proposed)
    deletion = await delete_conversation(ada, conversation)
    new = await remember(ada, ROME)
    await restore(ada, deletion)
    assert await contents(ada) == [ROME]
    old, new = await fetch(ada, old), await fetch(ada, new)
    assert (old["status"], old["superseded_by"], new["supersedes"]) == ("superseded", new["id"], old["id"])
    ok(await ada.post(f"/api/memories/{new['id']}/undo"))
    assert await contents(ada) == [PORTO]


async def test_what_a_deleted_conversation_said_later_hides_nothing(ada: Person) -> None:
    _, older = await say_statement(ada, PORTO)
    conversation, newer = await say_statement(ada, ROME)
    await approve(ada, newer)
    await delete_conversation(ada, conversation)
    assert (await approve(ada, older))["status"] == "active"
    assert await contents(ada) == [PORTO]


async def test_no_undo_leads_to_what_a_deleted_conversation_told(ada: Person) -> None:
    conversation, proposed = await say_statement(ada, PORTO)
    await approve(ada, proposed)
    await delete_conversation(ada, conversation)
    new = await remember(ada, ROME)
    refused = await ada.post(f"/api/memories/{new['id']}/undo")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "memory_unfit")
