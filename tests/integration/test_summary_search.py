"""Summaries in search: points are found while they hold, by whoever may see their conversation."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests import fake_embedder
from tests.context_world import compressed, done, set_flags, summaries
from tests.fake_embedder import FakeEmbedder
from tests.long_talk import Spoken, talk
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import hits, indexed, rows, until
from tests.world import Json, Person, World
from tests.written_rounds import write_rounds

from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.memory.domain import Point, PointKind, Summary
from tertulia.memory.summaries import add_summary

pytestmark = pytest.mark.both_engines

MODEL = "openai/scripted-fast"
FIRST = Spoken("We go with Cassandra for the sensor archive.", "Very well.")
BACK = Spoken("Scrap Cassandra, the sensor archive stays in DuckDB.", "Understood.")
#: In no message: what is found of it is a point.
POINT = "The zebrawood cabinet goes to the museum of Bergen."


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeEmbedder:
    one = FakeEmbedder()
    fake_embedder.use(monkeypatch, one)
    return one


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider, fake: FakeEmbedder) -> AsyncGenerator[World]:
    del fake
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


@pytest.fixture
async def ada(world: World) -> Person:
    ada = await world.person(role="owner")
    await set_flags(ada, summary_frequency=0)
    return ada


@pytest.fixture
async def project(ada: Person) -> str:
    return (await ada.post("/api/projects", {"name": "Archive"})).json()["id"]


async def conversation_in(person: Person, project: str, *, max_tokens: int = 4_000) -> str:
    made = await person.post("/api/conversations", {"title": "Sensors", "project_id": project})
    assert made.status_code == 201, made.text
    path = f"/api/conversations/{made.json()['id']}"
    return (await done(person.put(path, {"context": {"max_tokens": max_tokens}})))["id"]


async def summarised(world: World, person: Person, conversation: str, *said: Spoken) -> Json:
    """Say something, summarise all that was said, and wait until that is found."""
    await write_rounds(world.db, person, conversation, said)
    made = await done(person.post(f"/api/conversations/{conversation}/summary"))
    await indexed(world)
    return made


async def add_point(
    world: World, person: Person, conversation: str, text: str = POINT, *, source: str = ""
) -> Summary:
    """Have a summary of a conversation's last round tell something, and wait until that is found."""
    path = f"/api/conversations/{conversation}/messages"
    last = (await done(person.get(path)))["messages"][-1]
    version = Summary(
        id=new_id("sum"),
        workspace_id=person.principal.workspace_id,
        conversation_id=conversation,
        round_id=last["round_id"],
        round_number=1,
        watermark=0,
        points=[Point(PointKind.DECISION, text, [source or last["id"]], [1], ["user"])],
        made_by="extractive",
        created_at=now(),
        undone_at=None,
    )
    made = await world.db.write(lambda tx: add_summary(tx, version), by=person.principal)
    await indexed(world)
    return made


async def points(person: Person, query: str, project: str | None = None, **more: Any) -> list[str]:
    """Return the points that are found, those of one round after each other."""
    found = await hits(person, query, project, filter={"kinds": ["summary"]}, **more)
    assert {hit["kind"] for hit in found} <= {"summary"}
    return [point for hit in found for point in hit["content"].splitlines()]


async def test_a_point_is_found_and_leads_to_where_it_was_said(
    world: World, ada: Person, project: str
) -> None:
    conversation = await conversation_in(ada, project)
    made = await summarised(
        world, ada, conversation, *talk(rounds=2, facts=[], last=0), FIRST, *talk(rounds=2, facts=[], last=0)
    )

    [hit] = await hits(ada, "Cassandra sensor archive", project, filter={"kinds": ["summary"]}, limit=1)
    [told] = [point for point in made["points"] if "Cassandra" in point["text"]]
    assert (hit["kind"], hit["source_id"], hit["content"]) == ("summary", made["id"], told["text"])
    place = hit["location"]
    assert (place["conversation_id"], place["title"], place["speaker"]) == (
        conversation,
        "Sensors",
        "summary",
    )
    assert (place["round_number"], place["summary_id"]) == (3, made["id"])
    asked = (await ada.round(conversation, place["round_id"]))["question"]
    assert (asked["content"], place["message_ids"]) == (FIRST.question, [asked["id"]])
    assert POINT not in await points(ada, "Cassandra sensor archive")


async def test_the_message_stands_for_what_it_says_itself(world: World, ada: Person, project: str) -> None:
    conversation = await conversation_in(ada, project)
    await summarised(world, ada, conversation, FIRST, *talk(rounds=2, facts=[], last=0))

    found = await hits(ada, "Which archive do we use Cassandra for?", project)
    about = [hit["kind"] for hit in found if "Cassandra" in hit["content"]]
    assert about == ["message"]
    assert await points(ada, "Which archive do we use Cassandra for?", project) == [FIRST.question]


