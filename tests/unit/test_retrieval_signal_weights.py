"""How much meaning and words count, as a table: by the kind of a candidate, the query, and its reach."""

from datetime import UTC, datetime

import pytest

from tertulia.retrieval.flags import Flags
from tertulia.retrieval.query_parser import parse_query
from tertulia.retrieval.signal_weights import FORMULA_WEIGHTS, SignalWeights, weights_for
from tertulia.retrieval.sources import SourceKind

NOW = datetime(2026, 5, 20, tzinfo=UTC)
FILE, MESSAGE, SUMMARY = SourceKind.FILE, SourceKind.MESSAGE, SourceKind.SUMMARY
PROSE_QUERY, NAMED_QUERY = "how are old entries removed", "what does drop_entries do"


def weights(
    kind: SourceKind, chunk_kind: str, text: str, reach: float, *, flags: Flags | None = None
) -> SignalWeights:
    query = parse_query(text, today=NOW)
    return weights_for(kind, chunk_kind, query, flags or Flags(), rerank=True, reach=reach)


@pytest.mark.parametrize(
    ("kind", "chunk_kind", "text", "reach", "meaning"),
    [
        (MESSAGE, "text", PROSE_QUERY, 0.2, 0.35),
        (MESSAGE, "text", PROSE_QUERY, 1.0, 0.35),
        (MESSAGE, "code", PROSE_QUERY, 0.2, 0.35),
        (SUMMARY, "prose", PROSE_QUERY, 0.2, 0.35),
        (FILE, "text", PROSE_QUERY, 0.0, 0.95),
        (FILE, "text", PROSE_QUERY, 0.4, 0.95),
        (FILE, "text", PROSE_QUERY, 0.65, 0.675),
        (FILE, "text", PROSE_QUERY, 0.9, 0.4),
        (FILE, "table", PROSE_QUERY, 1.0, 0.4),
        (FILE, "code", PROSE_QUERY, 0.2, 0.98),
        (FILE, "code", PROSE_QUERY, 0.5, 0.74),
        (FILE, "code", PROSE_QUERY, 1.0, 0.5),
        (FILE, "code", NAMED_QUERY, 0.2, 0.6),
        (FILE, "code", NAMED_QUERY, 1.0, 0.6),
    ],
)
def test_meaning_leads_where_words_do_not_reach(
    kind: SourceKind, chunk_kind: str, text: str, reach: float, meaning: float
) -> None:
    found = weights(kind, chunk_kind, text, reach)

    assert found.dense == pytest.approx(meaning)
    assert found.lexical == pytest.approx(1 - meaning)
    assert found.coverage == pytest.approx(0.24 * (1 - meaning))


@pytest.mark.parametrize("text", [PROSE_QUERY, NAMED_QUERY, "what did we decide last"])
def test_what_counts_for_messages_counts_nothing_for_files(text: str) -> None:
    found = weights(FILE, "text", text, 0.5)
    assert (found.neighbour, found.revision, found.named, found.question, found.echo, found.borrowed) == (
        *(0, 0, 0),
        *(0, 0, 0),
    )


def test_a_point_loses_what_a_message_says_too_and_has_no_neighbours_or_age() -> None:
    point, message = (weights(kind, "prose", PROSE_QUERY, 0.5) for kind in (SUMMARY, MESSAGE))
    assert point.retold < 0 == message.retold
    assert point.echo == message.echo
    assert (point.neighbour, point.recency, point.revision, point.named, point.question) == (0, 0, 0, 0, 0)


def test_the_first_word_on_a_matter_is_not_revised_and_ones_own_questions_are_wanted() -> None:
    plain = weights(MESSAGE, "text", "which harbour do we use", 0.5)
    first = weights(MESSAGE, "text", "which harbour did we use at first", 0.5)
    mine = weights(MESSAGE, "text", "what did I ask about the harbour", 0.5)

    assert plain.revision > first.revision == 0
    assert plain.question < mine.question == 0
    assert first.recency > plain.recency


@pytest.mark.parametrize(
    "text", ["how is the pause implemented", "show me the function that waits", "where is the pause defined"]
)
def test_code_counts_more_where_it_is_asked_for(text: str) -> None:
    assert weights(FILE, "code", text, 0.5).code > weights(FILE, "code", PROSE_QUERY, 0.5).code


def test_what_was_said_of_code_is_not_asked_for_as_code() -> None:
    said = weights(FILE, "code", "what did we say about the function that waits", 0.5)
    assert said.code == weights(FILE, "code", PROSE_QUERY, 0.5).code


def test_without_reranking_only_the_three_weights_count() -> None:
    query = parse_query(NAMED_QUERY, today=NOW)
    plain = weights_for(FILE, "code", query, Flags(), rerank=False, reach=0.1)
    chosen = weights_for(MESSAGE, "text", query, Flags(rerank_alpha=0.2, rerank_gamma=1.0), rerank=False)

    assert plain == FORMULA_WEIGHTS == SignalWeights(dense=0.6, lexical=0.3, names=0.1)
    assert chosen == SignalWeights(dense=0.2, lexical=0.3, names=1.0)
