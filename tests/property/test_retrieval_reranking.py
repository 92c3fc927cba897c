"""Whatever was found: reasons are numbers from 0 to 1, the order is one and the same, and weights obey."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from tests.effort import effort

from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.query_parser import parse_query
from tertulia.retrieval.reranking import (
    SAME_SOURCE_PENALTY,
    SearchHit,
    rank_candidates,
    select_hits,
    weighted_sum,
)
from tertulia.retrieval.signal_weights import SignalWeights, weights_for
from tertulia.retrieval.signals import CandidatePool, Signals, compute_signals
from tertulia.retrieval.sources import SourceKind

some = settings(max_examples=effort(25))
NOW = datetime(2026, 5, 20, tzinfo=UTC)
words = st.sampled_from(["red", "parse_config", "getUserName", "tower", "plan", "said", "budget.py", "2026"])
sentences = st.lists(words, max_size=8).map(" ".join)
shares = st.floats(0, 1)


@st.composite
def candidates(draw: st.DrawFn, chunk: int) -> Candidate:
    kind = draw(st.sampled_from(SourceKind))
    talk = kind is not SourceKind.FILE
    return Candidate(
        chunk=chunk,
        number=0,
        chunk_kind=draw(st.sampled_from(["code", "text"])),
        language="",
        start_line=1,
        end_line=2,
        start_char=0,
        end_char=10,
        tokens=draw(st.integers(0, 500)),
        context=draw(sentences),
        summary="",
        content=draw(sentences),
        source=draw(st.integers(1, 4)),
        kind=kind,
        source_id=f"src_{chunk}",
        project_id=None,
        conversation_id=draw(st.sampled_from(["cnv_1", "cnv_2"])) if talk else None,
        title=None,
        path="" if talk else draw(st.sampled_from(["src/budget.py", "notes.md"])),
        tags=[],
        speaker=draw(st.sampled_from(["user", "agent:openai/gpt-5", ""])) if talk else "",
        round_id=None,
        round_number=draw(st.integers(1, 5)) if talk else None,
        said_at=NOW - timedelta(days=draw(st.integers(-10, 5_000))),
    )


@st.composite
def pools(draw: st.DrawFn) -> CandidatePool:
    found = [draw(candidates(chunk)) for chunk in range(1, draw(st.integers(0, 8)) + 1)]
    chunks = st.sampled_from([one.chunk for one in found]) if found else st.nothing()
    return CandidatePool(
        found,
        lexical=draw(st.dictionaries(chunks, st.floats(0, 40))) if found else {},
        dense=draw(st.dictionaries(chunks, st.floats(-1, 1))) if found else {},
    )


def ranked(pool: CandidatePool, query: str, flags: Flags, *, rerank: bool = True) -> list[SearchHit]:
    question = parse_query(query, today=NOW)
    signals = compute_signals(pool, question, now=NOW, conversation_id="cnv_1")
    return rank_candidates(pool.candidates, signals, question, flags, rerank=rerank)


@some
@given(pools(), sentences)
def test_every_reason_lies_between_nothing_and_all(pool: CandidatePool, query: str) -> None:
    found = compute_signals(pool, parse_query(query, today=NOW), now=NOW, conversation_id="cnv_1")

    assert set(found) == {one.chunk for one in pool.candidates}
    for signals in found.values():
        assert -1 <= signals.alike <= 1
        assert all(-1e-9 <= getattr(signals, name) <= 1 + 1e-9 for name in SignalWeights.__slots__)


@some
@given(pools(), sentences, st.booleans(), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_how_things_came(
    pool: CandidatePool, query: str, rerank: bool, chance: Random
) -> None:
    mixed = list(pool.candidates)
    chance.shuffle(mixed)
    first = ranked(pool, query, Flags(), rerank=rerank)
    second = ranked(replace(pool, candidates=mixed), query, Flags(), rerank=rerank)

    assert [round(one.score, 9) for one in first] == [round(one.score, 9) for one in second]
    assert all(a.score >= b.score for a, b in pairwise(first))


chosen_flags = st.builds(Flags, rerank_alpha=shares, rerank_beta=shares, rerank_gamma=shares)


@some
@given(st.sampled_from(SourceKind), st.sampled_from(["code", "text"]), sentences, shares, chosen_flags)
def test_weights_that_were_chosen_are_the_ones_that_count(
    kind: SourceKind, chunk_kind: str, query: str, reach: float, flags: Flags
) -> None:
    question = parse_query(query, today=NOW)
    plainly = weights_for(kind, chunk_kind, question, flags, rerank=False, reach=reach)
    closely = weights_for(kind, chunk_kind, question, flags, rerank=True, reach=reach)
    learned = weights_for(kind, chunk_kind, question, Flags(), rerank=True, reach=reach)

    chosen = (flags.rerank_alpha, flags.rerank_beta, flags.rerank_gamma)
    assert (plainly.dense, plainly.lexical, plainly.names) == chosen
    assert replace(plainly, dense=0, lexical=0, names=0) == SignalWeights(0, 0, 0)
    assert (closely.dense, closely.lexical, closely.names) == chosen
    assert replace(closely, dense=0, lexical=0, names=0) == replace(learned, dense=0, lexical=0, names=0)


@some
@given(pools(), sentences)
def test_with_one_weight_alone_its_reason_decides(pool: CandidatePool, query: str) -> None:
    flags = Flags(rerank_alpha=1.0, rerank_beta=0.0, rerank_gamma=0.0)
    files = replace(pool, candidates=[one for one in pool.candidates if one.kind is SourceKind.FILE])

    found = [hit.signals.dense for hit in ranked(files, query, flags, rerank=False)]
    assert found == sorted(found, reverse=True)


@some
@given(pools(), sentences, shares, shares, shares)
def test_without_reranking_the_score_is_the_formula_and_nothing_else(
    pool: CandidatePool, query: str, alpha: float, beta: float, gamma: float
) -> None:
    flags = Flags(rerank_alpha=alpha, rerank_beta=beta, rerank_gamma=gamma)
    best = max(pool.lexical.values(), default=0.0)
    found = compute_signals(pool, parse_query(query, today=NOW), now=NOW, conversation_id="cnv_1")
    for hit in ranked(pool, query, flags, rerank=False):
        chunk = hit.candidate.chunk
        similarity = min(1.0, max(0.0, pool.dense.get(chunk, 0.0)))
        bm25 = pool.lexical.get(chunk, 0.0) / best if best else 0.0
        identifier = float(found[chunk].names > 0)
        assert abs(hit.score - (alpha * similarity + beta * bm25 + gamma * identifier)) < 1e-9
        assert hit.similarity == similarity


@some
@given(st.builds(Signals, dense=shares, lexical=shares, names=shares, coverage=shares), shares)
def test_a_stronger_reason_never_lowers_a_score(signals: Signals, more: float) -> None:
    weights = SignalWeights(dense=0.5, lexical=0.5, names=0.2, coverage=0.3)
    for name in ("dense", "lexical", "names", "coverage"):
        stronger = structs.replace(signals, **{name: max(more, getattr(signals, name))})
        assert weighted_sum(stronger, weights) >= weighted_sum(signals, weights) - 1e-12


@some
@given(pools(), sentences, st.integers(1, 10))
def test_what_is_picked_is_within_the_limit_and_says_nothing_twice(
    pool: CandidatePool, query: str, limit: int
) -> None:
    scored = ranked(pool, query, Flags())
    picked = select_hits(scored, limit=limit)
    said = [one.candidate.content.replace("_", " ").split() for one in picked]

    assert len(picked) <= limit
    assert all(one in scored for one in picked)
    assert all(a != b for place, a in enumerate(said) for b in said[:place])
    # Where a message says the same as a point, it stands for it.
    is_point = bool(scored) and scored[0].candidate.kind is SourceKind.SUMMARY
    assert not scored or is_point or picked[0].score == scored[0].score


def test_of_two_as_good_the_one_from_another_place_comes_first() -> None:
    def at(source: int, chunk: int, score: float) -> SearchHit:
        candidate = structs.replace(EXAMPLE, chunk=chunk, source=source, content=f"text {chunk}")
        return SearchHit(candidate, score, Signals(), SignalWeights(dense=1, lexical=1, names=1))

    near = [at(1, 1, 0.9), at(1, 2, 0.8), at(2, 3, 0.8 - SAME_SOURCE_PENALTY / 2), at(1, 4, 0.7)]
    far = [at(1, 1, 0.9), at(1, 2, 0.8), at(2, 3, 0.8 - 2 * SAME_SOURCE_PENALTY)]

    assert [one.candidate.chunk for one in select_hits(near, limit=3)] == [1, 3, 2]
    assert [one.candidate.chunk for one in select_hits(far, limit=3)] == [1, 2, 3]


EXAMPLE = Candidate(
    chunk=1,
    number=0,
    chunk_kind="text",
    language="",
    start_line=1,
    end_line=1,
    start_char=0,
    end_char=1,
    tokens=1,
    context="",
    summary="",
    content="text",
    source=1,
    kind=SourceKind.FILE,
    source_id="fil_1",
    project_id=None,
    conversation_id=None,
    title=None,
    path="a.md",
    tags=[],
    speaker="",
    round_id=None,
    round_number=None,
    said_at=NOW,
)
