"""The labelled set stays true, and what is measured with it is measured right."""

import io
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from importlib.metadata import packages_distributions
from random import Random
from typing import Any

import msgspec
import pytest
from evals import metrics, tuning
from evals.baseline import Bm25
from evals.collections import Collection, all_collections
from evals.conversations import document, read
from evals.corpus import LIST, PACKAGES, ROOT, corpus_files, thinned
from evals.floors import floors
from evals.metrics import score
from evals.progress import Progress
from evals.queries import KINDS, Gold, Half, Query, a_third, files_named, plain, queries
from evals.report import bar
from evals.results import Judged, Results
from hypothesis import given
from hypothesis import strategies as st

from tertulia.conversations.import_reader import read_document
from tertulia.files.extract.file_kinds import detect_kind
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.chunking.file_chunks import chunk_file
from tertulia.retrieval.chunking.message_chunks import chunk_message
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.query_parser import parse_query
from tertulia.retrieval.reranking import rank_candidates, select_hits
from tertulia.retrieval.signal_weights import LEARNED_SCHEME, MeaningShare, SignalWeights, WeightScheme
from tertulia.retrieval.signals import Signals
from tertulia.retrieval.sources import SourceKind
from tertulia.search.schemas import HitView

Hit = dict[str, Any]
NOW = datetime(2026, 5, 20, tzinfo=UTC)
GOLD = (Gold("the first answer", 3, path="a.md"), Gold("the second answer", 2, path="b.md"))
ASKED = Query("asked-01", "paraphrase", "What is the answer?", GOLD)


#: What every collection has: the text of its files by path, and what was said by title.
@pytest.fixture(scope="module")
def texts() -> dict[str, dict[str, str]]:
    return {
        collection.name: {one.path: plain(one.content) for one in collection.files}
        for collection in all_collections()
    }


def hit(content: str, **location: str) -> Hit:
    return {"id": content, "content": content, "score": 1.0, "location": location}


FIRST, SECOND = hit("here is the first\n  answer", path="a.md"), hit("the second answer", path="b.md")
OTHER = [hit(f"no answer {number}", path="c.md") for number in range(8)]


def test_every_package_that_is_searched_is_locked() -> None:
    """A package that only an old virtual environment still holds would be missing on a new machine."""
    locks = "".join((ROOT / name).read_text() for name in ("requirements.lock", "requirements-dev.lock"))
    locked = {line.split("==")[0] for line in locks.splitlines() if "==" in line}
    modules = {
        module
        for module, owners in packages_distributions().items()
        if locked.intersection(owner.lower().replace("_", "-") for owner in owners)
    }
    searched = {name.split("/")[1] for name in LIST.read_text().split() if name.startswith(PACKAGES)}
    assert searched - modules - locked == set()


def test_every_label_is_found_once_in_the_file_it_names(texts: dict[str, dict[str, str]]) -> None:
    labels = [(one, gold) for one in queries() for gold in one.gold if gold.path]
    wrong = [
        (one.id, gold.path, gold.needle)
        for one, gold in labels
        if texts[one.collection].get(gold.path or "", "").count(plain(gold.needle)) != 1
    ]
    assert wrong == []


def test_every_label_is_found_in_one_message_of_its_conversation_and_speaker() -> None:
    said = {
        (collection.name, one.title): one.messages()
        for collection in all_collections()
        for one in collection.conversations
    }
    wrong = []
    for one in queries():
        for gold in one.gold:
            if gold.conversation:
                spoken = said[one.collection, gold.conversation]
                holders = [it for it in spoken if plain(gold.needle) in plain(it.text)]
                if len(holders) != 1 or gold.speaker not in {None, holders[0].speaker}:
                    wrong.append((one.id, gold.needle))
    assert wrong == []