async def test_what_no_message_says_is_found_among_messages(world: World, ada: Person, project: str) -> None:
    conversation = await conversation_in(ada, project)
    await write_rounds(world.db, ada, conversation, [FIRST])
    await add_point(world, ada, conversation)

    [best, *_] = await hits(ada, "Where does the zebrawood cabinet go?", project)
    assert (best["kind"], best["content"]) == ("summary", POINT)
    assert {reason["signal"] for reason in best["why"]}.isdisjoint({"recency", "neighbour", "retold"})
    [again, *_] = await hits(ada, "zebrawood cabinet", parts=["dense"])
    assert again["content"] == POINT


async def test_only_what_is_new_is_indexed_with_a_further_version(
    world: World, ada: Person, project: str, fake: FakeEmbedder
) -> None:
    conversation = await conversation_in(ada, project)
    first = await summarised(world, ada, conversation, FIRST, *talk(rounds=4, facts=[], last=0))
    assert any(text.endswith(FIRST.question) for text in fake.texts)
    fake.texts.clear()
    more = Spoken("The lighthouse keeper is called Solveig Strand.", "Noted.")
    second = await summarised(world, ada, conversation, more)

    old, new = ({point["text"] for point in version["points"]} for version in (first, second))
    assert len(old & new) > 1, "a version repeats what the one before told"
    embedded = {line for text in fake.texts for line in text.splitlines()}
    assert embedded & (old | new) == new - old
    [hit] = await hits(ada, "lighthouse keeper", project, filter={"kinds": ["summary"]}, limit=1)
    assert hit["source_id"] == second["id"]
    [hit] = await hits(ada, "Cassandra", project, filter={"kinds": ["summary"]}, limit=1)
    assert hit["source_id"] == first["id"]


async def test_what_was_taken_back_is_found_in_its_old_form_no_more_until_that_is_undone(
    world: World, ada: Person, project: str
) -> None:
    conversation = await conversation_in(ada, project)
    chat = talk(rounds=40, facts=[], last=0)
    await write_rounds(world.db, ada, conversation, [FIRST, *chat[:20]])
    await compressed(ada, conversation)
    await indexed(world)
    assert FIRST.question in await points(ada, "Cassandra", project)

    await write_rounds(world.db, ada, conversation, [BACK, *chat[20:]])
    await compressed(ada, conversation)
    await indexed(world)
    told = await points(ada, "Cassandra", project)
    assert FIRST.question not in told
    assert any(FIRST.question in point and "DuckDB" in point for point in told)

    await done(ada.delete(f"/api/conversations/{conversation}/compression"))
    await indexed(world)
    told = await points(ada, "Cassandra", project)
    assert FIRST.question in told
    assert not any("DuckDB" in point for point in told)


async def test_a_point_is_found_by_those_who_may_see_its_conversation(
    world: World, ada: Person, project: str
) -> None:
    bob, eve = await world.person(like=ada), await world.person(role="owner")
    conversation = await conversation_in(ada, project)
    await write_rounds(world.db, ada, conversation, [FIRST])
    await add_point(world, ada, conversation)

    async def finders() -> list[Person]:
        return [one for one in (ada, bob, eve) if POINT in await points(one, "zebrawood cabinet")]

    assert await finders() == [ada]
    path = f"/api/conversations/{conversation}"
    await done(ada.put(path, {"visibility": "workspace"}))
    await indexed(world)
    assert await finders() == [ada, bob]
    assert POINT in await points(bob, "zebrawood cabinet", project)
    await done(ada.put(path, {"visibility": "private"}))
    assert await finders() == [ada]
    await indexed(world)
    assert await finders() == [ada]


async def test_with_its_conversation_a_summary_leaves_search_and_comes_back(
    world: World, ada: Person, project: str
) -> None:
    conversation = await conversation_in(ada, project)
    await write_rounds(world.db, ada, conversation, [FIRST])
    await add_point(world, ada, conversation)
    deletion = await ada.post(f"/api/conversations/{conversation}/deletion")
    assert await points(ada, "zebrawood cabinet") == []

    assert (await ada.post(f"/api/deletions/{deletion.json()['id']}/restore")).status_code == 204
    await indexed(world)
    assert await points(ada, "zebrawood cabinet") == [POINT]

    assert (await ada.delete(f"/api/conversations/{conversation}")).status_code == 204

    async def is_gone() -> bool:
        left = await rows(world)
        return not any(left[table] for table in ("sources", "chunks", "vectors", "words"))

    assert await until(is_gone)


async def test_a_version_that_is_deleted_leaves_no_trace(world: World, ada: Person, project: str) -> None:
    conversation = await conversation_in(ada, project)
    await write_rounds(world.db, ada, conversation, [FIRST])
    await indexed(world)
    before = await rows(world)
    made = await add_point(world, ada, conversation)
    await world.db.write(lambda tx: tx.run("DELETE FROM summaries WHERE id = :id", id=made.id), by=None)
    assert await rows(world) == before


