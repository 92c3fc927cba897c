"""Finding weights on one half of the queries, and what they are worth on the other.

Pure: it is given what search found for each query, with the signals of every hit, and orders it anew.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import sqrt
from statistics import fmean, stdev
from typing import Any

import numpy as np

from evals.metrics import Hit, ndcg
from evals.queries import Half, Query
from tertulia.core.clock import now
from tertulia.retrieval import reranking
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.query_parser import ParsedQuery, parse_query
from tertulia.retrieval.signal_weights import LEARNED_SCHEME, SignalWeights, WeightScheme, weights_for
from tertulia.retrieval.sources import SourceKind

#: What is asked for: as much as search gives at once, or other weights could lift nothing.
DEPTH = 100
SHOWN = 10
SIGNALS = tuple(field.name for field in fields(SignalWeights))
FACTORS, STEPS = (0.0, 0.5, 0.7, 1.4, 2.0), (-0.05, 0.05)
#: A change that wins less than this is taken for chance.
WORTHWHILE = 0.0008
ROUNDS = 4

#: One weight: the field of the scheme, and its own field, where it has fields.
Knob = tuple[str, str]
KNOBS: tuple[Knob, ...] = (
    *(
        (part, end)
        for part in ("message", "prose", "code", "named_code")
        for end in ("in_reach", "out_of_reach")
    ),
    *(("words", signal) for signal in ("coverage", "adjacency", "heading")),
    *(
        ("talk", signal)
        for signal in ("neighbour", "recency", "revision", "named", "question", "echo", "borrowed")
    ),
    *(("besides", signal) for signal in ("titled", "speaker", "time", "linked", "code")),
    ("message_names", ""),
    ("prose_names", ""),
    ("code_names", ""),
    ("wanted_order", ""),
)
#: The kinds of candidates that have weights of their own: of source and of chunk.
CANDIDATE_KINDS = ((SourceKind.MESSAGE, "text"), (SourceKind.FILE, "code"), (SourceKind.FILE, "text"))


@dataclass(frozen=True, slots=True)
class Pool:
    """What search found for one query: a row of signals for each hit, and what the order depends on."""

    query: Query
    hits: Sequence[Hit]
    signals: "np.ndarray[Any, np.dtype[np.float64]]"
    #: The row of weights that each hit takes: talk, code or prose.
    kinds: "np.ndarray[Any, np.dtype[np.intp]]"
    #: Which of the query's passages each hit holds.
    holds: Sequence[Sequence[int]]
    #: The query as search reads it.
    parsed: ParsedQuery

    @property
    def reach(self) -> float:
        """Return the largest share of the query's words that one hit has."""
        return float(self.signals[:, SIGNALS.index("coverage")].max(initial=0.0))


@dataclass(frozen=True, slots=True)
class Change:
    """What new weights do to the queries of one half: the mean before and after, and how sure that is."""

    before: float
    after: float
    #: Twice the standard error of the difference: a smaller difference may be chance.
    doubt: float
    better: int
    worse: int
    queries: int


def pool_of(query: Query, hits: Sequence[Hit]) -> Pool:
    """Read what search found: each hit says why it stands where it does."""
    rows = [{reason["signal"]: reason["value"] for reason in hit["why"]} for hit in hits]
    signals = np.array([[row.get(name, 0.0) for name in SIGNALS] for row in rows]).reshape(-1, len(SIGNALS))
    holds = [[place for place, gold in enumerate(query.gold) if gold.is_in(hit)] for hit in hits]
    kinds = np.array([kind_of(hit) for hit in hits], np.intp)
    return Pool(query, hits, signals, kinds, holds, parse_query(query.query, today=now()))


def kind_of(hit: Hit) -> int:
    """Return the row of weights that a hit takes."""
    return 0 if hit["kind"] == "message" else 1 if hit["chunk_kind"] == "code" else 2


