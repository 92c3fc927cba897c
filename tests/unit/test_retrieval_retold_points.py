"""A message and a point of its conversation's summary that say the same: the message stands for both."""

from datetime import UTC, datetime

import pytest

from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.query_parser import parse_query
from tertulia.retrieval.reranking import SearchHit, rank_candidates, select_hits
from tertulia.retrieval.retold_points import says_point
from tertulia.retrieval.signals import CandidatePool, compute_signals
from tertulia.retrieval.sources import SourceKind

NOW = datetime(2026, 5, 20, tzinfo=UTC)
DECISION = "We go with Cassandra for the sensor archive."


def candidate(chunk: int, content: str, kind: SourceKind, *, conversation_id: str = "cnv_1") -> Candidate:
    return Candidate(
        chunk=chunk,
        number=0,
        chunk_kind="prose",
        language="markdown",
        start_line=1,
        end_line=1,
        start_char=0,
        end_char=len(content),
        tokens=10,
        context="",
        summary="",
        content=content,
        source=chunk,
        kind=kind,
        source_id=f"src_{chunk}",
        project_id=None,
        conversation_id=conversation_id,
        title=None,
        path="",
        tags=[],
        speaker="user" if kind is SourceKind.MESSAGE else "",
        round_id="rnd_1",
        round_number=1,
        said_at=NOW,
    )


def find(query: str, *candidates: Candidate, lexical: dict[int, float]) -> list[SearchHit]:
    asked = parse_query(query, today=NOW)
    pool = CandidatePool(candidates, lexical, {})
    signals = compute_signals(pool, asked, now=NOW, conversation_id=None)
    return select_hits(rank_candidates(candidates, signals, asked, Flags(), rerank=True), limit=10)


def point(content: str, **more: str) -> Candidate:
    return candidate(1, content, SourceKind.SUMMARY, **more)


def message(content: str) -> Candidate:
    return candidate(2, content, SourceKind.MESSAGE)


@pytest.mark.parametrize("said", [DECISION, f"{DECISION} Please order three disks for it by Friday."])
def test_a_message_keeps_the_place_even_where_the_point_matches_better(said: str) -> None:
    found = find("Cassandra archive", point(DECISION), message(said), lexical={1: 9.0, 2: 8.0})
    assert [hit.candidate.kind for hit in found] == [SourceKind.MESSAGE]


def test_a_point_that_no_message_says_is_found_beside_it() -> None:
    told = "Cassandra holds the archive of the sensors, until DuckDB takes over in autumn."
    found = find("Cassandra archive", point(told), message(DECISION), lexical={1: 9.0, 2: 8.0})
    assert {hit.candidate.kind for hit in found} == {SourceKind.MESSAGE, SourceKind.SUMMARY}
    assert all(not hit.signals.retold for hit in found)


def test_only_points_with_words_of_the_query_are_held_against_messages() -> None:
    round_ = point(f"{DECISION}\nThe rent is 1,450 euros a month.")
    found = find("Cassandra archive", round_, message(DECISION), lexical={1: 9.0, 2: 8.0})
    assert [hit.candidate.kind for hit in found] == [SourceKind.MESSAGE]
    found = find("rent a month", round_, message(DECISION), lexical={1: 9.0})
    assert SourceKind.SUMMARY in {hit.candidate.kind for hit in found}


def test_a_message_of_another_conversation_is_no_source() -> None:
    told = point(f"{DECISION} It is settled at last.", conversation_id="cnv_2")
    found = find("Cassandra archive", told, message(f"{DECISION} It is."), lexical={1: 9.0, 2: 8.0})
    assert len(found) == 2


def test_with_another_figure_it_is_not_the_same() -> None:
    assert says_point("The rent for the flat is 1450 euros.", "The rent is 1450 euros.")
    assert not says_point("The rent for the flat is 1540 euros.", "The rent is 1450 euros.")
