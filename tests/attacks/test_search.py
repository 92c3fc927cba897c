"""Search as an attacker uses it: to learn what others said, to break it, to be found what must be gone."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests import fake_embedder
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.scripted_provider import ScriptedProvider
from tests.search_world import contents, hits, indexed, rows, search, until
from tests.world import Json, Person, World

from tertulia.retrieval import word_frequencies

pytestmark = pytest.mark.both_engines


#: In a large collection a wide place is looked up in the rows: with 0 every collection counts as large.
AT_ANY_SIZE = pytest.mark.parametrize("small", [word_frequencies.SMALL_INDEX_MAX_CHUNKS, 0])
SECRET = "The zanzibar handshake opens the vault."
HOSTILE = [
    'vault" OR place : (oall) OR "',
    "content : vault AND NOT zanzibar",
    "NEAR(zanzibar vault, 5)",
    "vault*",
    "^vault",
    '"""',
    "'; DROP TABLE chunks; --",
    "(((((",
    "🦜" * 500,
    "zanzibar " * 2_000,
    "a_b.c::d->e/f-g " * 200,
    "9999-12-31 December 9999 0000-00-00",
    "",
    " \t\r\n",
    "{content keys} : vault",
    "\u202e\ufeff",
]


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    fake_embedder.use(monkeypatch, FakeEmbedder())
    async with World.open(tmp_path / "data", provider=provider) as world:
        yield world


async def said(person: Person, message: str, **more: str) -> Json:
    """Have a person say something, and return the turn once it was answered."""
    turn = await person.start(message, **more)
    await person.finished(turn)
    return turn


async def everything_shown(person: Person, query: str, project_id: str) -> str:
    """Return all that any door of search shows a person."""
    shown = [
        (await search(person, query, project_id, limit=100)),
        (await search(person, query, limit=100)),
        (await search(person, query, project_id, limit=100, parts=["lexical"])),
        (await search(person, query, project_id, limit=100, parts=["dense"])),
        (
            await person.get("/api/memory/debug/retrieval", params={"q": query, "projectId": project_id})
        ).json(),
        (await person.get("/api/memory/metrics")).json()["latest"],
    ]
    return "".join(str(one) for one in shown).replace(query, "")


@AT_ANY_SIZE
async def test_another_workspace_finds_nothing(
    world: World, ada: Person, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_frequencies, "SMALL_INDEX_MAX_CHUNKS", small)
    shelf = await Shelf.of(ada)
    await shelf.write("vault.md", SECRET)
    await said(ada, SECRET, project_id=shelf.project_id)
    eve = await world.person(role="owner")
    his = await Shelf.of(eve)
    await his.write("mine.md", "Nothing of the sort.")
    await indexed(world)

    assert await contents(ada, "zanzibar handshake", shelf.project_id)
    assert "handshake opens" not in await everything_shown(eve, "zanzibar handshake", his.project_id)


@AT_ANY_SIZE
async def test_a_private_conversation_is_found_by_its_owner_alone(
    world: World, ada: Person, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_frequencies, "SMALL_INDEX_MAX_CHUNKS", small)
    shelf = await Shelf.of(ada)
    bob = await world.person(like=ada)
    await said(ada, SECRET, project_id=shelf.project_id)
    await said(bob, "What of the vault?", project_id=shelf.project_id)
    await indexed(world)

    assert "handshake opens" in await everything_shown(ada, "zanzibar", shelf.project_id)
    for query in (
        "zanzibar",
        "vault zanzibar handshake",
        "vault",
        "what did I say about the vault",
        "handshake",
    ):
        assert "handshake opens" not in await everything_shown(bob, query, shelf.project_id)


