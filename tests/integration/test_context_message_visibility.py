"""What was edited away, or left out, is still there for people; to models it is quoted no more."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.context_world import done, set_flags
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import contents, indexed
from tests.world import Json, Person, World

MODEL = "openai/scripted-fast"
OLD = "The door code of the harbour lighthouse is 4417."
NEW = "The door code of the harbour lighthouse is 9025."
ABOUT_IT = "What is the door code of the harbour lighthouse?"


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    provider.script("scripted-fast", Script(reply="So be it."))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


@dataclass
class House:
    """A project, and someone who talks in it."""

    world: World
    ada: Person
    provider: ScriptedProvider
    project_id: str

    async def begin(self, message: str) -> Json:
        """Ask in a new conversation, and return the turn with its round as it ended."""
        turn = await self.ada.start(message, project_id=self.project_id)
        return turn | {"round": await self.ada.finished(turn)}

    async def edit(self, round_: Json, message: str) -> Json:
        """Ask with other words, and return the new round."""
        answer = await self.ada.post(f"/api/rounds/{round_['id']}/edit", {"message": message})
        assert answer.status_code == 202, answer.text
        return await self.ada.finished(answer.json())

    async def mark(self, message: Json, **marks: bool) -> None:
        await done(self.ada.put(f"/api/messages/{message['id']}/marks", marks))

    async def told(self, message: str = ABOUT_IT, *, conversation: str | None = None) -> str:
        """Ask, and return all that the model was sent."""
        await indexed(self.world, meanings=False)
        place = {"conversation_id": conversation} if conversation else {"project_id": self.project_id}
        await self.ada.ask(message, models=[MODEL], **place)
        return json.dumps(self.provider.requests("scripted-fast")[-1].body)


@pytest.fixture
async def house(world: World, ada: Person, provider: ScriptedProvider) -> House:
    await set_flags(ada, summary_frequency=0)
    return House(world, ada, provider, (await Shelf.of(ada)).project_id)


async def test_what_was_edited_away_is_quoted_neither_here_nor_elsewhere(house: House) -> None:
    first = await house.begin(OLD)
    await house.edit(first["round"], NEW)

    here = await house.told(conversation=first["conversation"]["id"])
    elsewhere = await house.told()
    assert "9025" in here
    assert "9025" in elsewhere
    assert "4417" not in here
    assert "4417" not in elsewhere
    assert OLD in await contents(house.ada, "door code lighthouse", house.project_id), "people find it"


async def test_it_is_quoted_again_once_the_person_goes_back_to_it(house: House) -> None:
    first = await house.begin(OLD)
    await house.edit(first["round"], NEW)
    path = f"/api/conversations/{first['conversation']['id']}/head"
    await done(house.ada.put(path, {"round_id": first["round"]["id"]}))

    elsewhere = await house.told()
    assert "4417" in elsewhere
    assert "9025" not in elsewhere


async def test_all_that_followed_on_a_branch_goes_with_it(house: House) -> None:
    first = await house.begin("We plan the harbour.")
    here = {"conversation_id": first["conversation"]["id"]}
    second = await house.ada.ask("Let us speak of doors.", models=[MODEL], **here)
    await house.ada.ask(OLD, models=[MODEL], **here)
    await house.edit(second, "Let us speak of windows.")
    await house.ada.ask("The windows are blue.", models=[MODEL], **here)
    await house.ada.ask("And they are round.", models=[MODEL], **here)

    assert "4417" not in await house.told(conversation=here["conversation_id"])
    assert "4417" not in await house.told()


async def test_whoever_answers_an_old_round_anew_is_quoted_nothing_said_later(house: House) -> None:
    first = await house.begin(ABOUT_IT)
    await house.ada.ask(OLD, models=[MODEL], conversation_id=first["conversation"]["id"])
    await indexed(house.world, meanings=False)
    [reply] = first["round"]["replies"]
    await house.ada.finished((await house.ada.post(f"/api/replies/{reply['id']}/regenerate", {})).json())

    assert "4417" not in json.dumps(house.provider.requests("scripted-fast")[-1].body)


async def test_of_two_replies_that_branches_went_on_from_the_one_of_this_branch_counts(house: House) -> None:
    first = await house.begin("Which code has the door of the harbour lighthouse?")
    replies: list[Json] = []
    for text in (OLD, NEW):
        house.provider.script("scripted-fast", Script(reply=text))
        path = f"/api/replies/{first['round']['replies'][0]['id']}/regenerate"
        replies.append((await house.ada.finished((await house.ada.post(path, {})).json()))["replies"][-1])
    house.provider.script("scripted-fast", Script(reply="So be it."))
    for reply in replies:
        place = {"conversation_id": first["conversation"]["id"], "parent_id": reply["id"], "policy": "chosen"}
        await house.ada.ask("I take that one.", models=[MODEL], **place)

    told = await house.told()
    assert "9025" in told
    assert "4417" not in told


async def test_a_pin_holds_on_its_own_branch(house: House) -> None:
    first = await house.begin("We plan the harbour.")
    here = {"conversation_id": first["conversation"]["id"]}
    second = await house.ada.ask(OLD, models=[MODEL], **here)
    await house.mark(second["question"], pinned=True)
    await house.edit(second, "The harbour is blue.")
    assert "4417" not in await house.told("And now?", conversation=here["conversation_id"])

    await done(
        house.ada.put(f"/api/conversations/{here['conversation_id']}/head", {"round_id": second["id"]})
    )
    assert "4417" in await house.told("And now?", conversation=here["conversation_id"])


async def test_a_tool_finds_neither_another_branch_nor_what_was_left_out(house: House) -> None:
    house.provider.script("scripted-fast", Script(reply="Noted: the harbour lighthouse has the number 7788."))
    first = await house.begin(OLD)
    house.provider.script("scripted-fast", Script(reply="So be it."))
    await house.edit(first["round"], NEW)
    other = await house.begin("The harbour lighthouse has a cellar of 31 metres.")
    await indexed(house.world, meanings=False)
    look = ScriptedCall(name="search_project", arguments='{"query": "harbour lighthouse"}')
    script = Script(reply="Found.", tool_calls=[look])

    found = await results(house, script)
    assert "9025" in found
    assert "31 metres" in found
    assert "4417" not in found
    assert "7788" not in found

    await house.mark(other["round"]["question"], excluded=True)
    assert "31 metres" not in await results(house, script)


async def results(house: House, script: Script) -> str:
    """Return what a tool gives to a model that looks for something."""
    house.provider.script("scripted-fast", script)
    reply = (await house.begin("Look around."))["round"]["replies"][0]
    # What quotes other conversations stands in no reply: it is given to those alone who may open them.
    places = [f"/api/replies/{reply['id']}/calls/{call['id']}/result" for call in reply["tool_calls"]]
    return " ".join([(await house.ada.get(place)).text for place in places])


async def test_the_replies_to_a_question_that_was_left_out_go_with_it(house: House) -> None:
    house.provider.script("scripted-fast", Script(reply="The tidal gauge has the number QX-8812."))
    first = await house.begin("My tidal gauge has the number QX-8812.")
    house.provider.script("scripted-fast", Script(reply="So be it."))
    asked = "Which number has the tidal gauge?"
    assert "QX-8812" in await house.told(asked)

    await house.mark(first["round"]["question"], excluded=True)
    assert "QX-8812" not in await house.told(asked)
    assert "QX-8812" not in await house.told(asked, conversation=first["conversation"]["id"])
    await house.mark(first["round"]["replies"][0], pinned=True)
    assert "QX-8812" not in await house.told(asked)
    assert "QX-8812" in await house.told(asked, conversation=first["conversation"]["id"])
    await house.mark(first["round"]["replies"][0], pinned=False)

    await house.mark(first["round"]["question"], excluded=False)
    assert "QX-8812" in await house.told(asked, conversation=first["conversation"]["id"])


@dataclass
class Attempt:
    """A reply, and what there is to ask for one without."""

    house: House
    reply: Json

    async def plan(self) -> Json:
        return (await done(self.house.ada.get(f"/api/replies/{self.reply['id']}/receipt")))["plan"]

    async def ids(self, section: str) -> list[str]:
        found = [one["items"] for one in (await self.plan())["sections"] if one["kind"] == section]
        return [item["id"] for items in found for item in items]

    async def without(self, *items: str) -> "Attempt":
        """Have the reply written once more without some items."""
        answer = await self.house.ada.post(
            f"/api/replies/{self.reply['id']}/regenerate", {"leave_out": [*items]}
        )
        assert answer.status_code == 202, answer.text
        return Attempt(self.house, (await self.house.ada.finished(answer.json()))["replies"][-1])

    def sent(self) -> str:
        return json.dumps(self.house.provider.requests("scripted-fast")[-1].body)


async def asked_at_last(house: House, *, first: Json) -> Attempt:
    """Ask some more after a first round, and return the last reply."""
    here = {"conversation_id": first["conversation"]["id"]}
    await house.ada.ask("The keeper is called Ottoline.", models=[MODEL], **here)
    round_ = await house.ada.ask("Anything else?", models=[MODEL], **here)
    return Attempt(house, round_["replies"][0])


async def test_a_round_that_a_reply_goes_without_comes_back_as_no_point_pin_or_finding(house: House) -> None:
    first = await house.begin("We decided that the budget of the lighthouse is 48,200 euros.")
    await house.mark(first["round"]["question"], pinned=True)
    last = await asked_at_last(house, first=first)
    made = await done(house.ada.post(f"/api/conversations/{first['conversation']['id']}/summary"))
    assert any("48,200" in point["text"] for point in made["points"])
    await indexed(house.world, meanings=False)
    look = ScriptedCall(name="search_project", arguments='{"query": "budget lighthouse euros"}')
    house.provider.script("scripted-fast", Script(reply="Found.", tool_calls=[look]))

    with_it = await last.without()
    assert "48,200" in with_it.sent()
    again = await with_it.without((await last.ids("rounds"))[0])
    assert [call["name"] for call in again.reply["tool_calls"]] == ["search_project"]
    assert "48,200" not in again.sent()
    left = {(one["section"], one["reason"]) for one in (await again.plan())["left_out"]}
    assert {("rounds", "asked"), ("summary", "along"), ("pinned", "along")} <= left


async def test_only_items_of_the_receipt_can_be_left_out_and_never_the_question(house: House) -> None:
    last = await asked_at_last(house, first=await house.begin("We plan the harbour."))
    for id_ in ("nonsense", "round:nonsense", *(await last.ids("question")), *(await last.ids("tools"))):
        path = f"/api/replies/{last.reply['id']}/regenerate"
        refused = await house.ada.post(path, {"leave_out": [id_]})
        assert refused.status_code == 422, id_
        assert refused.json()["error"]["code"] == "not_to_be_left_out"
        assert id_ in refused.json()["error"]["message"]

    [first, _] = await last.ids("rounds")
    again = await last.without(first)
    assert first not in await again.ids("rounds")
    assert first not in await (await again.without(first)).ids("rounds"), "what is out can stay out"
