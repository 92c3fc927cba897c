"""Misspelt words: what counts as the same word, and that both engines find what begins alike."""

from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.databases import open_database
from tests.unit.test_retrieval_indexes import ADA, EVE, Shelf, scope_of

from tertulia.core.clock import now
from tertulia.core.principal import Principal
from tertulia.retrieval.index_words import QUERY_WORDS_MAX
from tertulia.retrieval.query_parser import ParsedQuery, parse_query
from tertulia.retrieval.query_words import QueryWords
from tertulia.retrieval.word_corrections import (
    CORRECTED_WORD_MAX_CHARS,
    alike_prefixes,
    choose_correction,
    correct_words,
    edit_distance,
    measure_misspelling,
)

TEXTS = (
    "The mirror has a reflectivity of 84 percent.",
    "Zbigniew keeps the combination of the padlock.",
    "Die Heizungsanlage wird im Oktober gewartet.",
    "The coffee is hot.",
)


@pytest.mark.parametrize(
    ("written", "word", "expected"),
    [
        ("mirrror", "mirror", 1),
        ("zbignew", "zbigniew", 1),
        ("padlok", "padlock", 1),
        ("boathuose", "boathouse", 1),
        ("reflectivty", "reflectivity", 1),
        ("heizung", "heizungsanlage", 1),
        ("kulcsot", "kulcs", 1),
        ("tharn", "than", None),
        ("bolat", "boxer", None),
        ("manek", "manet", None),
        ("glarfnok", "garlic", None),
        ("which", "where", None),
        ("mirror", "error", None),
    ],
)
def test_a_word_is_the_same_within_few_letters(written: str, word: str, expected: int | None) -> None:
    assert measure_misspelling(written, word) == expected


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [("", "ab", 2), ("abc", "abc", 0), ("abc", "acb", 1), ("abcd", "abxd", 1), ("abcd", "bcda", 2)],
)
def test_letters_are_added_left_out_changed_or_swapped(first: str, second: str, distance: int) -> None:
    assert edit_distance(first, second) == edit_distance(second, first) == distance


def test_the_nearest_word_is_taken_and_of_those_the_commonest() -> None:
    words = Counter({"reflection": 9, "reflectivity": 1, "reflector": 5})
    assert choose_correction("reflectivty", words) == "reflectivity"
    assert choose_correction("coffeee", Counter({"coffees": 1, "coffee": 3})) == "coffee"
    assert choose_correction("wibblefronk", words) is None


@pytest.mark.parametrize("word", ["mirrror", "a" * CORRECTED_WORD_MAX_CHARS, "accommodation"])
def test_few_beginnings_are_looked_for_and_none_is_short(word: str) -> None:
    prefixes = alike_prefixes(word)
    assert len(prefixes) <= 3 * len(word)
    assert min(map(len, prefixes)) >= 4


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncGenerator[Shelf]:
    db = open_database(tmp_path / "index.db")
    sql = "INSERT INTO workspaces (id, name, settings, created_at) VALUES (:id, 'Test', '{}', 0)"
    for name in ("wsp_1", "wsp_2"):
        await db.write(lambda tx, name=name: tx.run(sql, id=name), by=None)
    shelf = Shelf(db)
    await shelf.add(*TEXTS)
    yield shelf
    db.close()


async def corrected(shelf: Shelf, text: str, *, by: Principal = ADA) -> ParsedQuery:
    query = parse_query(text, today=now())
    return await shelf.db.read(
        lambda tx: correct_words(tx, query, query.topic, scope_of(by, None), index=shelf.indexes.words), by=by
    )


@pytest.mark.both_engines
async def test_the_index_gives_words_for_misspelt_ones(shelf: Shelf) -> None:
    for text, words in {
        "mirrror reflectivty": {"mirror", "reflectivity"},
        "Zbignew padlok": {"zbigniew", "padlock"},
        "Wartung der Heizung": {"heizungsanlage"},
        "cofee": {"coffee"},
        "hot wibblefronk snarkwozzle": set[str](),
        "mirror": set[str](),
        "getMirrror": set[str](),
    }.items():
        assert (await corrected(shelf, text)).corrected == words, text
    assert (await corrected(shelf, "the hot mirrror")).words == ("hot", "mirror")


@pytest.mark.both_engines
async def test_a_word_that_is_not_looked_for_is_not_corrected(shelf: Shelf) -> None:
    words = [f"word{number}" for number in range(QUERY_WORDS_MAX)]
    query = await corrected(shelf, " ".join([*words, "mirrror"]))

    assert not query.corrected
    assert QueryWords.of(query).topic == frozenset(words)
    assert QueryWords.of(replace(query, corrected=frozenset({"mirror"}))).topic == frozenset(words)


@pytest.mark.both_engines
async def test_words_of_another_workspace_are_not_told(shelf: Shelf) -> None:
    assert not (await corrected(shelf, "mirrror reflectivty", by=EVE)).corrected