def test_what_answers_stands_in_no_other_file_unless_that_is_a_label_too(
    texts: dict[str, dict[str, str]],
) -> None:
    wrong = []
    for one in queries():
        named = {gold.path for gold in one.gold}
        for gold in one.gold:
            needle = plain(gold.needle)
            holders = {path for path, text in texts[one.collection].items() if needle in text}
            if (gold.path and holders - named) or (gold.is_anywhere and len(holders) < 2):
                wrong.append((one.id, needle, holders))
    assert wrong == []


def test_every_label_lies_within_exactly_one_chunk() -> None:
    cut = {collection.name: chunks_of(collection) for collection in all_collections()}
    wrong = [
        (one.id, gold.needle)
        for one in queries()
        for gold in one.gold
        if not gold.is_anywhere
        and sum(
            plain(gold.needle) in text for text in cut[one.collection][gold.path or gold.conversation or ""]
        )
        != 1
    ]
    assert wrong == []


def chunks_of(collection: Collection) -> dict[str, list[str]]:
    """Return the chunks of the files that labels need and of all conversations, by path and by title."""
    needed = {gold.path for one in queries() if one.collection == collection.name for gold in one.gold}
    files = {
        file.path: chunk_file(
            iter([file.content]),
            path=file.path,
            media=detect_kind(file.path, file.content[:2000].encode()).media,
            plain=False,
        )
        for file in collection.files
        if file.path in needed
    }
    talk = {
        one.title: [
            chunk for said in one.messages() for chunk in chunk_message(said.text, as_one_chunk=False)
        ]
        for one in collection.conversations
    }
    return {place: [plain(chunk.content) for chunk in found] for place, found in (files | talk).items()}


def test_there_are_enough_queries_of_every_kind_in_both_halves() -> None:
    assert len(queries()) >= 170
    assert len({one.id for one in queries()}) == len(queries())
    counts = Counter(one.kind for one in queries())
    assert min(counts.values()) >= 30
    assert min(counts[kind] for kind in KINDS[5:]) >= 40
    halves = Counter((one.kind, one.half) for one in queries())
    assert all(halves[kind, half] >= 12 for kind in KINDS for half in Half)
    assert {one.kind for one in a_third(queries())} == set(KINDS)


def test_every_query_has_a_passage_that_is_needed_and_needles_are_of_a_sensible_length() -> None:
    answered = [one for one in queries() if one.kind != "nonsense"]
    assert all(max(gold.grade for gold in one.gold) == 3 for one in answered)
    assert all(not one.gold for one in queries() if one.kind == "nonsense")
    assert all(10 <= len(gold.needle) <= 80 for one in queries() for gold in one.gold)
    pairs = ("multihop", "multihop-talk", "reversal")
    assert all(len(one.gold) >= 2 for one in queries() if one.kind in pairs)
    assert all(gold.speaker for one in queries() if one.kind == "speaker" for gold in one.gold)


def test_the_server_can_import_every_conversation() -> None:
    for one in (talk for collection in all_collections() for talk in collection.conversations):
        imported = read_document(json.dumps(document(one)).encode())
        contents = [it.content for round_ in imported.rounds for it in (round_.question, *round_.replies)]
        assert imported.title == one.title
        assert contents == [said.text for said in one.messages()]


def test_a_conversation_is_read_as_it_is_written() -> None:
    talk = read("# Tea\n\n## 2026-01-02 03:04\nGreen?\n### ana\nYes.\n### ben\nNo.\n\nNever.\n")
    assert talk.title == "Tea"
    assert [(said.speaker, said.text) for said in talk.messages()] == [
        ("user", "Green?"),
        ("ana", "Yes."),
        ("ben", "No.\n\nNever."),
    ]
    assert document(talk)["rounds"][0]["created_at"] == "2026-01-02T03:04:00.000Z"


