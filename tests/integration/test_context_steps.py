"""The receipt of a reply that worked with tools says what was sent in every step, and points at its words."""

import json

import pytest
from tests.context_world import receipt_of
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import until
from tests.tools_world import SendLetter, give_letters
from tests.world import Json, Person, World

from tertulia.infra.db.packed_values import unpack_text

MODEL = "openai/gpt-5"
LINES = "\n".join(f"Line {number} of the second regulation says beta {number * 7}" for number in range(300))
READ = ScriptedCall(name="read_project_file", arguments='{"path": "b.txt"}')
LIST = ScriptedCall(name="list_project_files")
LETTER = ScriptedCall(name="send_letter", arguments='{"text": "Dear Ada"}')


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    shelf = await Shelf.of(ada)
    await shelf.write("b.txt", LINES)
    return shelf


def works(provider: ScriptedProvider, *steps: list[ScriptedCall]) -> None:
    """Have the model use tools, step after step, and then answer."""
    calling = [Script(reply="Let me see.", tool_calls=calls, always_calls=True) for calls in steps]
    provider.script("gpt-5", *calling, Script(reply="So it is."))


def results_sent(provider: ScriptedProvider, place: int) -> list[str]:
    """Return what tools gave, as it was sent in one step."""
    sent = provider.requests("gpt-5")[place].body["messages"]
    return [one["content"] for one in sent if one["role"] == "tool"]


async def test_the_receipt_has_what_every_step_added_word_for_word(
    ada: Person, provider: ScriptedProvider, shelf: Shelf
) -> None:
    works(provider, [READ, LIST], [ScriptedCall(name="search_project", arguments='{"query": "beta"}')])
    [reply] = (await ada.ask("Read b", models=[MODEL], project_id=shelf.project_id))["replies"]
    plan = (await receipt_of(ada, reply, texts=True))["plan"]

    assert [step["number"] for step in plan["steps"]] == [2, 3]
    first, second = plan["steps"]
    assert [item["title"] for item in first["items"]] == [
        "What it said in step 1, and asked for: read_project_file, list_project_files",
        "read_project_file",
        "list_project_files",
    ]
    assert first["items"][0]["text"].startswith('Let me see.\n\nread_project_file {"path": "b.txt"}')
    texts = [item["text"] for step in (first, second) for item in step["items"] if item["pointer"]["call_id"]]
    assert texts == results_sent(provider, 2)
    assert "beta 2093" in texts[0]


async def test_what_was_counted_of_all_steps_is_what_the_provider_reports(
    ada: Person, provider: ScriptedProvider, shelf: Shelf
) -> None:
    works(provider, [READ], [LIST])
    [reply] = (await ada.ask("Read b", models=[MODEL], project_id=shelf.project_id))["replies"]
    receipt = await receipt_of(ada, reply)
    plan, reported = receipt["plan"], receipt["usage"]["input"]

    assert plan["sent"] == plan["tokens"] + sum(step["tokens"] for step in plan["steps"])
    assert abs(plan["sent"] - reported) <= 0.02 * reported
    assert sum(section["tokens"] for section in plan["sections"]) == plan["tokens"]
    new = sum(item["tokens"] for item in plan["steps"][0]["items"])
    assert abs(plan["steps"][0]["tokens"] - plan["tokens"] - new) <= 10


async def test_a_receipt_holds_no_copy_of_what_tools_gave(
    world: World, ada: Person, provider: ScriptedProvider, shelf: Shelf
) -> None:
    works(provider, [READ])
    await ada.ask("Read b", models=[MODEL], project_id=shelf.project_id)
    sql = """SELECT plan FROM receipts UNION ALL SELECT outline FROM receipts
        UNION ALL SELECT items FROM shared_items UNION ALL SELECT body FROM receipt_texts"""
    kept = await world.db.read(lambda tx: tx.column(sql), by=None)
    assert kept
    assert not any("beta 2093" in unpack_text(text) for text in kept)


async def test_what_had_to_make_room_is_named_and_what_was_cut_is_shown_cut(
    ada: Person, provider: ScriptedProvider, shelf: Shelf
) -> None:
    made = await ada.post("/api/conversations", {"project_id": shelf.project_id})
    conversation = made.json()["id"]
    await ada.put(f"/api/conversations/{conversation}", {"context": {"max_tokens": 4_000}})
    works(
        provider,
        [READ],
        [ScriptedCall(name="read_project_file", arguments='{"path": "b.txt", "start_line": 2}')],
    )
    [reply] = (await ada.ask("Read b", models=[MODEL], conversation_id=conversation))["replies"]
    plan = (await receipt_of(ada, reply, texts=True))["plan"]

    assert [step["items"][1]["text"] for step in plan["steps"]] == [
        results_sent(provider, 1)[0],
        results_sent(provider, 2)[1],
    ]
    assert "[Cut to make room" in plan["steps"][0]["items"][1]["text"]
    assert [one["item"]["title"] for one in plan["left_out"] if one["section"] == "steps"] == [
        "read_project_file"
    ]


async def test_a_reply_that_waited_for_a_yes_keeps_its_steps_and_what_it_was_told(
    world: World, ada: Person, provider: ScriptedProvider, shelf: Shelf
) -> None:
    give_letters(world, SendLetter())
    works(provider, [READ], [LETTER])
    turn = await ada.start("Read b", models=[MODEL], project_id=shelf.project_id)
    path = f"/api/conversations/{turn['conversation']['id']}"

    async def waiting() -> Json | None:
        reply = (await ada.get(path)).json()["rounds"][-1]["replies"][0]
        return reply if reply["status"] == "waiting" else None

    reply = await until(waiting)
    call = reply["tool_calls"][-1]["id"]
    await ada.post(f"/api/replies/{reply['id']}/calls/{call}/decision", {"approve": False})
    await ada.finished(turn)
    plan = (await receipt_of(ada, reply, texts=True))["plan"]

    assert [step["number"] for step in plan["steps"]] == [2, 3]
    assert plan["steps"][1]["items"][1]["text"] == results_sent(provider, 2)[1]
    assert "did not allow this" in json.dumps(plan["steps"][1])
