"""Search through the API: nonsense finds nothing, weak hits are told, and scores are what they say."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests import fake_embedder
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.scripted_provider import ScriptedProvider
from tests.search_world import hits, indexed
from tests.world import Person, World

pytestmark = pytest.mark.both_engines

NOTES = {
    "lamp.md": "The lighthouse keeper trims the wick at dusk.",
    "harbour.md": "Boats enter the harbour from the south when the wind allows.",
    "gate.py": 'def open_gate(key):\n    """Let a boat in."""\n    return key == "sesame"\n',
}


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    fake_embedder.use(monkeypatch, FakeEmbedder())
    async with World.open(tmp_path / "data", provider=provider) as world:
        yield world


@pytest.fixture
async def shelf(world: World, ada: Person) -> Shelf:
    shelf = await Shelf.of(ada)
    for path, text in NOTES.items():
        await shelf.write(path, text)
    await indexed(world)
    return shelf


@pytest.mark.parametrize("nonsense", ["xqzv blorptang frumious", "wibblefronk", "the of and qqqq"])
async def test_nonsense_finds_nothing_in_a_project_and_everywhere(
    ada: Person, shelf: Shelf, nonsense: str
) -> None:
    assert await hits(ada, nonsense, shelf.project_id) == []
    assert await hits(ada, nonsense) == []


@pytest.mark.parametrize(
    "nonsense", ["xqzvbn March 2026", "glarfnok last year", "did I xqzvbn", "-" * 400, "e", "pa nu"]
)
async def test_a_time_a_speaker_or_a_letter_makes_no_sense_of_nonsense(
    world: World, ada: Person, shelf: Shelf, nonsense: str
) -> None:
    await ada.ask("Where is the lighthouse?", project_id=shelf.project_id)
    await indexed(world)

    assert await hits(ada, nonsense, shelf.project_id) == []


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("lighthuose keepr", "lamp.md"),
        ("Wann kommt die Wartung der Heizung?", "haus.md"),
        ("Kenell\u00e4 on m\u00f6kin avain?", "mokki.md"),
        ("\u94a5\u5319\u5728\u54ea\u91cc", "yuan.md"),
        ("caf\u00e9", "cafe.md"),
        ("cafe\u0301", "cafe.md"),
    ],
)
async def test_a_word_of_another_language_or_a_misspelt_one_is_found(
    world: World, ada: Person, shelf: Shelf, query: str, path: str
) -> None:
    await shelf.write("haus.md", "Die Heizungsanlage wird im Oktober gewartet.")
    await shelf.write("mokki.md", "Avain on naapurin luona, ja vene vedet\u00e4\u00e4n maihin.")
    await shelf.write("yuan.md", "\u5de5\u5177\u623f\u7684\u94a5\u5319\u6302\u5728\u95e8\u540e\u3002")
    await shelf.write("cafe.md", "The caf\u00e9 opens at nine.")
    await indexed(world)

    assert [hit["location"]["path"] for hit in await hits(ada, query, shelf.project_id)][:1] == [path]


async def test_a_hit_that_little_speaks_for_is_weak(ada: Person, shelf: Shelf) -> None:
    weak = await hits(
        ada, "quarterly invoices about marble statues and lighthouse insurance", shelf.project_id
    )
    strong = await hits(ada, "lighthouse keeper wick", shelf.project_id)

    assert [hit["is_weak"] for hit in weak] == [True]
    assert not strong[0]["is_weak"]
    assert all(0 <= hit["similarity"] <= 1 for hit in (*weak, *strong))


async def test_without_reranking_the_score_is_the_formula(ada: Person, shelf: Shelf) -> None:
    weights = {"rerank": False, "rerank_alpha": 0.5, "rerank_beta": 0.25, "rerank_gamma": 0.125}
    assert (await ada.client.patch("/api/retrieval/preferences", json=weights)).status_code == 200

    found = await hits(ada, "open_gate for a boat", shelf.project_id)

    assert found[0]["location"]["path"] == "gate.py"
    for hit in found:
        values = {reason["signal"]: reason["value"] for reason in hit["why"]}
        identifier = values.get("names", 0.0)
        assert identifier in (0.0, 1.0)
        assert values.get("dense", 0.0) == hit["similarity"]
        expected = 0.5 * hit["similarity"] + 0.25 * values.get("lexical", 0.0) + 0.125 * identifier
        assert hit["score"] == pytest.approx(expected, abs=0.001)
    assert [hit["score"] for hit in found] == sorted((hit["score"] for hit in found), reverse=True)
    assert max(reason["value"] for reason in found[0]["why"] if reason["signal"] == "lexical") == 1.0


async def test_code_comes_first_where_code_is_asked_for(world: World, ada: Person) -> None:
    shelf = await Shelf.of(ada, "Twins")
    await shelf.write("total.md", "The total of an order: sum the values of all lines of the order.")
    await shelf.write(
        "total.py", "def total(order):\n    # the values of all lines\n    return sum(order.lines)\n"
    )
    await indexed(world)

    prose = await hits(ada, "total of an order", shelf.project_id)
    code = await hits(ada, "which function returns the total of an order", shelf.project_id)

    assert [hit["location"]["path"] for hit in prose] == ["total.md", "total.py"]
    assert [hit["location"]["path"] for hit in code] == ["total.py", "total.md"]
    assert "code" in {reason["signal"] for reason in code[0]["why"]}


async def test_figures_of_searches_tell_similarities(ada: Person, shelf: Shelf) -> None:
    query = {"q": "lighthouse keeper wick", "projectId": shelf.project_id}
    told = (await ada.get("/api/memory/debug/retrieval", params=query)).json()
    first = told["results"][0]
    assert 0 < first["similarity"] <= 1
    assert first["is_weak"] is False