def test_a_perfect_ranking_scores_one_and_an_empty_one_nothing() -> None:
    best, worst = score(ASKED, [FIRST, SECOND]), score(ASKED, [])
    assert (best.ndcg5, best.ndcg10, best.recall5, best.mrr) == (1, 1, 1, 1)
    assert best.recall1 == 0.5
    assert set(vars_of(worst)) == {0.0}


def test_the_better_passage_first_is_better() -> None:
    assert score(ASKED, [FIRST, SECOND]).ndcg10 > score(ASKED, [SECOND, FIRST]).ndcg10


def test_a_passage_counts_where_it_is_found_first_and_only_once() -> None:
    assert score(ASKED, [FIRST, FIRST, FIRST]) == score(ASKED, [FIRST, *OTHER[:2]])


def test_a_passage_counts_only_in_the_place_and_by_the_speaker_it_names() -> None:
    gold = Gold("keep it short", 3, conversation="Style", speaker="gpt-5")
    assert gold.is_in(hit("Please keep it short.", title="Style", speaker="agent:gpt-5"))
    assert not gold.is_in(hit("Please keep it short.", title="Style", speaker="agent:grok-4"))
    assert not gold.is_in(hit("Please keep it short.", title="Tea", speaker="agent:gpt-5"))
    assert not gold.is_in(hit("Please keep it short.", path="Style"))


def test_passages_that_only_help_are_not_missed() -> None:
    helping = Query("asked-02", "paraphrase", "?", (GOLD[0], Gold("by the way", 1, path="c.md")))
    assert score(helping, [FIRST]).recall1 == 1


@given(st.permutations([FIRST, SECOND, *OTHER]))
def test_scores_are_shares_and_grow_with_the_depth(ranked: Sequence[Hit]) -> None:
    scores = score(ASKED, ranked)
    assert all(0 <= value <= 1 for value in vars_of(scores))
    assert scores.recall1 <= scores.recall5 <= scores.recall10 == 1
    assert scores.ndcg5 <= scores.ndcg10


def vars_of(scores: metrics.Scores) -> list[float]:
    return [getattr(scores, name) for name in metrics.Scores.__slots__]


def found_by(
    content: str, *, kind: str = "file", chunk_kind: str = "text", source: str = "", **signals: float
) -> Hit:
    why = [{"signal": name, "value": value, "weight": 0, "adds": 0} for name, value in signals.items()]
    place = hit(content, path="a.md")
    return place | {"kind": kind, "chunk_kind": chunk_kind, "source_id": source or content, "why": why}


def toy_pools(right: Hit, wrong: Hit, *, text: str = "?") -> list[tuning.Pool]:
    asked = [Query(f"asked-{number}", "paraphrase", text, GOLD[:1]) for number in range(12)]
    return [tuning.pool_of(one, [wrong, right]) for one in asked]


def tuned(pools: Sequence[tuning.Pool], start: WeightScheme) -> WeightScheme:
    return [start, *tuning.tune(pools, start)][-1]


NOTHING = SignalWeights(0, 0, 0)
EVEN = MeaningShare(0.5, 0.5)
EVEN_SCHEME = WeightScheme(EVEN, EVEN, EVEN, EVEN, 0, 0, 0, SignalWeights(0, 1, 0), NOTHING, NOTHING, 0)


@pytest.mark.parametrize(
    ("kind", "chunk_kind", "part"),
    [("message", "text", "message"), ("file", "code", "code"), ("file", "text", "prose")],
)
def test_tuning_trusts_the_signal_that_finds_in_that_kind_alone(
    kind: str, chunk_kind: str, part: str
) -> None:
    place = {"path": "a.md"}
    right = found_by("the first answer", kind=kind, chunk_kind=chunk_kind, dense=0.8) | {"location": place}
    wrong = found_by("no answer", kind=kind, chunk_kind=chunk_kind, lexical=0.9)
    pools = toy_pools(right, wrong)

    best = tuned(pools, EVEN_SCHEME)

    share = getattr(best, part).at(0.0)
    assert share * 0.8 > (1 - share) * 0.9
    others = {getattr(best, other) for other in ("message", "code", "prose", "named_code") if other != part}
    assert others == {EVEN}
    assert tuning.mean_worth(pools, EVEN_SCHEME) < tuning.mean_worth(pools, best) == 1