async def test_points_of_several_branches_are_found_side_by_side(
    world: World, ada: Person, project: str
) -> None:
    conversation = await conversation_in(ada, project)
    [first, *_] = await write_rounds(world.db, ada, conversation, [FIRST, *talk(rounds=1, facts=[], last=0)])
    await add_point(world, ada, conversation)
    turn = await ada.start(
        "Let us begin again.", conversation_id=conversation, parent_id=first, models=[MODEL]
    )
    await ada.finished(turn)
    await indexed(world)
    await add_point(world, ada, conversation, "The rosewood piano goes to Trondheim.")

    assert await points(ada, "zebrawood cabinet", limit=1) == [POINT]
    assert await points(ada, "rosewood piano", limit=1) == ["The rosewood piano goes to Trondheim."]


async def test_a_point_of_a_local_message_is_sent_to_no_embedder_elsewhere(
    world: World, ada: Person, project: str, fake: FakeEmbedder
) -> None:
    conversation = await conversation_in(ada, project)
    [secret, plain] = await write_rounds(
        world.db, ada, conversation, [FIRST, *talk(rounds=1, facts=[], last=0)]
    )
    await done(ada.put(f"/api/messages/{secret}/marks", {"local_only": True}))
    await indexed(world)
    fake.is_local = False
    fake.texts.clear()
    await add_point(world, ada, conversation, source=secret)
    assert not any(POINT in text for text in fake.texts)
    assert await points(ada, "zebrawood cabinet") == [POINT], "it is found by its words"

    await done(ada.put(f"/api/messages/{secret}/marks", {"local_only": False}))
    await indexed(world)
    assert any(POINT in text for text in fake.texts)
    fake.texts.clear()
    await add_point(world, ada, conversation, "The rosewood piano goes to Trondheim.", source=plain)
    assert any("rosewood" in text for text in fake.texts)


async def test_no_model_is_shown_a_point_of_search(
    world: World, ada: Person, project: str, provider: ScriptedProvider
) -> None:
    earlier = await conversation_in(ada, project)
    await write_rounds(world.db, ada, earlier, [Spoken("The oak cabinet goes to Bergen by ship.", "Fine.")])
    await add_point(world, ada, earlier)
    assert await points(ada, "Which cabinet goes to Bergen?", project) == [POINT]
    look = ScriptedCall(name="search_project", arguments='{"query": "zebrawood cabinet museum Bergen"}')
    provider.script("scripted-fast", Script(reply="So it is.", tool_calls=[look]))

    here = await conversation_in(ada, project)
    question = "Which cabinet goes to Bergen, the zebrawood one?"
    turn = await ada.start(question, conversation_id=here, models=[MODEL])
    [reply] = (await ada.finished(turn))["replies"]

    assert [call["name"] for call in reply["tool_calls"]] == ["search_project"]
    asked = [json.dumps(request.body) for request in provider.requests("scripted-fast")]
    assert len(asked) > 1
    assert all("oak cabinet goes" in body for body in asked), "what was said is quoted"
    assert not any("goes to the museum" in body for body in asked)
    assert {passage["kind"] for passage in reply["passages"]} == {"message"}


async def test_summaries_are_counted(world: World, ada: Person, project: str) -> None:
    conversation = await conversation_in(ada, project)
    await write_rounds(world.db, ada, conversation, [FIRST])
    await indexed(world)
    before = (await ada.get(f"/api/projects/{project}/index")).json()
    await add_point(world, ada, conversation)
    await points(ada, "zebrawood cabinet", project)

    index = (await ada.get(f"/api/projects/{project}/index")).json()
    assert (index["total"], index["ready"]) == (before["total"] + 1, before["ready"] + 1)
    assert index["chunks"] == before["chunks"] + 1
    stats = (await ada.get("/api/memory/debug/stats")).json()
    assert (stats["totalSummaries"], stats["totalMessages"], stats["totalFiles"]) == (1, 2, 0)
    assert stats["totalChunks"] == stats["totalVectors"] == index["chunks"]
    query = {"q": "zebrawood cabinet", "projectId": project}
    [best, *_] = (await ada.get("/api/memory/debug/retrieval", params=query)).json()["results"]
    assert (best["type"], best["content"], best["path"]) == ("summary", POINT, "Sensors, round 1")

    async def counted() -> Json | None:
        told = (await ada.get("/api/memory/metrics")).json()
        return told if told["searches"] == 2 else None

    told = await until(counted)
    assert told["hits_by_kind"]["summary"] == 2
    assert [search["sources"]["summaries"] for search in told["latest"]] == [1, 1]
    assert (await summaries(ada, conversation))["current"] is not None


async def test_a_search_for_a_kind_that_there_is_not_is_refused(ada: Person) -> None:
    every = {"kinds": ["file", "message", "summary"]}
    assert (await ada.post("/api/search/global", {"query": "x", "filter": every})).status_code == 200
    odd = {"kinds": ["profile"]}
    assert (await ada.post("/api/search/global", {"query": "x", "filter": odd})).status_code == 422