def table(pool: Pool, scheme: WeightScheme) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Return the weights of talk, code and prose as rows."""
    rows = [
        weights_for(*kind, pool.parsed, Flags(), rerank=True, reach=pool.reach, scheme=scheme)
        for kind in CANDIDATE_KINDS
    ]
    return np.array([[getattr(row, name) for name in SIGNALS] for row in rows])


def ranked(pool: Pool, scheme: WeightScheme) -> list[int]:
    """Return the hits that these weights show, the best first, as search picks them."""
    scores = (pool.signals * table(pool, scheme)[pool.kinds]).sum(axis=1)
    left = np.argsort(-scores, kind="stable")[: 3 * SHOWN].tolist()
    picked: list[int] = []
    taken: dict[str, int] = {}
    while left and len(picked) < SHOWN:
        best = max(
            left,
            key=lambda one: scores[one] - reranking.SAME_SOURCE_PENALTY * taken.get(source_of(pool, one), 0),
        )
        left.remove(best)
        picked.append(best)
        taken[source_of(pool, best)] = taken.get(source_of(pool, best), 0) + 1
    return picked


def source_of(pool: Pool, place: int) -> str:
    """Return the file or message that a hit is from."""
    return pool.hits[place]["source_id"]


def worth(pool: Pool, scheme: WeightScheme) -> float:
    """Return the nDCG@10 of one query under some weights."""
    found: dict[Any, int] = {}
    for rank, place in enumerate(ranked(pool, scheme), 1):
        for gold in pool.holds[place]:
            found.setdefault(pool.query.gold[gold], rank)
    return ndcg(found, pool.query.gold, SHOWN)


def mean_worth(pools: Sequence[Pool], scheme: WeightScheme) -> float:
    """Return the mean nDCG@10 under some weights."""
    return fmean(worth(one, scheme) for one in pools)


def tune(pools: Sequence[Pool], scheme: WeightScheme | None = None) -> Iterator[WeightScheme]:
    """Yield better weights after each round over all of them, until nothing is won on the half to tune on."""
    best = scheme or LEARNED_SCHEME
    chosen = [one for one in pools if one.query.half is Half.TUNE]
    for _ in range(ROUNDS):
        before = best
        for knob in KNOBS:
            best = turned(chosen, best, knob)
        if best == before:
            return
        yield best


def turned(pools: Sequence[Pool], scheme: WeightScheme, knob: Knob) -> WeightScheme:
    """Return the weights with the best value of one of them; as they are when no other is worth it."""
    best, most = scheme, mean_worth(pools, scheme)
    for value in values_near(value_of(scheme, knob)):
        tried = with_value(scheme, knob, value)
        if (won := mean_worth(pools, tried)) > most + WORTHWHILE:
            best, most = tried, won
    return best


def values_near(value: float) -> list[float]:
    """Return the values to be tried in the place of one."""
    near = [*(value * factor for factor in FACTORS), *(value + step for step in STEPS)]
    return sorted({round(one, 3) for one in near} - {value})


def value_of(scheme: WeightScheme, knob: Knob) -> float:
    """Return one weight."""
    part, signal = knob
    return getattr(getattr(scheme, part), signal) if signal else getattr(scheme, part)


def with_value(scheme: WeightScheme, knob: Knob, value: float) -> WeightScheme:
    """Return a scheme with one weight changed."""
    part, signal = knob
    return replace(scheme, **{part: replace(getattr(scheme, part), **{signal: value}) if signal else value})


def changes(pools: Sequence[Pool], after: WeightScheme) -> Mapping[Half, Change]:
    """Return what new weights do to each half, against those that hold."""
    return {half: change([one for one in pools if one.query.half is half], after) for half in Half}


def change(pools: Sequence[Pool], after: WeightScheme) -> Change:
    """Return what new weights do to some queries, against those that hold."""
    pairs = [(worth(one, LEARNED_SCHEME), worth(one, after)) for one in pools]
    gains = [new - old for old, new in pairs]
    return Change(
        before=fmean(old for old, _ in pairs),
        after=fmean(new for _, new in pairs),
        doubt=2 * stdev(gains) / sqrt(len(gains)),
        better=sum(gain > 0 for gain in gains),
        worse=sum(gain < 0 for gain in gains),
        queries=len(gains),
    )


def written(scheme: WeightScheme) -> str:
    """Return weights as they would be written in `tertulia.retrieval.signal_weights`."""
    told = {field.name: getattr(scheme, field.name) for field in fields(scheme)}
    return "\n".join(f"{name} = {value!r}" for name, value in told.items())
