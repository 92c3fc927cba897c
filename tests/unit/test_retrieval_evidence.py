"""Whether enough speaks for a hit, and what a message is worth as an answer."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from msgspec import structs
from tests.property.test_retrieval_reranking import EXAMPLE

from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.evidence import Evidence, has_strong_evidence
from tertulia.retrieval.followed_names import compute_named_scores, find_followed_names
from tertulia.retrieval.known_words import KnownWords, is_known, read_vocabulary
from tertulia.retrieval.message_evidence import (
    echo_score,
    find_names,
    is_question,
    is_revision,
    split_question,
)
from tertulia.retrieval.query_parser import parse_query
from tertulia.retrieval.reranking import SearchHit, drop_duplicate_hits
from tertulia.retrieval.signal_weights import SignalWeights
from tertulia.retrieval.signals import Signals
from tertulia.retrieval.sources import SourceKind
from tertulia.settings import Settings

NOW = datetime(2026, 5, 20, tzinfo=UTC)
WORDS = Signals(alike=0.1, lexical=0.4, coverage=0.2)


@pytest.mark.parametrize(
    ("signals", "others", "known_share", "is_met"),
    [
        (Signals(alike=0.29), [], 1.0, False),
        (Signals(alike=0.31), [], 1.0, True),
        (Signals(alike=0.16), [WORDS], 1.0, True),
        (Signals(alike=0.14), [WORDS], 1.0, False),
        (WORDS, [], 1.0, True),
        (Signals(alike=0.44), [], 0.0, False),
        (Signals(alike=0.59), [], 0.0, True),
        (WORDS, [], 0.25, False),
        (Signals(alike=0.4, lexical=0.4, coverage=0.2), [], 0.25, False),
        (Signals(alike=0.4, lexical=0.4, coverage=0.2, word_share=0.25), [], 0.25, True),
        (Signals(word_share=0.25, telling_share=0.25), [], 0.0, True),
        (Signals(word_share=0.5), [], 0.0, False),
        (Signals(word_share=1.0), [], 0.0, True),
        (WORDS, [Signals(coverage=0.3, telling_share=0.5, lexical=1.0)], 0.0, True),
        (WORDS, [Signals(coverage=0.3, word_share=0.5, lexical=1.0)], 0.0, False),
        (Signals(names=0.8, coverage=0.1), [], 0.0, True),
        (Signals(time=1.0, speaker=1.0), [], 0.0, False),
        (Signals(time=1.0, speaker=1.0), [], 1.0, False),
        (Signals(is_occasion=True), [], 0.0, True),
    ],
)
def test_a_hit_needs_words_or_a_meaning_that_is_alike_enough(
    signals: Signals, others: Sequence[Signals], known_share: float, is_met: bool
) -> None:
    evidence = Evidence.needed_for([signals, *others], known_share=known_share)
    assert evidence.is_met_by(signals) is is_met


@pytest.mark.parametrize(
    ("signals", "is_strong"),
    [
        (Signals(alike=0.34, topic_share=0.49, coverage=1.0), False),
        (Signals(alike=0.35), True),
        (Signals(topic_share=0.5), True),
        (Signals(names=0.6), True),
        (Signals(neighbour=1.0, recency=1.0, speaker=1.0, time=1.0), False),
        (Signals(is_occasion=True), True),
    ],
)
def test_a_hit_is_weak_without_meaning_words_or_names(signals: Signals, is_strong: bool) -> None:
    assert has_strong_evidence(signals) is is_strong


async def test_words_are_known_from_the_vocabulary_of_the_embedder(tmp_path: Path) -> None:
    tokenizer = tmp_path / "tokenizer.json"
    vocabulary = {"user": 1, "name": 2, "get": 3, "##ing": 4, "ng": 5, "lan": 17_595, "cafe": 20_000}
    tokenizer.write_bytes(msgspec.json.encode({"model": {"vocab": vocabulary}}))
    known = read_vocabulary(tokenizer)

    assert known == {"user", "name", "get", "cafe"}
    asked = ("getUserName", "users", "café", "blorptang", "ng", "lan")
    assert [is_known(word, known) for word in asked] == [*(True, True, True), *(False, False, False)]
    nowhere = KnownWords(Settings(data_dir=tmp_path / "none"))
    assert await nowhere.measure_share(()) == 1.0


def said(content: str, *, context: str = "", speaker: str = "user", days: int = 0) -> Candidate:
    return structs.replace(
        EXAMPLE,
        kind=SourceKind.MESSAGE,
        content=content,
        context=context,
        speaker=speaker,
        said_at=NOW + timedelta(days=days),
        chunk=hash((content, days)),
    )


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        (said("Where is the key? I forgot."), True),
        (said("Where is the key?", speaker="agent:gpt-5"), False),
        (said("The key is under the pot."), False),
        (said("See https://example.org/?q=1 for it"), False),
        (structs.replace(EXAMPLE, content="What is this?"), False),
    ],
)
def test_a_question_of_a_person_is_told_from_what_answers(candidate: Candidate, expected: bool) -> None:
    assert is_question(candidate) is expected


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("15 seconds. What does the second worker do?", "15 seconds. "),
        ("Node 20.19 it is.\nStatic pages or a server?", "Node 20.19 it is.\n"),
        ("What does the second worker do? It has 15 seconds.", ""),
        ("Which file defines the lease?", ""),
    ],
)
def test_what_a_message_tells_before_it_asks_is_told_from_the_question(content: str, told: str) -> None:
    assert split_question(content) == (told, content.removeprefix(told))


@pytest.mark.parametrize(
    ("content", "context", "expected"),
    [
        ("I do not know where the key is.", "Where is the key of the hall?", 1.0),
        ("Noted: the key is at the kebab shop.", "The key is at the kebab shop opposite.", 2 / 3),
        ("Under the third flower pot, behind the shed.", "Where is the key?", 0.0),
    ],
)
def test_a_message_that_only_repeats_the_question_is_an_echo(
    content: str, context: str, expected: float
) -> None:
    found = echo_score(said(content, context=context), frozenset({"key", "hall"}))
    assert found == pytest.approx(expected)


def test_only_a_later_message_with_such_words_revises() -> None:
    first = said("We use the north harbour.")
    assert is_revision(said("We use the south harbour instead.", days=1), [first])
    assert not is_revision(said("We use the south harbour instead.", days=-1), [first])
    assert not is_revision(said("The south harbour is nice.", days=1), [first])


def test_names_in_the_best_messages_lead_to_others() -> None:
    assert find_names("The organist is Odile Marchetti. Nobody knew") == ["Odile", "Marchetti"]
    first = said("The organist is called Odile.")
    second = said("And Odile travels with Kestrel Cabs.", days=1)
    third = said("The organ wheezes.", days=2)
    hits = [
        SearchHit(one, score, Signals(), SignalWeights(1, 1, 1))
        for one, score in ((first, 2.0), (third, 1.0))
    ]

    followed = find_followed_names(hits, parse_query("who plays the organ", today=NOW))
    again = find_followed_names(hits, parse_query("what did odile say", today=NOW))

    assert dict(compute_named_scores([first, second, third], followed)) == {second.chunk: 1.0}
    assert again == []


SURPLUS = "The treasurer of the barn reported a surplus of {} euros, which mostly stems from solar panels."


@pytest.mark.parametrize(
    ("chunk_kind", "texts", "kept"),
    [
        (
            "text",
            [SURPLUS.format(40), SURPLUS.format(40).replace("which", "that").replace("The ", "Our ")],
            1,
        ),
        ("text", [SURPLUS.format(40), SURPLUS.format(41)], 2),
        ("text", ["The walrus lives here.", "The walrus lives there."], 2),
        ("code", [f"def get(key): # {SURPLUS}", f"async def get(key): # {SURPLUS}"], 2),
        ("code", ["def get(key): pass", "def get(key):  pass"], 1),
    ],
)
def test_copies_come_once_unless_figures_differ_or_it_is_code(
    chunk_kind: str, texts: list[str], kept: int
) -> None:
    hits = [
        SearchHit(
            structs.replace(EXAMPLE, chunk=number, content=text, chunk_kind=chunk_kind),
            1.0,
            Signals(),
            SignalWeights(1, 1, 1),
        )
        for number, text in enumerate(texts)
    ]
    assert len(drop_duplicate_hits(hits, max_hits=10)) == kept
