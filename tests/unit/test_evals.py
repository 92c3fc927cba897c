"""The labelled set stays true, and what is measured with it is measured right."""

import io
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from evals import metrics, tuning
from evals.baseline import Bm25
from evals.conversations import conversations, document, read
from evals.corpus import corpus_files
from evals.metrics import score
from evals.progress import Progress
from evals.queries import KINDS, Gold, Half, Query, a_third, plain, queries
from evals.report import bar
from evals.results import Judged, Results
from hypothesis import given
from hypothesis import strategies as st

from tertulia.conversations.import_check import read_document

Hit = dict[str, Any]
GOLD = (Gold("the first answer", 3, path="a.md"), Gold("the second answer", 2, path="b.md"))
ASKED = Query("asked-01", "paraphrase", "What is the answer?", GOLD)


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {one.path: plain(one.content) for one in corpus_files()}


def hit(content: str, **location: str) -> Hit:
    return {"id": content, "content": content, "score": 1.0, "location": location}


FIRST, SECOND = hit("here is the first\n  answer", path="a.md"), hit("the second answer", path="b.md")
OTHER = [hit(f"no answer {number}", path="c.md") for number in range(8)]


def test_every_label_is_found_once_in_the_file_it_names(texts: dict[str, str]) -> None:
    labels = [(one.id, gold) for one in queries() for gold in one.gold if gold.path]
    wrong = [
        (name, gold.path, gold.needle)
        for name, gold in labels
        if texts.get(gold.path or "", "").count(plain(gold.needle)) != 1
    ]
    assert wrong == []


def test_every_label_is_found_in_one_message_of_its_conversation_and_speaker() -> None:
    said = {one.title: one.messages() for one in conversations()}
    wrong = []
    for one in queries():
        for gold in one.gold:
            if gold.conversation:
                holders = [it for it in said[gold.conversation] if plain(gold.needle) in plain(it.text)]
                if len(holders) != 1 or gold.speaker not in {None, holders[0].speaker}:
                    wrong.append((one.id, gold.needle))
    assert wrong == []


def test_what_answers_stands_in_no_other_file_unless_that_is_a_label_too(texts: dict[str, str]) -> None:
    wrong = []
    for one in queries():
        named = {gold.path for gold in one.gold}
        for gold in one.gold:
            needle = plain(gold.needle)
            elsewhere = {path for path, text in texts.items() if needle in text} - named
            if gold.path and elsewhere:
                wrong.append((one.id, needle, elsewhere))
    assert wrong == []


def test_there_are_enough_queries_of_every_kind_in_both_halves() -> None:
    assert len(queries()) >= 170
    assert len({one.id for one in queries()}) == len(queries())
    assert min(Counter(one.kind for one in queries()).values()) >= 30
    halves = Counter((one.kind, one.half) for one in queries())
    assert all(halves[kind, half] >= 12 for kind in KINDS for half in Half)
    assert {one.kind for one in a_third(queries())} == set(KINDS)


def test_every_query_has_a_passage_that_is_needed_and_needles_are_of_a_sensible_length() -> None:
    assert all(max(gold.grade for gold in one.gold) == 3 for one in queries())
    assert all(10 <= len(gold.needle) <= 80 for one in queries() for gold in one.gold)
    assert all(len(one.gold) >= 2 for one in queries() if one.kind == "multihop")
    assert all(gold.speaker for one in queries() if one.kind == "speaker" for gold in one.gold)


def test_the_server_can_import_every_conversation() -> None:
    for one in conversations():
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


def test_weights_in_steps_add_up_to_one() -> None:
    weights = tuning.grid(["a", "b", "c"], 0.25)
    assert len(weights) == 15
    assert all(sum(one.values()) == pytest.approx(1) for one in weights)


def test_tuning_trusts_the_part_that_finds() -> None:
    asked = [Query(f"asked-{number}", "paraphrase", "?", GOLD) for number in range(20)]
    found = {one: {"lexical": OTHER[:2], "dense": [FIRST, SECOND], "identifiers": []} for one in asked}
    tuned = tuning.tune(found, fuse=tuning.weighted_sum)
    assert tuned.weights["dense"] > tuned.weights["lexical"]
    assert {half: scores.recall5 for half, scores in tuned.scores.items()} == dict.fromkeys(Half, 1)


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
