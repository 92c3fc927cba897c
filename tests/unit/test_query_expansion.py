"""What a model wrote of a query, and one order out of several searches."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tertulia.retrieval.flags import Flags
from tertulia.retrieval.query_expansion import (
    ExpansionRequest,
    QueryExpansion,
    fuse_hits,
    queries_of,
    request_expansion,
)
from tertulia.retrieval.reranking import SearchHit
from tertulia.retrieval.search_query import SearchQuery, SearchStage
from tertulia.upkeep.query_expansion import parse_expansion

REQUEST = ExpansionRequest("Who feeds the cat?", wants_sub_queries=True, wants_answer=True)


def hits(*chunks: int) -> list[SearchHit]:
    return [cast("Any", SimpleNamespace(candidate=SimpleNamespace(chunk=chunk))) for chunk in chunks]


def order(*lists: list[SearchHit]) -> list[int]:
    return [hit.candidate.chunk for hit in fuse_hits(lists)]


@pytest.mark.parametrize(
    ("answer", "questions", "imagined"),
    [
        ("Q: Whose cat is it?\nA: Berta feeds it.", ("Whose cat is it?",), "Berta feeds it."),
        ("**Q1:** Whose cat?\n- Q2: Where is it?\n> A: Here.", ("Whose cat?", "Where is it?"), "Here."),
        ("<think>Q: No.</think>\nQ: Whose cat?", ("Whose cat?",), ""),
        ("Q: who feeds  the cat?\nQ: Whose cat?\nQ: Whose cat?", ("Whose cat?",), ""),
        ("Q: a?\nQ: b?\nQ: c?\nQ: d?\nA: x\nA: y", ("a?", "b?", "c?"), "x"),
        ("Of course! I would search for cats.", (), ""),
        ("<think>Q: never ends", (), ""),
        ("", (), ""),
    ],
)
def test_lines_of_known_kinds_are_read_and_others_passed_over(
    answer: str, questions: tuple[str, ...], imagined: str
) -> None:
    assert parse_expansion(answer, REQUEST) == QueryExpansion(questions, imagined)


def test_only_what_is_wanted_is_taken() -> None:
    both = "Q: Whose cat?\nA: Berta's."
    assert parse_expansion(both, replace(REQUEST, wants_answer=False)) == QueryExpansion(("Whose cat?",))
    assert parse_expansion(both, replace(REQUEST, wants_sub_queries=False)) == QueryExpansion((), "Berta's.")


def test_no_model_is_asked_unless_a_flag_says_so() -> None:
    query = SearchQuery("cats")
    assert request_expansion(query, Flags()) is None
    assert request_expansion(query, Flags(hyde=True, dense=False)) is None
    assert request_expansion(SearchQuery("  "), Flags(multi_query=True)) is None
    asked = request_expansion(query, Flags(multi_query=True))
    assert asked is not None
    assert (asked.wants_sub_queries, asked.wants_answer) == (True, False)


def test_an_imagined_answer_is_compared_by_its_meaning_alone() -> None:
    expansion = QueryExpansion(("whose cat?",), "Berta's.")
    own, part, answer = queries_of(SearchQuery("cats"), expansion)
    assert (own.text, part.text, answer.text) == ("cats", "whose cat?", "Berta's.")
    assert answer.parts == {SearchStage.DENSE}
    assert part.parts == own.parts
    by_words = SearchQuery("cats", parts=frozenset({SearchStage.LEXICAL}))
    assert [query.text for query in queries_of(by_words, expansion)] == ["cats", "whose cat?"]


def test_a_single_search_keeps_its_order() -> None:
    assert order(hits(3, 1, 2)) == [3, 1, 2]


def test_the_querys_own_best_hit_stays_first_and_what_others_found_comes_near_the_top() -> None:
    assert order(hits(1, 2, 3), hits(7, 8), hits(9)) == [1, 2, 7, 9, 3, 8]


def test_what_several_searches_find_rises() -> None:
    assert order(hits(1, 2, 3), hits(3), hits(3))[0] == 3