def test_tuning_learns_that_the_latest_word_is_wanted_where_it_is_asked_for() -> None:
    start = replace(EVEN_SCHEME, wanted_order=0.1)
    right = found_by("the first answer", kind="message", lexical=0.5, recency=1.0)
    wrong = found_by("no answer", kind="message", lexical=1.0, recency=0.1)
    text = "What was decided last?"

    best = tuned(toy_pools(right, wrong, text=text), start)

    assert best.wanted_order > start.wanted_order or best.message.at(0.0) > 0.5
    assert tuned(toy_pools(right, right, text=text), start) == start


def test_weights_that_win_nothing_stay_as_they_are() -> None:
    right, wrong = found_by("the first answer", dense=1.0), found_by("no answer", dense=0.1)
    assert list(tuning.tune(toy_pools(right, wrong))) == []


def test_what_weights_are_worth_is_told_for_both_halves_with_its_doubt() -> None:
    right, wrong = found_by("the first answer", lexical=0.8), found_by("no answer", dense=0.9)
    better = replace(LEARNED_SCHEME, prose=MeaningShare(0.0, 0.0))

    found = tuning.changes(toy_pools(right, wrong), better)

    assert set(found) == set(Half)
    assert all(one.after == 1 > one.before for one in found.values())
    assert all((one.better, one.worse, one.doubt) == (one.queries, 0, 0) for one in found.values())


@given(
    # Numbers that are drawn at random are never quite as good as each other: ties would be broken by a hair.
    st.lists(st.integers(0, 2), max_size=20),
    st.integers(0, 1_000),
    st.sampled_from(["what was decided last", "what did I say", "what does open_gate do"]),
)
def test_tuning_orders_a_pool_as_search_does(kinds: list[int], seed: int, text: str) -> None:
    question, chance = parse_query(text, today=NOW), Random(seed)
    found = [candidate(place, kind) for place, kind in enumerate(kinds)]
    signals = {
        one.chunk: msgspec.convert({name: round(chance.random(), 4) for name in tuning.SIGNALS}, Signals)
        for one in found
    }
    # What was found is told in another order, and with weights of nothing for some signals.
    flags = Flags(rerank_alpha=1.0)
    told = rank_candidates(found, signals, question, flags, rerank=True)
    hits = [HitView.of(one, {}, {}).model_dump(mode="json") for one in told]
    pool = tuning.pool_of(replace(ASKED, query=text), hits)

    again = [hits[place]["id"] for place in tuning.ranked(pool, LEARNED_SCHEME)]

    ordered = rank_candidates(found, signals, question, Flags(), rerank=True)
    assert again == [HitView.of(one, {}, {}).id for one in select_hits(ordered, limit=tuning.SHOWN)]


def candidate(place: int, kind: int) -> Candidate:
    """A chunk of talk, code or prose; three in a row are from one source."""
    return Candidate(
        chunk=place,
        number=place,
        chunk_kind="code" if kind == 1 else "prose",
        language="",
        start_line=1,
        end_line=1,
        start_char=0,
        end_char=1,
        tokens=1,
        context="",
        summary="",
        content=f"text {place}",
        source=place // 3,
        kind=SourceKind.FILE if kind else SourceKind.MESSAGE,
        source_id=f"source_{place // 3}",
        project_id=None,
        conversation_id=None,
        title=None,
        path="",
        tags=[],
        speaker="",
        round_id=None,
        round_number=None,
        said_at=NOW,
    )


