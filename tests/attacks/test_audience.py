"""What is private reaches no prompt that others read or receive: whoever asks, wherever, for whatever.

Looked at where it counts: in the requests as they arrive at the provider.
"""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.context_world import done, set_flags
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import indexed
from tests.world import Json, Person, World

#: A model of the workspace's connection, one of whoever asks by their own, and the one for chores.
OPEN, OWN, CHORES = "openai/scripted-smart", "own/qwen3-near", "openai/utility"
ABOUT_IT = "What is the password of the lighthouse?"

#: Each in a conversation of its own, whose owner and visibility the name tells.
ADA_PRIVATE, ADA_UNSHARED, ADA_PINNED = "mauve-1111", "ochre-2222", "umber-3333"
BEA_PRIVATE, SHARED = "sepia-4444", "ivory-5555"
CANARIES = frozenset({ADA_PRIVATE, ADA_UNSHARED, ADA_PINNED, BEA_PRIVATE, SHARED})
FOR_ADA = CANARIES - {BEA_PRIVATE}


def password(canary: str) -> str:
    return f"The password of the lighthouse is {canary}."


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    look = ScriptedCall(name="search_project", arguments='{"query": "password of the lighthouse"}')
    cut_short = Script(reply="I think that", tool_calls=[look], finish="length")
    provider.script("scripted-fast", Script(reply="Noted."))
    provider.script("scripted-smart", cut_short)
    provider.script("qwen3-near", cut_short)
    provider.script("utility", Script(reply="About the coast"))
    env = {"TERTULIA_BUILTIN_MODEL": "off", "TERTULIA_UTILITY_MODEL": CHORES}
    async with World.open(tmp_path / "data", provider=provider, **env) as world:
        yield world


@dataclass
class Coast:
    """Two people, what each has said to themself, and where they talk about it."""

    world: World
    provider: ScriptedProvider
    ada: Person
    bea: Person
    project_id: str
    shared_id: str = ""

    @classmethod
    async def settled(cls, world: World, provider: ScriptedProvider) -> "Coast":
        ada = await world.person(role="owner")
        bea = await world.person(role="admin", like=ada)
        await set_flags(ada, summary_frequency=0)
        for person in (ada, bea):
            own = {"slug": "own", "kind": "openai-compatible", "base_url": provider.openai_url, "key": "k"}
            assert (await person.post("/api/connections", own | {"personal": True})).status_code == 201
        coast = cls(world, provider, ada, bea, (await Shelf.of(ada)).project_id)
        await coast.say_all()
        return coast

    async def say_all(self) -> None:
        await self.say(ADA_PRIVATE, self.ada)
        await self.say(BEA_PRIVATE, self.bea)
        self.shared_id = await self.say(SHARED, self.ada)
        await self.share(self.shared_id)
        unshared = await self.say(ADA_UNSHARED, self.ada)
        await self.share(unshared)
        await self.share(unshared, "private")
        pinned = await self.say(ADA_PINNED, self.ada)
        page = await done(self.ada.get(f"/api/conversations/{pinned}"))
        question = page["rounds"][0]["question"]["id"]
        await done(self.ada.put(f"/api/messages/{question}/marks", {"pinned": True}))
        await done(self.ada.post(f"/api/conversations/{pinned}/summary"))
        await indexed(self.world, meanings=False)

    async def say(self, canary: str, person: Person) -> str:
        turn = await person.start(password(canary), project_id=self.project_id)
        await person.finished(turn)
        return turn["conversation"]["id"]

    async def share(self, conversation: str, visibility: str = "workspace") -> None:
        await done(self.ada.put(f"/api/conversations/{conversation}", {"visibility": visibility}))

    async def begin(self, *, asked: bool = False) -> str:
        """Begin a conversation of Ada's, in which she asked already or not."""
        if not asked:
            made = await self.ada.post("/api/conversations", {"project_id": self.project_id})
            return made.json()["id"]
        turn = await self.ada.start(ABOUT_IT, models=[OPEN, OWN], project_id=self.project_id)
        await self.ada.finished(turn)
        return turn["conversation"]["id"]

    def arrived(self) -> list[set[str]]:
        """Return which canaries each request held that arrived since the last look."""
        bodies = [json.dumps(one.body) for one in self.provider.requests()]
        self.provider.server.requests.clear()
        return [{canary for canary in CANARIES if canary in body} for body in bodies]


@pytest.fixture
async def coast(world: World, provider: ScriptedProvider) -> Coast:
    return await Coast.settled(world, provider)


