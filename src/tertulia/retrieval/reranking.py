"""From reasons to an order: one weighted sum, whose weights depend on what is asked and what was found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, mul

from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.signals import Signals
from tertulia.retrieval.sources import SourceKind

#: What each further chunk of the same source loses, so that the first hits come from several places.
SAME_SOURCE_PENALTY = 0.02


@dataclass(frozen=True, slots=True)
class SignalWeights:
    """What each signal counts."""

    dense: float
    lexical: float
    names: float
    neighbour: float = 0.0
    coverage: float = 0.0
    adjacency: float = 0.0
    heading: float = 0.0
    recency: float = 0.0
    speaker: float = 0.0
    time: float = 0.0
    here: float = 0.0
    linked: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A candidate with its score and why it has it."""

    candidate: Candidate
    score: float
    signals: Signals
    weights: SignalWeights


#: Talk is found best by its words, code by its meaning, prose by both: learned on labelled sets.
MESSAGE_WEIGHTS = SignalWeights(dense=0.25, lexical=0.75, names=0.1, neighbour=0.15)
CODE_WEIGHTS = SignalWeights(dense=0.5, lexical=0.4, names=0.4)
PROSE_WEIGHTS = SignalWeights(dense=0.6, lexical=0.5, names=0.15)
#: What else counts once the best are looked at closely.
RERANK_WEIGHTS = SignalWeights(
    dense=0.0,
    lexical=0.0,
    names=0.1,
    coverage=0.12,
    adjacency=0.07,
    heading=0.05,
    recency=0.03,
    speaker=0.4,
    time=0.25,
    here=0.05,
    linked=0.03,
)
#: How much recency counts where the latest or the first word on a matter is wanted.
WANTED_ORDER_RECENCY_WEIGHT = 0.25


def weights_for(candidate: Candidate, query: ParsedQuery, flags: Flags, *, rerank: bool) -> SignalWeights:
    """Return what each signal counts for a candidate of its kind and a query of its kind."""
    base = (
        MESSAGE_WEIGHTS
        if candidate.kind is SourceKind.MESSAGE
        else CODE_WEIGHTS
        if candidate.chunk_kind == "code"
        else PROSE_WEIGHTS
    )
    base = apply_chosen_weights(base, flags)
    if not rerank:
        return base
    recency = (
        WANTED_ORDER_RECENCY_WEIGHT
        if query.newest and candidate.kind is SourceKind.MESSAGE
        else RERANK_WEIGHTS.recency
    )
    return SignalWeights(
        dense=base.dense,
        lexical=base.lexical,
        names=base.names + (RERANK_WEIGHTS.names if flags.rerank_gamma is None else 0.0),
        neighbour=base.neighbour,
        coverage=RERANK_WEIGHTS.coverage,
        adjacency=RERANK_WEIGHTS.adjacency,
        heading=RERANK_WEIGHTS.heading,
        recency=recency,
        speaker=RERANK_WEIGHTS.speaker,
        time=RERANK_WEIGHTS.time,
        here=RERANK_WEIGHTS.here,
        linked=RERANK_WEIGHTS.linked,
    )


def apply_chosen_weights(base: SignalWeights, flags: Flags) -> SignalWeights:
    """Return weights with those that the workspace or the environment fixed."""
    return SignalWeights(
        dense=base.dense if flags.rerank_alpha is None else flags.rerank_alpha,
        lexical=base.lexical if flags.rerank_beta is None else flags.rerank_beta,
        names=base.names if flags.rerank_gamma is None else flags.rerank_gamma,
        neighbour=base.neighbour,
    )


#: What is weighed, of signals as of weights.
signal_values = attrgetter(*SignalWeights.__slots__)


def weighted_sum(signals: Signals, weights: SignalWeights) -> float:
    """Return the weighted sum."""
    return sum(map(mul, signal_values(weights), signal_values(signals)))


def rank_candidates(
    candidates: Sequence[Candidate],
    signals: Mapping[int, Signals],
    query: ParsedQuery,
    flags: Flags,
    *,
    rerank: bool,
) -> list[SearchHit]:
    """Return the candidates, best first."""
    kinds = {(candidate.kind, candidate.chunk_kind): candidate for candidate in candidates}
    weights = {kind: weights_for(candidate, query, flags, rerank=rerank) for kind, candidate in kinds.items()}
    scored: list[SearchHit] = []
    for candidate in candidates:
        own, found = weights[candidate.kind, candidate.chunk_kind], signals[candidate.chunk]
        scored.append(SearchHit(candidate, weighted_sum(found, own), found, own))
    return sorted(scored, key=lambda it: (-it.score, it.candidate.chunk))


def select_hits(hits: Sequence[SearchHit], *, limit: int) -> list[SearchHit]:
    """Return the best, each text once, and not all of them from one place while others are as good."""
    left = drop_duplicate_hits(hits, max_hits=3 * limit)
    picked: list[SearchHit] = []
    taken: dict[int, int] = {}
    while left and len(picked) < limit:
        best = max(left, key=lambda hit: hit.score - SAME_SOURCE_PENALTY * taken.get(hit.candidate.source, 0))
        left.remove(best)
        picked.append(best)
        taken[best.candidate.source] = taken.get(best.candidate.source, 0) + 1
    return picked


def drop_duplicate_hits(hits: Sequence[SearchHit], *, max_hits: int) -> list[SearchHit]:
    """Return the first texts, each once: the best place it stands in."""
    seen: set[str] = set()
    kept: list[SearchHit] = []
    for hit in hits:
        text = " ".join(hit.candidate.content.lower().split())
        if text not in seen:
            seen.add(text)
            kept.append(hit)
        if len(kept) == max_hits:
            break
    return kept
