"""Ways by which something could reach a model after all: what was looked up before it was forbidden."""

import base64

from tests import house_world
from tests.files_world import Shelf
from tests.house_world import (
    ABOUT_IT,
    NEAR,
    SECRET,
    SMART,
    asked,
)
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import indexed
from tests.world import Person, World

house_ada, house_shelf, a_house = house_world.house_ada, house_world.house_shelf, house_world.house_world

#: A picture of one dot.
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


async def test_a_file_that_becomes_local_is_not_shown_elsewhere_from_then_on(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    file = await shelf.write("lighthouse.md", SECRET, always_in_context=True)
    await indexed(world)
    turn = await ada.start(ABOUT_IT, models=[SMART], project_id=shelf.project_id)
    reply = (await ada.finished(turn))["replies"][0]
    assert "mauve-7731" in asked(provider, "scripted-smart", ABOUT_IT)[-1]
    changed = await ada.client.patch(f"{shelf.url}/{file['id']}/metadata", json={"local_only": True})
    assert changed.status_code == 200, changed.text

    again = await ada.post(f"/api/replies/{reply['id']}/regenerate", {})
    await ada.finished(again.json())
    assert len(asked(provider, "scripted-smart", ABOUT_IT)) == 2
    assert "mauve-7731" not in asked(provider, "scripted-smart", ABOUT_IT)[-1]


async def test_a_file_that_was_deleted_is_shown_to_nobody_and_no_reply_fails_for_it(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    file = await shelf.write("lighthouse.md", SECRET)
    await indexed(world)
    turn = await ada.start(ABOUT_IT, models=[SMART], project_id=shelf.project_id)
    reply = (await ada.finished(turn))["replies"][0]
    assert "mauve-7731" in asked(provider, "scripted-smart", ABOUT_IT)[-1]
    assert await shelf.delete(file["id"]) == 204

    again = await ada.post(f"/api/replies/{reply['id']}/regenerate", {})
    newest = (await ada.finished(again.json()))["replies"][-1]
    assert (newest["status"], newest["error"]) == ("done", None)
    assert "mauve-7731" not in asked(provider, "scripted-smart", ABOUT_IT)[-1]


async def test_a_message_that_becomes_local_is_not_shown_elsewhere_from_then_on(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    other = await ada.ask(SECRET, models=[SMART], project_id=shelf.project_id)
    await indexed(world)
    turn = await ada.start(ABOUT_IT, models=[SMART], project_id=shelf.project_id)
    reply = (await ada.finished(turn))["replies"][0]
    assert "mauve-7731" in asked(provider, "scripted-smart", ABOUT_IT)[-1]
    await ada.put(f"/api/messages/{other['question']['id']}/marks", {"local_only": True})

    again = await ada.post(f"/api/replies/{reply['id']}/regenerate", {})
    await ada.finished(again.json())
    assert "mauve-7731" not in asked(provider, "scripted-smart", ABOUT_IT)[-1]


async def test_what_a_local_model_read_with_a_tool_stays_local(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    await shelf.write("lighthouse.md", SECRET, local_only=True, retrieval_eligible=False)
    await indexed(world)
    read = ScriptedCall(name="read_project_file", arguments='{"path": "lighthouse.md"}')
    provider.script("qwen3-near", Script(reply=SECRET, tool_calls=[read], window=32_000))
    turn = await ada.start("Please look.", models=["house/qwen3-near"], project_id=shelf.project_id)
    reply = (await ada.finished(turn))["replies"][0]
    assert "mauve-7731" in asked(provider, "qwen3-near")[-1]
    assert "local_only" in reply["marks"]
    await ada.ask("Go on.", models=[SMART], conversation_id=turn["conversation"]["id"])
    assert not any("mauve-7731" in body for body in asked(provider, "scripted-smart"))


async def test_a_picture_that_is_to_stay_local_is_sent_nowhere(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    picture = base64.b64decode(DOT)
    sent = await shelf.send(("dot.png", picture))
    flags = {"local_only": True, "always_in_context": True}
    await ada.client.patch(f"{shelf.url}/{sent['files'][0]['id']}/metadata", json=flags)
    await ada.ask("What do you see on #dot.png?", models=[SMART], project_id=shelf.project_id)

    assert len(asked(provider, "scripted-smart", "What do you see")) == 1
    assert not any(DOT in body for body in asked(provider, "scripted-smart"))


async def test_a_tool_reads_nothing_local_for_a_model_elsewhere(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    await shelf.write("lighthouse.md", SECRET, local_only=True)
    await indexed(world)
    calls = [
        ScriptedCall(name="read_project_file", arguments='{"path": "lighthouse.md"}'),
        ScriptedCall(name="search_project", arguments='{"query": "password of the lighthouse"}'),
        ScriptedCall(name="list_project_files"),
    ]
    provider.script("scripted-smart", Script(reply="So be it.", tool_calls=calls))
    round_ = await ada.ask("Please look.", models=[SMART], project_id=shelf.project_id)

    assert round_["replies"][0]["status"] == "done"
    assert len(asked(provider, "scripted-smart", "Please look.")) >= 2
    assert not any("mauve-7731" in body for body in asked(provider, "scripted-smart"))


async def test_a_folder_of_local_files_is_in_no_list_elsewhere(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    for number in range(60):
        await shelf.write(f"open/{number}.md", f"Plain words, number {number}.")
    await shelf.write("mauve-7731/lighthouse.md", "Nothing.", local_only=True)
    await ada.ask("What is there?", models=[SMART], project_id=shelf.project_id)

    [told] = asked(provider, "scripted-smart", "What is there?")
    assert "open/ (60 files)" in told
    assert "mauve-7731" not in told


async def test_what_goes_on_from_a_local_reply_stays_local(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    file = await shelf.write("lighthouse.md", SECRET, local_only=True)
    await indexed(world)
    provider.script("near", Script(reply=SECRET, finish="length", window=32_000), Script(reply=" And so on."))
    turn = await ada.start(ABOUT_IT, models=[NEAR], project_id=shelf.project_id)
    cut = (await ada.finished(turn))["replies"][0]
    assert (cut["status"], "local_only" in cut["marks"]) == ("interrupted", True)
    await shelf.delete(file["id"])
    more = await ada.post(f"/api/replies/{cut['id']}/continue", {})
    whole = (await ada.finished(more.json()))["replies"][-1]
    assert whole["content"] == f"{SECRET} And so on."
    await ada.ask("Go on.", models=[SMART], conversation_id=turn["conversation"]["id"])

    assert not any("mauve-7731" in body for body in asked(provider, "scripted-smart"))


async def test_a_reply_is_local_when_its_question_became_so_while_it_was_written(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    provider.script("scripted-smart", Script(reply=f"{SECRET} " * 6, tokens_per_second=60))
    turn = await ada.start("What do you know of it?", models=[SMART], project_id=shelf.project_id)
    await ada.wait_for(turn, "reply.text")
    await ada.put(f"/api/messages/{turn['round']['question']['id']}/marks", {"local_only": True})
    [reply] = (await ada.finished(turn))["replies"]
    assert (reply["status"], reply["marks"]) == ("done", ["local_only"])

    await indexed(world)
    provider.script("scripted-smart", Script(reply="So be it."))
    await ada.ask(ABOUT_IT, models=[SMART], project_id=shelf.project_id)
    assert "mauve-7731" not in asked(provider, "scripted-smart", ABOUT_IT)[-1]
