"""One message to several models, and what people do with the replies."""

import asyncio
import base64

from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person, World

EVERY_FORMAT = ["scripted-fast", "anthropic/scripted-fast", "google/scripted-fast"]
#: A picture of one dot.
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


async def test_one_message_is_answered_by_several_models_at_once(ada: Person) -> None:
    round_ = await ada.ask("Hello", models=EVERY_FORMAT)

    assert [reply["lane"] for reply in round_["replies"]] == EVERY_FORMAT
    assert [reply["status"] for reply in round_["replies"]] == ["done"] * 3
    assert all("heard: Hello" in reply["content"] for reply in round_["replies"])
    assert all(reply["usage"]["input"] > 0 for reply in round_["replies"])


async def test_lanes_run_in_parallel(ada: Person, provider: ScriptedProvider) -> None:
    provider.script("scripted-fast", Script(reply="one two three", pause_after=0))
    turn = await ada.start("Hello", models=["scripted-fast"] * 4)
    all_asked = await asyncio.to_thread(
        provider.wait_for, lambda: len(provider.requests("scripted-fast")) == 4
    )
    assert all_asked, "each is asked while the others are silent"
    provider.resume()

    assert [reply["status"] for reply in (await ada.finished(turn))["replies"]] == ["done"] * 4


async def test_the_same_model_may_sit_at_the_table_twice(ada: Person) -> None:
    round_ = await ada.ask("Hello", models=["scripted-fast", "scripted-fast"])

    assert [reply["lane"] for reply in round_["replies"]] == ["scripted-fast", "scripted-fast#2"]


async def test_without_models_the_round_before_is_followed(ada: Person) -> None:
    turn = await ada.start("Hello", models=["scripted-smart", "scripted-fast"])
    await ada.finished(turn)
    again = await ada.start("And now?", models=[], conversation_id=turn["conversation"]["id"])

    assert [reply["model"] for reply in again["round"]["replies"]] == ["scripted-smart", "scripted-fast"]


async def test_everyone_sees_everyones_replies_under_their_names(
    ada: Person, provider: ScriptedProvider
) -> None:
    turn = await ada.start("First", models=["scripted-smart", "scripted-fast"])
    await ada.finished(turn)
    await ada.ask("Second", models=["scripted-smart"], conversation_id=turn["conversation"]["id"])

    messages = provider.requests("scripted-smart")[-1].body["messages"]
    assert {"role": "assistant", "content": "scripted-smart heard: First"} in messages
    assert '<reply speaker="scripted-fast">\nscripted-fast heard: First\n</reply>' in messages[-1]["content"]


async def test_under_own_lane_no_other_reply_is_shown(ada: Person, provider: ScriptedProvider) -> None:
    provider.script("scripted-fast", Script(reply="the secret is mauve"))
    turn = await ada.start("First", models=["scripted-smart", "scripted-fast"])
    await ada.finished(turn)
    await ada.ask(
        "Second", models=["scripted-smart"], policy="own", conversation_id=turn["conversation"]["id"]
    )

    assert "mauve" not in str(provider.requests("scripted-smart")[-1].body)


async def test_one_chosen_answer_is_all_that_is_shown(ada: Person, provider: ScriptedProvider) -> None:
    provider.script("scripted-fast", Script(reply="choose me"))
    provider.script("scripted-smart", Script(reply="not me"))
    turn = await ada.start("First", models=["scripted-smart", "scripted-fast"])
    round_ = await ada.finished(turn)
    await ada.ask(
        "Second",
        models=["scripted-smart"],
        policy="chosen",
        parent_id=round_["replies"][1]["id"],
        conversation_id=turn["conversation"]["id"],
    )

    body = str(provider.requests("scripted-smart")[-1].body)
    assert "choose me" in body
    assert "not me" not in body


async def test_choosing_needs_a_choice(ada: Person) -> None:
    turn = await ada.start("First")
    await ada.finished(turn)
    refused = await ada.post(
        "/api/turn",
        {"message": "Second", "policy": "chosen", "conversation_id": turn["conversation"]["id"]},
    )

    assert refused.status_code == 422
    assert refused.json()["error"]["code"] == "choice_missing"


async def test_regenerating_keeps_the_earlier_reply(ada: Person, provider: ScriptedProvider) -> None:
    provider.script("scripted-fast", Script(reply="one"), Script(reply="two"))
    turn = await ada.start("Hello")
    first = await ada.finished(turn)
    again = await ada.post(f"/api/replies/{first['replies'][0]['id']}/regenerate", {})
    assert again.status_code == 202
    round_ = await ada.finished(again.json())

    assert [(reply["attempt"], reply["content"]) for reply in round_["replies"]] == [(1, "one"), (2, "two")]