async def begun(person: Person, path: str, body: Json | None = None) -> Json:
    """Start paid work, wait for its end and return the round."""
    answer = await person.post(path, body or {})
    assert answer.status_code == 202, answer.text
    return await person.finished(answer.json())


async def every_kind_of_reply(coast: Coast, person: Person, conversation: str) -> dict[str, list[set[str]]]:
    """Have a person ask for every kind of reply, and return what was in the requests for each."""
    coast.arrived()
    asked = {"message": ABOUT_IT, "models": [OPEN, OWN], "conversation_id": conversation}
    round_ = await begun(person, "/api/turn", asked)
    found = {"answer": coast.arrived()}
    reply, place = round_["replies"][0]["id"], f"/api/rounds/{round_['id']}"

    async def note(kind: str, request: Awaitable[object]) -> None:
        await request
        found[kind] = coast.arrived()

    for model in (OPEN, OWN):
        await note(f"merge {model}", begun(person, f"{place}/merge", {"model": model}))
        await note(f"judge {model}", begun(person, f"{place}/judge", {"model": model}))
    await note("continue", begun(person, f"/api/replies/{reply}/continue"))
    await note("regenerate", begun(person, f"/api/replies/{reply}/regenerate", {"model": OWN}))
    await note("edit", begun(person, f"{place}/edit", {"message": f"{ABOUT_IT} Now."}))
    await note("summary", done(person.post(f"/api/conversations/{conversation}/summary")))
    return found


def all_in(found: dict[str, list[set[str]]]) -> dict[str, set[str]]:
    """Return the canaries that any request of each kind held."""
    return {kind: set[str]().union(*arrived) for kind, arrived in found.items()}


async def test_the_prompts_of_a_private_conversation_hold_what_its_owner_may_see(coast: Coast) -> None:
    found = all_in(await every_kind_of_reply(coast, coast.ada, await coast.begin()))
    assert found["answer"] == FOR_ADA, "what is her own and what is shared"
    assert all(canaries <= FOR_ADA for canaries in found.values()), found
    assert found["merge own/qwen3-near"] == FOR_ADA


Begin = Callable[[Coast], Awaitable[str]]


async def shared_before(coast: Coast) -> str:
    conversation = await coast.begin()
    await coast.share(conversation)
    return conversation


async def shared_later(coast: Coast) -> str:
    conversation = await coast.begin(asked=True)
    await coast.share(conversation)
    return conversation


async def shared_again(coast: Coast) -> str:
    conversation = await shared_before(coast)
    await coast.share(conversation, "private")
    turn = await coast.ada.start(ABOUT_IT, models=[OPEN], conversation_id=conversation)
    await coast.ada.finished(turn)
    await coast.share(conversation)
    return conversation


@pytest.mark.parametrize("begin", [shared_before, shared_later, shared_again])
async def test_the_prompts_of_a_shared_conversation_hold_what_every_member_may_see(
    coast: Coast, begin: Begin
) -> None:
    conversation = await begin(coast)
    for person in (coast.ada, coast.bea):
        found = all_in(await every_kind_of_reply(coast, person, conversation))
        assert found["answer"] == {SHARED}
        assert all(canaries <= {SHARED} for canaries in found.values()), found


async def test_nothing_is_remembered_from_one_audience_for_another(coast: Coast) -> None:
    """The models of a round share what was looked up for a few seconds; who asks next may not."""
    conversation = await coast.begin(asked=True)
    turn = await coast.ada.start(ABOUT_IT, models=[OPEN], conversation_id=conversation)
    await coast.share(conversation)
    round_ = await coast.ada.finished(turn)
    coast.arrived()
    for kind in ("merge", "judge"):
        await begun(coast.bea, f"/api/rounds/{round_['id']}/{kind}", {"model": OWN})
    assert set[str]().union(*coast.arrived()) == {SHARED}


async def test_a_conversation_that_is_private_again_is_asked_in_by_its_owner_alone(coast: Coast) -> None:
    conversation = await shared_before(coast)
    await begun(coast.bea, "/api/turn", {"message": ABOUT_IT, "conversation_id": conversation})
    await coast.share(conversation, "private")
    coast.arrived()
    refused = await coast.bea.post("/api/turn", {"message": ABOUT_IT, "conversation_id": conversation})
    assert (refused.status_code, coast.arrived()) == (404, [])
    found = all_in(await every_kind_of_reply(coast, coast.ada, conversation))
    assert found["answer"] == FOR_ADA


