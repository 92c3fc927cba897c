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
from tertulia.retrieval import reranking
from tertulia.retrieval.reranking import SignalWeights

#: What is asked for: as much as search gives at once, or other weights could lift nothing.
DEPTH = 100
SHOWN = 10
SIGNALS = tuple(field.name for field in fields(SignalWeights))
#: What counts in any order, and what only a close look adds.
BASE = ("dense", "lexical", "names", "neighbour")
CLOSE = ("names", "coverage", "adjacency", "heading", "recency", "speaker", "time", "linked")
FACTORS, STEPS = (0.0, 0.5, 0.7, 1.4, 2.0), (-0.05, 0.05)
#: A change that wins less than this is taken for chance.
WORTHWHILE = 0.0008
ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Scheme:
    """All weights of search, as they stand in `tertulia.retrieval.reranking`."""

    talk: SignalWeights = reranking.MESSAGE_WEIGHTS
    code: SignalWeights = reranking.CODE_WEIGHTS
    prose: SignalWeights = reranking.PROSE_WEIGHTS
    closely: SignalWeights = reranking.RERANK_WEIGHTS
    order_wanted: float = reranking.WANTED_ORDER_RECENCY_WEIGHT


#: One weight: the field of the scheme, and the signal; the last has none.
Knob = tuple[str, str]
KNOBS: tuple[Knob, ...] = (
    *((part, signal) for part in ("talk", "code", "prose") for signal in BASE),
    *(("closely", signal) for signal in CLOSE),
    ("order_wanted", ""),
)


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
    #: Whether the latest or the first word is wanted.
    order_wanted: bool


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


def pool_of(query: Query, hits: Sequence[Hit], *, order_wanted: bool) -> Pool:
    """Read what search found: each hit says why it stands where it does."""
    rows = [{reason["signal"]: reason["value"] for reason in hit["why"]} for hit in hits]
    signals = np.array([[row.get(name, 0.0) for name in SIGNALS] for row in rows]).reshape(-1, len(SIGNALS))
    holds = [[place for place, gold in enumerate(query.gold) if gold.is_in(hit)] for hit in hits]
    return Pool(query, hits, signals, np.array([kind_of(hit) for hit in hits], np.intp), holds, order_wanted)


def kind_of(hit: Hit) -> int:
    """Return the row of weights that a hit takes."""
    return 0 if hit["kind"] == "message" else 1 if hit["chunk_kind"] == "code" else 2


def table(scheme: Scheme, *, order_wanted: bool, rerank: bool) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Return the weights of talk, code and prose as rows."""
    rows = np.array([[getattr(base, name) for name in SIGNALS] for base in bases(scheme)])
    if not rerank:
        return rows
    for name in (*CLOSE, "here"):
        rows[:, SIGNALS.index(name)] += getattr(scheme.closely, name)
    if order_wanted:
        rows[0, SIGNALS.index("recency")] = scheme.order_wanted
    return rows


def bases(scheme: Scheme) -> tuple[SignalWeights, SignalWeights, SignalWeights]:
    """Return what counts in any order, in the order of kinds."""
    return scheme.talk, scheme.code, scheme.prose


def ranked(pool: Pool, scheme: Scheme, *, rerank: bool = True) -> list[int]:
    """Return the hits that these weights show, the best first, as search picks them."""
    weights = table(scheme, order_wanted=pool.order_wanted, rerank=rerank)
    scores = (pool.signals * weights[pool.kinds]).sum(axis=1)
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


def worth(pool: Pool, scheme: Scheme, *, rerank: bool = True) -> float:
    """Return the nDCG@10 of one query under some weights."""
    found: dict[Any, int] = {}
    for rank, place in enumerate(ranked(pool, scheme, rerank=rerank), 1):
        for gold in pool.holds[place]:
            found.setdefault(pool.query.gold[gold], rank)
    return ndcg(found, pool.query.gold, SHOWN)


def mean_worth(pools: Sequence[Pool], scheme: Scheme) -> float:
    """Return the mean nDCG@10 under some weights."""
    return fmean(worth(one, scheme) for one in pools)


def tune(pools: Sequence[Pool], scheme: Scheme | None = None) -> Iterator[Scheme]:
    """Yield better weights after each round over all of them, until nothing is won on the half to tune on."""
    best = scheme or Scheme()
    chosen = [one for one in pools if one.query.half is Half.TUNE]
    for _ in range(ROUNDS):
        before = best
        for knob in KNOBS:
            best = turned(chosen, best, knob)
        if best == before:
            return
        yield best


def turned(pools: Sequence[Pool], scheme: Scheme, knob: Knob) -> Scheme:
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
    return sorted({round(max(0.0, one), 3) for one in near} - {value})


def value_of(scheme: Scheme, knob: Knob) -> float:
    """Return one weight."""
    part, signal = knob
    return getattr(getattr(scheme, part), signal) if signal else getattr(scheme, part)


def with_value(scheme: Scheme, knob: Knob, value: float) -> Scheme:
    """Return a scheme with one weight changed."""
    part, signal = knob
    return replace(scheme, **{part: replace(getattr(scheme, part), **{signal: value}) if signal else value})


def changes(pools: Sequence[Pool], after: Scheme, *, rerank: bool) -> Mapping[Half, Change]:
    """Return what new weights do to each half, against those that hold."""
    return {
        half: change([one for one in pools if one.query.half is half], after, rerank=rerank) for half in Half
    }


def change(pools: Sequence[Pool], after: Scheme, *, rerank: bool) -> Change:
    """Return what new weights do to some queries, against those that hold."""
    pairs = [(worth(one, Scheme(), rerank=rerank), worth(one, after, rerank=rerank)) for one in pools]
    gains = [new - old for old, new in pairs]
    return Change(
        before=fmean(old for old, _ in pairs),
        after=fmean(new for _, new in pairs),
        doubt=2 * stdev(gains) / sqrt(len(gains)),
        better=sum(gain > 0 for gain in gains),
        worse=sum(gain < 0 for gain in gains),
        queries=len(gains),
    )


def written(scheme: Scheme) -> str:
    """Return weights as they would be written in `tertulia.retrieval.reranking`."""
    parts = [
        f"{name.upper()} = Weights({arguments(getattr(scheme, name))})"
        for name in ("talk", "code", "prose", "closely")
    ]
    return "\n".join([*parts, f"ORDER_WANTED = {scheme.order_wanted}"])


def arguments(weights: SignalWeights) -> str:
    """Return weights as arguments, without those that are nothing by themselves."""
    needed = ("dense", "lexical", "names")
    told = {name: getattr(weights, name) for name in SIGNALS}
    return ", ".join(f"{name}={value}" for name, value in told.items() if value or name in needed)
