"""What may reach which model, as the provider that is asked sees it."""

from tests import house_world
from tests.context_world import settled
from tests.files_world import Shelf
from tests.house_world import (
    ABOUT_IT,
    NEAR,
    SECRET,
    SMART,
    asked,
)
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed
from tests.world import Json, Person, World

house_ada, house_shelf, a_house = house_world.house_ada, house_world.house_shelf, house_world.house_world

FAST = "openai/scripted-fast"


async def marked(ada: Person, message_id: str, **marks: bool) -> None:
    answer = await ada.put(f"/api/messages/{message_id}/marks", marks)
    assert answer.status_code == 200, answer.text


async def receipt_of(ada: Person, reply: Json) -> Json:
    answer = await ada.get(f"/api/replies/{reply['id']}/receipt")
    assert answer.status_code == 200, answer.text
    return answer.json()["plan"]


async def summarised(ada: Person, conversation_id: str) -> None:
    """Have what was said summarised, and old rounds shown by the summary alone."""
    for what in ("summary", "compression"):
        answer = await ada.post(f"/api/conversations/{conversation_id}/{what}")
        assert answer.status_code == 200, answer.text


async def test_a_secret_of_one_lane_reaches_no_other_under_own_lane(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=SECRET))
    turn = await ada.start("First question", models=[SMART, FAST], policy="own", project_id=shelf.project_id)
    round_ = await ada.finished(turn)
    here = {"conversation_id": turn["conversation"]["id"], "policy": "own"}
    await marked(ada, round_["replies"][1]["id"], pinned=True)
    for number in range(6):
        await ada.ask(f"Question {number}", models=[SMART, FAST], **here)
    await indexed(world)
    await summarised(ada, here["conversation_id"])
    await ada.ask(ABOUT_IT, models=[SMART, FAST], **here)
    await ada.ask(f"Once more: {ABOUT_IT}", models=[SMART], **here)
    await ada.ask(f"Elsewhere: {ABOUT_IT}", models=[SMART], policy="own", project_id=shelf.project_id)

    assert len(asked(provider, "scripted-smart", "question")) > 0
    under_own = [body for about in ("uestion", ABOUT_IT) for body in asked(provider, "scripted-smart", about)]
    assert not any("mauve-7731" in body for body in under_own if "Title" not in body)
    # Its own words it hears, and under another policy everybody hears them.
    assert "mauve-7731" in asked(provider, "scripted-fast", ABOUT_IT)[-1]
    await ada.ask("And now, everyone?", models=[SMART], conversation_id=here["conversation_id"])
    assert "mauve-7731" in asked(provider, "scripted-smart", "And now, everyone?")[-1]


async def test_what_a_merge_says_of_others_stays_from_own_lanes(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="I will tell you later."))
    turn = await ada.start("First question", models=[SMART, FAST], policy="own", project_id=shelf.project_id)
    await ada.finished(turn)
    provider.script("scripted-smart", Script(reply=f"All agree. {SECRET}"))
    more = await ada.post(f"/api/rounds/{turn['round']['id']}/merge", {"model": SMART})
    merged = (await ada.finished(more.json()))["replies"][-1]
    assert (merged["kind"], "mauve" in merged["content"]) == ("merge", True)
    provider.script("scripted-smart", Script(reply="So be it."))
    await marked(ada, merged["id"], pinned=True)
    await indexed(world)
    await ada.ask(ABOUT_IT, models=[SMART], policy="own", conversation_id=turn["conversation"]["id"])

    assert "mauve-7731" not in asked(provider, "scripted-smart", ABOUT_IT)[-1]