async def test_nobody_can_ask_through_another_persons_connection(coast: Coast) -> None:
    only_hers = {"slug": "hers", "kind": "openai-compatible", "base_url": coast.provider.openai_url}
    made = await coast.bea.post("/api/connections", only_hers | {"key": "k", "personal": True})
    assert made.status_code == 201
    refused = await coast.ada.post("/api/turn", {"message": ABOUT_IT, "models": ["hers/qwen3-near"]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "model_unknown")


async def test_an_estimate_counts_what_would_be_sent(coast: Coast) -> None:
    conversation = await shared_before(coast)
    body = {"message": ABOUT_IT, "models": [OPEN], "conversation_id": conversation}
    for person in (coast.ada, coast.bea):
        [lane] = (await done(person.post("/api/context/preview", body)))["lanes"]
        [passages] = [one for one in lane["plan"]["sections"] if one["kind"] == "passages"]
        quoted = {one["pointer"]["conversation_id"] for one in passages["items"]}
        assert quoted == {coast.shared_id}


@dataclass
class Trace:
    """A conversation of Ada's in which a tool quoted private ones, before it was shared."""

    coast: Coast
    conversation: str
    round: Json

    @property
    def reply(self) -> Json:
        return self.round["replies"][0]

    async def read_by(self, person: Person) -> dict[str, str]:
        """Return all that a person can read of the conversation, by the door it comes through."""
        place, reply = f"/api/conversations/{self.conversation}", f"/api/replies/{self.reply['id']}"
        [call] = self.reply["tool_calls"]
        doors = {
            "conversation": place,
            "rounds": f"{place}/rounds",
            "messages": f"{place}/messages",
            "summary": f"{place}/summary",
            "receipt": f"{reply}/receipt?texts=true",
            "result": f"{reply}/calls/{call['id']}/result",
        }
        answers = {name: await person.get(path) for name, path in doors.items()}
        for form in ("json", "markdown"):
            answers[form] = await person.post(f"{place}/export", {"format": form})
        assert {answer.status_code for answer in answers.values()} == {200}
        found = {name: answer.text for name, answer in answers.items()}
        return found | {"events": json.dumps(await self.heard_by(person))}

    async def heard_by(self, person: Person) -> list[Json]:
        """Return all events up to the end of the round, as one hears them who comes late."""
        heard: list[Json] = []
        async for event in person.events(self.conversation, after=0):
            heard.append(event)
            if event["type"] == "round.closed":
                break
        return heard


@pytest.fixture
async def trace(coast: Coast) -> Trace:
    turn = await coast.ada.start(ABOUT_IT, models=[OPEN], project_id=coast.project_id)
    return Trace(coast, turn["conversation"]["id"], await coast.ada.finished(turn))


def canaries_in(doors: dict[str, str]) -> dict[str, set[str]]:
    return {name: {canary for canary in CANARIES if canary in text} for name, text in doors.items()}


async def test_what_a_tool_quoted_is_read_by_those_who_may_open_what_it_quotes(trace: Trace) -> None:
    await trace.coast.share(trace.conversation)
    theirs = canaries_in(await trace.read_by(trace.coast.bea))
    assert set[str]().union(*theirs.values()) == {SHARED}, theirs
    assert theirs["result"] == set(), "what it gave is one text, and quotes private ones too"
    own = canaries_in(await trace.read_by(trace.coast.ada))
    assert (own["receipt"], own["result"]) == (FOR_ADA, FOR_ADA)


async def test_what_a_tool_quoted_goes_into_no_prompt_of_others(trace: Trace) -> None:
    coast = trace.coast
    await coast.share(trace.conversation)
    coast.arrived()
    for person in (coast.bea, coast.ada):
        await begun(person, f"/api/replies/{trace.reply['id']}/regenerate")
        await begun(person, "/api/turn", {"message": "Go on.", "conversation_id": trace.conversation})
    assert set[str]().union(*coast.arrived()) <= {SHARED}


async def test_a_reply_that_goes_on_has_what_its_tools_quoted_as_long_as_it_is_private(trace: Trace) -> None:
    coast, going_on = trace.coast, f"/api/replies/{trace.reply['id']}/continue"
    coast.provider.script("scripted-smart", Script(reply="so.", finish="length"))
    await set_flags(coast.ada, token_budget=0)
    coast.arrived()
    again = await begun(coast.ada, going_on)
    assert set[str]().union(*coast.arrived()) == FOR_ADA

    await coast.share(trace.conversation)
    await begun(coast.bea, f"/api/replies/{again['replies'][-1]['id']}/continue")
    assert set[str]().union(*coast.arrived()) == set()
