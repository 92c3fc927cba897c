"""Search through the API: what is found where, what each flag and filter does, and what is kept of it."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic

import pytest
from tests import fake_embedder
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.scripted_provider import ScriptedProvider
from tests.search_world import SOON, contents, hits, indexed, search, until
from tests.world import Json, Person, World

from tertulia.core.clock import now, to_ms
from tertulia.core.ids import new_id
from tertulia.infra.db.errors import StorageFailed
from tertulia.memory import summaries
from tertulia.memory.domain import Point, PointKind, Summary

pytestmark = pytest.mark.both_engines


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeEmbedder:
    one = FakeEmbedder()
    fake_embedder.use(monkeypatch, one)
    return one


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider, fake: FakeEmbedder) -> AsyncGenerator[World]:
    del fake
    async with World.open(tmp_path / "data", provider=provider) as world:
        yield world


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    return await Shelf.of(ada)


async def choose(person: Person, **flags: object) -> Json:
    answer = await person.client.patch("/api/retrieval/preferences", json=flags)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_where_nothing_is_indexed_nothing_is_found(ada: Person, shelf: Shelf) -> None:
    found = await search(ada, "anything at all", shelf.project_id)
    assert (found["hits"], found["broken"]) == ([], [])
    index = (await ada.get(f"/api/projects/{shelf.project_id}/index")).json()
    assert (index["total"], index["chunks"], index["problems"]) == (0, 0, [])


async def test_a_file_and_a_message_are_found_soon_after_they_were_said(ada: Person, shelf: Shelf) -> None:
    await shelf.write("lamp.md", "The lighthouse keeper trims the wick at dusk.")
    await until(lambda: contents(ada, "lighthouse wick", shelf.project_id), seconds=SOON)
    turn = await ada.start("Our mascot is an axolotl.", project_id=shelf.project_id)
    began = monotonic()

    async def places() -> list[Json]:
        found = await hits(ada, "mascot axolotl", shelf.project_id)
        talk = [hit["location"] for hit in found if hit["kind"] == "message"]
        return talk if "user" in [place["speaker"] for place in talk] else []

    found = await until(places, seconds=SOON)

    assert monotonic() - began < SOON
    assert {place["conversation_id"] for place in found} == {turn["conversation"]["id"]}
    assert {place["round_id"] for place in found} == {turn["round"]["id"]}


async def test_a_search_keeps_to_its_project_and_a_global_one_sees_all(
    world: World, ada: Person, shelf: Shelf
) -> None:
    other = await Shelf.of(ada, "Other")
    await shelf.write("a.md", "The walrus lives here.")
    await other.write("b.md", "The walrus lives there.")
    await indexed(world)

    assert await contents(ada, "walrus", shelf.project_id) == ["The walrus lives here."]
    assert len(await contents(ada, "walrus")) == 2


async def test_signs_of_numbers_are_found_like_letters(world: World, ada: Person, shelf: Shelf) -> None:
    await shelf.write("gas.md", "CO\u2082 rises")
    await shelf.write("firm.md", "Miller & Co rises")
    await shelf.write("bread.md", "\u00bd pound of flour")
    await choose(ada, dense=False)
    await indexed(world)

    assert await contents(ada, "CO\u2082", shelf.project_id) == ["CO\u2082 rises"]
    assert await contents(ada, "co", shelf.project_id) == ["Miller & Co rises"]
    assert await contents(ada, "\u00bd", shelf.project_id) == ["\u00bd pound of flour"]


async def test_an_embedder_may_have_more_dimensions_than_an_index_takes(
    monkeypatch: pytest.MonkeyPatch, provider: ScriptedProvider, tmp_path: Path
) -> None:
    fake_embedder.use(monkeypatch, FakeEmbedder(dimensions=4_096))
    async with World.open(tmp_path / "long", provider=provider) as world:
        ada = await world.person()
        shelf = await Shelf.of(ada)
        await shelf.write("a.md", "An automobile.")
        await indexed(world)
        assert await contents(ada, "vehicle", shelf.project_id) == ["An automobile."]


async def test_what_was_said_in_the_conversation_at_hand_counts_more(
    world: World, ada: Person, shelf: Shelf
) -> None:
    turns = [
        await ada.start(f"The walrus eats {food}.", project_id=shelf.project_id)
        for food in ("clams today", "fish today")
    ]
    for turn in turns:
        await ada.finished(turn)
    await indexed(world)

    for turn in turns:
        here = turn["conversation"]["id"]
        found = await hits(ada, "what does the walrus eat", shelf.project_id, conversation_id=here)
        assert found[0]["location"]["conversation_id"] == here
        assert any(reason["signal"] == "here" for reason in found[0]["why"])


async def test_each_filter_keeps_out_what_does_not_pass(world: World, ada: Person, shelf: Shelf) -> None:
    await shelf.write("docs/guide.md", "The walrus guide.")
    await shelf.write("docs-old/guide.md", "The walrus guide of old.")
    await shelf.write("src/walrus.py", "def walrus():\n    return 'walrus'\n")
    tagged = await shelf.write("notes.txt", "Notes of a walrus.")
    changed = await ada.client.patch(f"{shelf.url}/{tagged['id']}/metadata", json={"tags": ["sea"]})
    assert changed.status_code == 200, changed.text
    await ada.finished(await ada.start("A walrus, I say.", project_id=shelf.project_id))
    await indexed(world)

    async def places(**wanted: object) -> set[str]:
        found = await hits(ada, "walrus", shelf.project_id, filter=wanted, limit=50)
        return {hit["location"].get("path") or hit["location"]["speaker"] for hit in found}

    everything = await places()
    assert {"docs/guide.md", "docs-old/guide.md", "src/walrus.py", "notes.txt", "user"} <= everything
    files = {place for place in everything if place.endswith((".md", ".py", ".txt"))}
    assert await places(kinds=["file"]) == await places(exclude_conversations=True) == files
    assert await places(kinds=["message"]) == everything - files
    assert await places(file_types=["py"]) == await places(file_types=[".PY"]) == {"src/walrus.py"}
    assert await places(paths=["docs"]) == await places(paths=["docs/"]) == {"docs/guide.md"}
    assert await places(paths=["docs/guide.md"]) == {"docs/guide.md"}
    assert await places(tags=["sea"]) == {"notes.txt"}
    assert await places(tags=["land"]) == set()
    assert await places(speakers=["user"]) == {"user"}
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    assert await places(since=tomorrow) == set()
    assert await places(until=tomorrow) == everything
    assert await places(file_types=["%"]) == await places(file_types=["_y"]) == set()


async def test_no_more_is_found_than_was_asked_for(world: World, ada: Person, shelf: Shelf) -> None:
    for number in range(6):
        await shelf.write(f"{number}.md", f"Walrus number {number} of six.")
    await indexed(world)

    every = await hits(ada, "walrus", shelf.project_id, limit=100)
    assert len(every) == 6
    assert [hit["id"] for hit in await hits(ada, "walrus", shelf.project_id, limit=2)] == [
        hit["id"] for hit in every[:2]
    ]


async def test_what_has_the_meaning_but_not_the_words_is_found_by_meaning_alone(
    world: World, ada: Person, shelf: Shelf
) -> None:
    await shelf.write("a.md", "automobile")
    await shelf.write("b.md", "something else entirely")
    await indexed(world)

    assert (await contents(ada, "car", shelf.project_id, parts=["dense"]))[0] == "automobile"
    assert await contents(ada, "car", shelf.project_id, parts=["lexical"]) == []
    assert await contents(ada, "car", shelf.project_id, parts=[]) == []


async def test_an_identifier_is_found_by_its_parts_and_as_a_whole(
    world: World, ada: Person, shelf: Shelf
) -> None:
    await shelf.write("src/users.py", "def getUserName(row):\n    return row.full_name\n")
    await shelf.write("src/other.py", "def unrelated():\n    return 1\n")
    await indexed(world)

    for query in ("getUserName", "user name", "full_name", "src/users.py", "where is getUserName() defined"):
        found = await hits(ada, query, shelf.project_id, parts=["lexical", "identifiers"])
        assert found, query
        assert found[0]["location"]["path"] == "src/users.py", query
    assert await hits(ada, "getUserName", shelf.project_id, parts=["identifiers"])


async def test_each_flag_can_be_off_by_preference_and_holds_from_the_next_search(
    world: World, ada: Person, shelf: Shelf, fake: FakeEmbedder
) -> None:
    await shelf.write("a.md", "automobile")
    await shelf.write("b.md", "The walrus eats clams.")
    await indexed(world)

    await choose(ada, dense=False)
    asked = len(fake.queries)
    assert await contents(ada, "car", shelf.project_id) == []
    assert await contents(ada, "walrus", shelf.project_id)
    assert len(fake.queries) == asked

    await choose(ada, dense=True, hybrid=False)
    found = await hits(ada, "walrus clams", shelf.project_id)
    assert found
    assert all(reason["signal"] != "lexical" for hit in found for reason in hit["why"])

    await choose(ada, hybrid=None, dense=None, rerank=False)
    plain = await hits(ada, "walrus clams", shelf.project_id)
    assert all(r["adds"] == 0 for hit in plain for r in hit["why"] if r["signal"] == "coverage")
    held = await choose(ada, rerank=None)
    assert held["chosen"] == []
    assert all(held["current"][name] for name in ("hybrid", "dense", "rerank"))


async def test_chunking_and_structure_can_be_off_and_texts_are_cut_anew(
    world: World, ada: Person, shelf: Shelf
) -> None:
    await shelf.write("a.py", "".join(f"def walrus{n}():\n    return {n}\n\n\n" for n in range(12)))
    long = "\n\n".join(f"Paragraph {n}. " + "The walrus eats clams at noon. " * 30 for n in range(12))
    await ada.finished(await ada.start(long, project_id=shelf.project_id))
    await indexed(world)

    async def chunks(kind: str) -> int:
        sql = "SELECT chunk_count FROM sources WHERE kind = :kind ORDER BY id LIMIT 1"
        return await world.db.read(lambda tx: tx.value(sql, kind=kind), by=None)

    cut = await chunks("message")
    assert cut > 1
    await choose(ada, chunking=False, structure=False)
    await indexed(world)
    assert await chunks("message") == 1
    assert await chunks("file") == 1
    assert await contents(ada, "walrus clams", shelf.project_id)
    await choose(ada, chunking=None, structure=None)
    await indexed(world)
    assert await chunks("message") == cut


@pytest.mark.parametrize(
    ("flag", "finds"), [("RAG_DENSE", False), ("RAG_HYBRID", True), ("RAG_RERANK", True)]
)
async def test_each_flag_can_be_off_by_the_environment(
    tmp_path: Path, provider: ScriptedProvider, fake: FakeEmbedder, flag: str, finds: bool
) -> None:
    del fake
    async with World.open(tmp_path / "other", provider=provider, **{flag: "off"}) as world:
        ada = await world.person(role="owner")
        shelf = await Shelf.of(ada)
        await shelf.write("a.md", "automobile")
        await indexed(world)
        held = (await ada.get("/api/retrieval/preferences")).json()

        name = flag.removeprefix("RAG_").lower()
        assert (held["current"][name], held["server"][name]) == (False, False)
        assert bool(await contents(ada, "car", shelf.project_id)) is finds


async def test_weights_out_of_bounds_are_refused(ada: Person) -> None:
    for flags in ({"rerank_alpha": 1.5}, {"rerank_beta": -0.1}, {"token_budget": 100_001}, {"unheard_of": 1}):
        answer = await ada.client.patch("/api/retrieval/preferences", json=flags)
        assert answer.status_code == 422, flags
    assert (await ada.get("/api/retrieval/preferences")).json()["chosen"] == []


async def test_without_an_embedder_words_are_searched_and_the_answer_says_so(
    world: World, ada: Person, shelf: Shelf, fake: FakeEmbedder
) -> None:
    await shelf.write("a.md", "The walrus eats clams.")
    await indexed(world)
    fake.broken = True

    found = await search(ada, "walrus and clams", shelf.project_id)
    assert [hit["content"] for hit in found["hits"]] == ["The walrus eats clams."]
    assert found["broken"] == ["embedder_unavailable"]
    round_ = await ada.ask("What does the walrus eat?", project_id=shelf.project_id)
    assert round_["replies"][0]["status"] == "done"

    fake.broken = False
    assert (await search(ada, "walrus and clams", shelf.project_id))["broken"] == []


async def test_vectors_that_cannot_be_read_leave_words_to_be_searched(
    world: World, ada: Person, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shelf.write("a.md", "The walrus eats clams.")
    await indexed(world)

    def fail(*_: object, **__: object) -> dict[int, float]:
        raise StorageFailed("the disk is damaged")

    monkeypatch.setattr(type(world.server.parts.search.indexes.vectors), "search", fail)
    found = await search(ada, "walrus and clams", shelf.project_id)
    assert [hit["content"] for hit in found["hits"]] == ["The walrus eats clams."]
    assert found["broken"] == ["storage_failed"]


async def test_the_figures_of_searches_are_kept_for_a_month_and_only_for_oneself(
    world: World, ada: Person, shelf: Shelf
) -> None:
    await shelf.write("a.md", "The walrus eats clams.")
    await indexed(world)
    await search(ada, "walrus", shelf.project_id)
    await search(ada, "zebra zeppelin", shelf.project_id, parts=["lexical"])

    async def kept() -> Json | None:
        told = (await ada.get("/api/memory/metrics")).json()
        return told if told["searches"] == 2 else None

    told = await until(kept)
    assert told["hit_rate"] == 0.5
    assert told["kinds"] == {"search": 2}
    assert told["p50_ms"] <= told["p95_ms"] <= told["p99_ms"]
    assert [day["searches"] for day in told["days"]] == [2]
    first = told["latest"][-1]
    assert first["query"] == ""
    assert set(first["latency"]) == {"totalMs", "denseMs", "embeddingMs", "ftsMs", "rerankMs"}
    assert set(told["parts"]) == {"total", "dense", "embedding", "fts", "rerank"}
    for times in told["parts"].values():
        assert times["p50_ms"] <= times["p95_ms"] <= times["p99_ms"]
    assert told["hits_by_kind"] == first["kinds"] == {"file": first["hits"]}
    assert told["given_up"] == {}
    assert set(first["sources"]) == {"conversationDense", "globalDense", "ftsLexical", "summaries", "profile"}
    assert all(0 < similarity <= 1 for similarity in first["topSimilarities"])
    assert first["topSimilarities"]
    bob = await world.person(like=ada)
    assert (await bob.get("/api/memory/metrics")).json()["searches"] == 0

    old = to_ms(now() - timedelta(days=31))
    sql = "UPDATE retrieval_metrics SET created_at = :old WHERE hits > 0"
    await world.db.write(lambda tx: tx.run(sql, old=old), by=None)
    await search(ada, "clams", shelf.project_id)

    async def pruned() -> bool:
        sql = "SELECT hits > 0 FROM retrieval_metrics ORDER BY created_at"
        return await world.db.read(lambda tx: tx.column(sql), by=None) == [0, 1]

    assert await until(pruned)


async def test_a_search_can_be_looked_at_closely(world: World, ada: Person, shelf: Shelf) -> None:
    await shelf.write("a.md", "# Diet\n\nThe walrus eats clams.")
    await indexed(world)

    query = {"q": "what did we decide about walrus_diet in 2026-03", "projectId": shelf.project_id}
    told = (await ada.get("/api/memory/debug/retrieval", params=query)).json()
    assert told["results"][0]["path"] == "a.md"
    assert told["results"][0]["source"] in ("dense", "fts")
    assert sum(told["results"][0]["why"].values()) == pytest.approx(told["results"][0]["score"], abs=0.002)
    assert told["understood"]["names"] == ["walrus_diet"]
    assert told["understood"]["between"][0].startswith("2026-03-01")
    assert told["understood"]["talk"] == 1.0
    stats = (await ada.get("/api/memory/debug/stats")).json()
    assert (stats["totalFiles"], stats["totalMessages"], stats["embedder"]) == (1, 0, "fake/one")
    assert stats["totalChunks"] == stats["totalVectors"] > 0
    assert set(stats["indexSizes"]) == {"messages", "files", "summaries", "embeddings", "fts"}


async def test_the_text_of_messages_and_of_files_is_measured_apart_and_in_bytes(
    world: World, ada: Person, shelf: Shelf
) -> None:
    await shelf.write("a.md", "\u00e4" * 300_000)
    await ada.ask("\u00fc" * 100_000, project_id=shelf.project_id)
    await indexed(world)

    sizes = (await ada.get("/api/memory/debug/stats")).json()["indexSizes"]
    # The reply says the question again.
    assert (sizes["messages"], sizes["files"]) == ("0.4 MB", "0.6 MB")


async def test_summaries_are_counted_for_who_may_see_their_conversation(world: World, ada: Person) -> None:
    turn = await ada.start("What does the walrus eat?")
    await ada.finished(turn)
    await indexed(world)
    round_ = turn["round"]
    summary = Summary(
        id=new_id("sum"),
        workspace_id=ada.principal.workspace_id,
        conversation_id=turn["conversation"]["id"],
        round_id=round_["id"],
        round_number=1,
        watermark=0,
        points=[Point(PointKind.TOPIC, "Clams are on the menu.", [round_["question"]["id"]], [1], ["user"])],
        made_by="extractive",
        created_at=now(),
        undone_at=None,
    )
    await world.db.write(lambda tx: summaries.add_summary(tx, summary), by=ada.principal)
    bob = await world.person(like=ada)
    for person, known in ((ada, 1), (bob, 0)):
        assert (await person.get("/api/memory/debug/stats")).json()["totalSummaries"] == known


@pytest.mark.parametrize("missing", ["off", "connection"])
async def test_a_server_without_an_embedder_searches_by_words_and_chats(
    tmp_path: Path, provider: ScriptedProvider, missing: str
) -> None:
    env = {"TERTULIA_EMBEDDER": "off"}
    if missing == "connection":
        env = {"TERTULIA_EMBEDDER": "nowhere/embedding-model"}
    async with World.open(tmp_path / "other", provider=provider, **env) as world:
        ada = await world.person(role="owner")
        shelf = await Shelf.of(ada)
        await shelf.write("a.md", "The walrus eats clams.")
        await indexed(world, meanings=False)

        assert await contents(ada, "walrus", shelf.project_id) == ["The walrus eats clams."]
        round_ = await ada.ask("What does the walrus eat?", project_id=shelf.project_id)
        assert round_["replies"][0]["status"] == "done"
        await indexed(world, meanings=False)
        index = (await ada.get(f"/api/projects/{shelf.project_id}/index")).json()
        assert (index["waiting"], index["failed"], index["total"]) == (0, 0, 3)


async def test_an_embedder_without_a_connection_is_told_of_when_one_asks(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    async with World.open(tmp_path / "d", provider=provider, TERTULIA_EMBEDDER="nowhere/model") as world:
        ada = await world.person()

        async def told() -> str | None:
            sentence = (await ada.get("/ready")).json()["dependencies"]["embedder"]
            return sentence if "nowhere" in sentence else None

        assert "no connection" in await until(told)