@AT_ANY_SIZE
async def test_what_is_shared_is_found_and_what_is_private_again_is_not_from_that_moment(
    world: World, ada: Person, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_frequencies, "SMALL_INDEX_MAX_CHUNKS", small)
    shelf = await Shelf.of(ada)
    bob = await world.person(like=ada)
    turn = await said(ada, SECRET, project_id=shelf.project_id)
    await indexed(world)
    path = f"/api/conversations/{turn['conversation']['id']}"

    assert (await ada.put(path, {"visibility": "workspace"})).status_code == 200
    await until(lambda: contents(bob, "zanzibar handshake", shelf.project_id))
    await indexed(world)
    assert "handshake opens" in await everything_shown(bob, "zanzibar", shelf.project_id)

    assert (await ada.put(path, {"visibility": "private"})).status_code == 200
    assert "handshake opens" not in await everything_shown(bob, "zanzibar", shelf.project_id)
    await indexed(world)
    assert "handshake opens" not in await everything_shown(bob, "zanzibar", shelf.project_id)
    assert "handshake opens" in await everything_shown(ada, "zanzibar", shelf.project_id)


async def test_any_text_is_a_query_over_http(world: World, ada: Person) -> None:
    shelf = await Shelf.of(ada)
    await shelf.write("vault.md", SECRET)
    await indexed(world)

    for query in HOSTILE:
        found = await search(ada, query, shelf.project_id)
        assert found["broken"] == [], query
        assert {hit["content"] for hit in found["hits"]} <= {SECRET}, query
        debug = await ada.get("/api/memory/debug/retrieval", params={"q": query[:1_000]})
        assert debug.status_code == 200, query


@pytest.mark.parametrize("half", [b"\\ud800", b"\\u0000"])
async def test_half_a_character_and_nul_are_refused_at_the_door(ada: Person, half: bytes) -> None:
    answer = await ada.client.post(
        "/api/search/global",
        content=b'{"query": "vault ' + half + b'"}',
        headers={"content-type": "application/json"},
    )
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "body",
    [
        {"query": "x" * 20_001},
        {"query": "x", "limit": 0},
        {"query": "x", "limit": 101},
        {"query": "x", "parts": ["everything"]},
        {"query": "x", "filter": {"kinds": ["secret"]}},
        {"query": "x", "filter": {"paths": ["a"] * 51}},
        {"query": "x", "owner_id": "usr_somebody"},
        {},
    ],
)
async def test_a_query_that_makes_no_sense_is_refused(ada: Person, body: Json) -> None:
    assert (await ada.post("/api/search/global", body)).status_code == 422


async def test_what_is_deleted_leaves_no_trace_in_the_index(world: World, ada: Person) -> None:
    empty = await rows(world)
    shelf = await Shelf.of(ada)
    file = await shelf.write("vault.md", SECRET)
    await shelf.write("docs/a.md", SECRET)
    await shelf.write("docs/b/c.md", SECRET)
    await indexed(world)
    turn = await said(ada, "Tell me of the zanzibar handshake.", project_id=shelf.project_id)
    await indexed(world)
    reply = (await ada.round(turn["conversation"]["id"], turn["round"]["id"]))["replies"][0]
    assert (await ada.put(f"/api/replies/{reply['id']}/citations/1", {"good": True})).status_code == 204
    await hits(ada, "handshake", shelf.project_id, conversation_id=turn["conversation"]["id"])

    assert await shelf.delete(file["id"]) == 204
    assert (await ada.delete(f"{shelf.url}?prefix=docs")).status_code in (200, 204)
    assert await contents(ada, "opens the vault", shelf.project_id, filter={"kinds": ["file"]}) == []
    await indexed(world)
    assert (await ada.delete(f"/api/conversations/{turn['conversation']['id']}")).status_code == 204
    assert (await rows(world))["sources"] == 0

    await shelf.write("again.md", SECRET)
    await indexed(world)
    await hits(ada, "handshake", shelf.project_id)
    assert (await ada.delete(f"/api/projects/{shelf.project_id}")).status_code == 204
    assert await until(lambda: is_now(world, empty))


async def is_now(world: World, expected: dict[str, int]) -> bool:
    return await rows(world) == expected