def test_weights_are_written_as_the_source_has_them() -> None:
    scope: dict[str, Any] = {"MeaningShare": MeaningShare, "SignalWeights": SignalWeights}
    exec(tuning.written(LEARNED_SCHEME), scope)
    written = {field.name: scope[field.name] for field in fields(WeightScheme)}
    assert WeightScheme(**written) == LEARNED_SCHEME


def test_nonsense_is_answered_best_by_nothing() -> None:
    nonsense = Query("nonsense-01", "nonsense", "xqzv", ())
    assert set(vars_of(score(nonsense, []))) == {1.0}
    assert set(vars_of(score(nonsense, [FIRST]))) == {0.0}


def test_a_text_that_several_files_have_counts_wherever_it_is_found_and_once() -> None:
    copied = Query("copied-01", "near-duplicate", "?", (Gold("the first answer", 3), GOLD[1]))
    copy = hit("here is the first answer", path="z.md")
    assert score(copied, [copy, FIRST, SECOND]).ndcg10 < score(copied, [copy, SECOND]).ndcg10 == 1


def results_of(**found: float) -> Results:
    """Results whose every score is that of its way of searching."""
    scores = {name: metrics.Scores(*[share] * 6) for name, share in found.items()}
    judged = {name: [Judged(one, scores[name], 0.01) for one in queries()] for name in found}
    return Results(judged, files=1, messages=2, indexed=3)


@pytest.mark.parametrize(
    ("lexical", "dense", "hybrid", "held"),
    [
        (0.5, 0.5, 0.61, [True, True, True]),
        (0.7, 0.5, 0.61, [False, True, True]),
        (0.5, 0.6, 0.61, [True, True, False]),
        (0.5, 0.7, 0.6, [True, False, False]),
        (0.0, 0.0, 0.0, [False, False, False]),
        (0.0, 0.0, 0.1, [True, True, True]),
    ],
)
def test_floors_hold_the_fused_search_against_its_parts(
    lexical: float, dense: float, hybrid: float, held: list[bool]
) -> None:
    found = floors(results_of(lexical=lexical, dense=dense, hybrid=hybrid))
    assert [one.holds for one in found] == held
    assert [str(one)[:4] for one in found] == ["PASS" if one else "FAIL" for one in held]


def test_a_baseline_has_no_floors() -> None:
    assert floors(results_of(bm25=0.5)) == []


def test_a_quick_run_has_every_file_that_labels_need_and_a_third_of_the_rest() -> None:
    needed = files_named(queries())
    kept = {one.path for one in thinned(corpus_files(), needed=needed)}
    rest = {one.path for one in corpus_files()} - needed
    assert needed <= kept
    assert len(kept & rest) == pytest.approx(len(rest) / 3, abs=1)


def test_the_baseline_finds_names_by_their_parts() -> None:
    index = Bm25()
    index.add([hit("class FastDictCache: pass"), hit("def slow_list(): pass"), hit("nothing of the kind")])
    assert index.search("fast dict cache")[0]["content"].startswith("class FastDictCache")
    assert index.search("slow list")[0]["content"].startswith("def slow_list")


def test_results_are_told_by_half_and_kind() -> None:
    judged = [Judged(one, score(one, []), 0.01) for one in queries()]
    told = Results({"lexical": judged}, files=1, messages=2, indexed=3).as_json()
    assert set(told["means"]["report"]) == {"all", *KINDS}
    assert told["means"]["tune"]["speaker"]["lexical"]["mrr"] == 0
    assert len(told["queries"]["lexical"]) == len(queries())


def test_bars_show_shares() -> None:
    assert [bar(share) for share in (0, 0.5, 1)] == ["", "█" * 10, "█" * 20]


def test_the_end_of_a_step_is_always_told() -> None:
    out = io.StringIO()
    assert list(Progress(out).track(["a", "b", "c"], "counting")) == ["a", "b", "c"]
    assert out.getvalue().splitlines()[-1].split()[:1] == ["counting"]
    assert "3 of 3" in out.getvalue()