async def test_a_reply_written_from_what_is_local_reaches_no_model_elsewhere(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    await ada.client.patch("/api/workspace", json={"settings": {"utility_model": SMART}})
    await shelf.write("lighthouse.md", SECRET, local_only=True)
    await indexed(world)
    turn = await ada.start(ABOUT_IT, models=[NEAR], project_id=shelf.project_id)
    reply = (await ada.finished(turn))["replies"][0]
    assert "mauve-7731" in asked(provider, "near", ABOUT_IT)[-1]
    assert "local_only" in reply["marks"]
    assert (await receipt_of(ada, reply))["local_only"]
    await settled(world, "title")
    await indexed(world)

    here = {"conversation_id": turn["conversation"]["id"]}
    for question in ("Go on.", ABOUT_IT, f"{ABOUT_IT} #lighthouse.md"):
        await ada.ask(question, models=[SMART, FAST], **here)
    await ada.ask(f"Elsewhere: {ABOUT_IT}", models=[SMART, FAST], project_id=shelf.project_id)
    await summarised(ada, here["conversation_id"])
    await ada.ask("What is known of it?", models=[SMART, FAST], **here)
    await ada.post(f"/api/rounds/{turn['round']['id']}/judge", {"model": SMART})
    judged = await ada.post(f"/api/rounds/{turn['round']['id']}/merge", {"model": FAST})
    await ada.finished(judged.json())
    sent = asked(provider, "scripted-smart") + asked(provider, "scripted-fast")
    assert len(sent) >= 8
    assert not any("mauve-7731" in body for body in sent)
    # It is not lost: who may hear it still does.
    await ada.ask("What was it again?", models=[NEAR], **here)
    assert "mauve-7731" in asked(provider, "near", "What was it again?")[-1]


async def test_what_a_local_model_makes_of_a_local_reply_stays_local_too(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    await shelf.write("lighthouse.md", SECRET, local_only=True)
    await indexed(world)
    turn = await ada.start(ABOUT_IT, models=[NEAR], project_id=shelf.project_id)
    await ada.finished(turn)
    more = await ada.post(f"/api/rounds/{turn['round']['id']}/merge", {"model": NEAR})
    merged = (await ada.finished(more.json()))["replies"][-1]
    assert "local_only" in merged["marks"]
    again = (await ada.ask("And again?", models=[NEAR], conversation_id=turn["conversation"]["id"]))[
        "replies"
    ][0]
    assert "local_only" in again["marks"]

    await ada.ask("Go on.", models=[SMART], conversation_id=turn["conversation"]["id"])
    assert not any("mauve-7731" in body for body in asked(provider, "scripted-smart"))


async def test_a_pinned_message_is_in_every_prompt_an_excluded_one_in_none(
    ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="Noted."))
    turn = await ada.start("Is Heron-52 a boat?", models=[FAST])
    first = await ada.finished(turn)
    here = {"conversation_id": turn["conversation"]["id"], "models": [FAST]}
    path = f"/api/conversations/{turn['conversation']['id']}"
    await ada.put(path, {"title": "The boat", "context": {"level": "light"}})
    for number in range(8):
        await ada.ask(f"Question {number}", **here)
    assert "Heron-52" not in asked(provider, "scripted-fast", "Question 7")[-1]

    await marked(ada, first["question"]["id"], pinned=True)
    await ada.ask("What about now?", **here)
    shown = asked(provider, "scripted-fast", "What about now?")[-1]
    assert shown.count("Heron-52") == 1
    assert "<pinned>" in shown

    await ada.put(path, {"context": {}})
    await marked(ada, first["question"]["id"], excluded=True)
    last = await ada.ask("The anchor weighs 77 stone.", **here)
    await marked(ada, last["question"]["id"], excluded=True)
    await ada.ask("And what about this?", **here)
    shown = asked(provider, "scripted-fast", "And what about this?")[-1]
    assert "Heron-52" not in shown
    assert "77 stone" not in shown


async def test_a_message_that_is_marked_local_is_shown_to_local_models_alone(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    turn = await ada.start(SECRET, models=[FAST], project_id=shelf.project_id)
    first = await ada.finished(turn)
    here = {"conversation_id": turn["conversation"]["id"]}
    await settled(world, "title")
    await indexed(world)
    before = len(asked(provider, "scripted-smart"))
    await marked(ada, first["question"]["id"], local_only=True, pinned=True)
    await ada.ask(ABOUT_IT, models=[SMART], **here)
    await ada.ask(f"Elsewhere: {ABOUT_IT}", models=[SMART], project_id=shelf.project_id)
    await ada.ask("Say it.", models=[NEAR], **here)

    # The model without a script repeats what it heard: that is as local as the question.
    assert not any("mauve-7731" in body for body in asked(provider, "scripted-smart")[before:])
    assert "mauve-7731" in asked(provider, "near", "Say it.")[-1]
    refused = await ada.post(f"/api/replies/{first['replies'][0]['id']}/regenerate", {"model": SMART})
    again = (await ada.finished(refused.json()))["replies"][-1]
    assert (again["status"], again["error"]["code"]) == ("failed", "only_for_local_models")

    await marked(ada, first["question"]["id"], local_only=False)
    await marked(ada, first["replies"][0]["id"], local_only=False)
    await ada.ask("And now?", models=[SMART], **here)
    assert "mauve-7731" in asked(provider, "scripted-smart", "And now?")[-1]


async def test_a_reply_is_written_again_without_an_item_of_its_receipt(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    await shelf.write("lighthouse.txt", f"{SECRET} It was chosen by the keeper." * 2)
    await indexed(world)
    turn = await ada.start(ABOUT_IT, models=[FAST], project_id=shelf.project_id)
    reply = (await ada.finished(turn))["replies"][0]
    plan = await receipt_of(ada, reply)
    items = {item["id"]: section["kind"] for section in plan["sections"] for item in section["items"]}
    wanted = [id_ for id_, kind in items.items() if kind == "passages" or id_ == "system:files"]
    assert len(wanted) == 2

    again = await ada.post(f"/api/replies/{reply['id']}/regenerate", {"leave_out": wanted})
    newest = (await ada.finished(again.json()))["replies"][-1]
    assert newest["attempt"] == 2
    assert "mauve-7731" not in asked(provider, "scripted-fast", ABOUT_IT)[-1]
    left = {one["item"]["id"]: one["reason"] for one in (await receipt_of(ada, newest))["left_out"]}
    assert [left[id_] for id_ in wanted] == ["asked", "asked"]


async def test_what_the_receipt_says_is_what_was_sent(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    await shelf.write("lighthouse.txt", SECRET)
    await indexed(world)
    turn = await ada.start("First question", models=[FAST, SMART], project_id=shelf.project_id)
    await ada.finished(turn)
    round_ = await ada.ask(ABOUT_IT, models=[FAST], conversation_id=turn["conversation"]["id"])
    plan = await receipt_of(ada, round_["replies"][0])

    assert sum(section["tokens"] for section in plan["sections"]) == plan["tokens"]
    used = round_["replies"][0]["usage"]["input"]
    assert abs(plan["tokens"] - used) <= 0.02 * used
    assert plan["tokens"] <= plan["limit"] <= plan["window"] - plan["reply"]


async def test_a_reply_that_was_passed_over_is_shown_in_no_way(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=SECRET))
    turn = await ada.start("First question", models=[SMART, FAST], project_id=shelf.project_id)
    chosen = (await ada.finished(turn))["replies"][0]
    await settled(world, "title")
    before = len(asked(provider, "scripted-smart"))
    here = {"conversation_id": turn["conversation"]["id"], "models": [SMART]}
    await ada.ask("Second question", policy="chosen", parent_id=chosen["id"], **here)
    for number in range(3):
        await ada.ask(f"Question {number}", **here)
    await indexed(world)
    await summarised(ada, turn["conversation"]["id"])
    await ada.ask(ABOUT_IT, **here)
    await ada.ask(f"Elsewhere: {ABOUT_IT}", models=[SMART], project_id=shelf.project_id)

    assert len(asked(provider, "scripted-smart")) >= before + 3
    assert not any("mauve-7731" in body for body in asked(provider, "scripted-smart")[before:])