async def test_editing_opens_a_branch_beside_the_old_one(ada: Person) -> None:
    turn = await ada.start("Wrong words")
    await ada.finished(turn)
    edited = (await ada.post(f"/api/rounds/{turn['round']['id']}/edit", {"message": "Right words"})).json()
    await ada.finished(edited)
    conversation = turn["conversation"]["id"]

    shown = (await ada.get(f"/api/conversations/{conversation}")).json()["rounds"]
    assert [round_["question"]["content"] for round_ in shown] == ["Right words"]
    assert shown[0]["siblings"] == [turn["round"]["id"], edited["round"]["id"]]

    await ada.put(f"/api/conversations/{conversation}/head", {"round_id": turn["round"]["id"]})
    shown = (await ada.get(f"/api/conversations/{conversation}")).json()["rounds"]
    assert [round_["question"]["content"] for round_ in shown] == ["Wrong words"]


async def test_one_more_model_merges_and_judges(ada: Person, provider: ScriptedProvider) -> None:
    turn = await ada.start("Which is better?", models=["scripted-fast", "anthropic/scripted-fast"])
    await ada.finished(turn)
    for kind in ("merge", "judge"):
        more = await ada.post(f"/api/rounds/{turn['round']['id']}/{kind}", {"model": "scripted-smart"})
        round_ = await ada.finished(more.json())
        assert round_["replies"][-1]["kind"] == kind
        assert round_["replies"][-1]["status"] == "done"

    shown = provider.requests("scripted-smart")[0].body["messages"][-1]["content"]
    assert '<reply speaker="scripted-fast">\nscripted-fast heard: Which is better?\n</reply>' in shown
    assert '<reply speaker="anthropic/scripted-fast">' in shown


async def test_a_conversation_is_named_by_the_utility_model(ada: Person, provider: ScriptedProvider) -> None:
    provider.script("scripted-smart", Script(reply='"Greetings among friends"'))
    await ada.client.patch("/api/workspace", json={"settings": {"utility_model": "scripted-smart"}})
    turn = await ada.start("Hello there")
    named = await ada.wait_for(turn, "conversation.changed")

    assert named["conversation"]["title"] == "Greetings among friends"


async def test_a_failing_lane_harms_no_other(ada: Person) -> None:
    answered = await ada.post("/api/turn", {"message": "Hello", "models": ["scripted-fast", "nonesuch"]})
    assert answered.status_code == 404
    assert answered.json()["error"]["code"] == "model_unknown"

    round_ = await ada.ask("Hello", models=["openai/gone", "scripted-fast"])
    assert {reply["status"] for reply in round_["replies"]} <= {"failed", "done"}
    assert round_["replies"][1]["status"] == "done"


async def test_a_picture_reaches_the_models_in_every_format(ada: Person, provider: ScriptedProvider) -> None:
    turn = await ada.start("What is this?", models=EVERY_FORMAT, images=[{"data": DOT}])
    await ada.finished(turn)

    assert all(DOT in str(request.body) for request in provider.requests())
    attached = turn["round"]["question"]["attachments"][0]
    picture = await ada.get(f"/api/attachments/{attached['id']}")
    assert picture.content == base64.b64decode(DOT)
    assert picture.headers["content-type"] == "image/png"


async def test_what_is_no_picture_is_refused(ada: Person) -> None:
    for data in ("not base64!", base64.b64encode(b"<svg onload=alert(1)>").decode()):
        refused = await ada.post("/api/turn", {"message": "Look", "images": [{"data": data}]})
        assert refused.status_code == 422
        assert refused.json()["error"]["code"] == "picture_invalid"


async def test_thinking_is_kept_apart_from_the_reply(ada: Person, provider: ScriptedProvider) -> None:
    provider.script("scripted-fast", Script(reply="Yes.", thinking="Let me see."))
    round_ = await ada.ask("Well?", models=EVERY_FORMAT)

    assert [(reply["content"], reply["thinking"]) for reply in round_["replies"]] == [
        ("Yes.", "Let me see.")
    ] * 3


async def test_another_member_hears_a_shared_conversation_and_no_private_one(
    world: World, ada: Person
) -> None:
    bob = await world.person(like=ada)
    turn = await ada.start("Hello")
    await ada.finished(turn)
    path = f"/api/conversations/{turn['conversation']['id']}"

    assert (await bob.get(path)).status_code == 404
    await ada.put(path, {"visibility": "workspace"})
    assert (await bob.get(path)).status_code == 200
    assert (await bob.delete(path)).status_code == 403
