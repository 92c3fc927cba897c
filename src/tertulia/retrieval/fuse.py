"""From reasons to an order: one weighted sum, whose weights depend on what is asked and what was found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, mul

from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.question import Question
from tertulia.retrieval.signals import Signals
from tertulia.retrieval.sources import SourceKind

#: What each further chunk of the same source loses, so that the first hits come from several places.
CROWDING = 0.02


@dataclass(frozen=True, slots=True)
class Weights:
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
class Scored:
    """A candidate with its score and why it has it."""

    candidate: Candidate
    score: float
    signals: Signals
    weights: Weights


#: Talk is found best by its words, code by its meaning, prose by both: learned on labelled sets.
TALK = Weights(dense=0.25, lexical=0.75, names=0.1, neighbour=0.15)
CODE = Weights(dense=0.5, lexical=0.4, names=0.4)
PROSE = Weights(dense=0.6, lexical=0.5, names=0.15)
#: What else counts once the best are looked at closely.
CLOSELY = Weights(
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
ORDER_WANTED = 0.25


def weights_for(one: Candidate, question: Question, flags: Flags, *, rerank: bool) -> Weights:
    """Return what each signal counts for a candidate of its kind and a query of its kind."""
    base = TALK if one.kind is SourceKind.MESSAGE else CODE if one.chunk_kind == "code" else PROSE
    base = with_chosen(base, flags)
    if not rerank:
        return base
    recency = ORDER_WANTED if question.newest and one.kind is SourceKind.MESSAGE else CLOSELY.recency
    return Weights(
        dense=base.dense,
        lexical=base.lexical,
        names=base.names + (CLOSELY.names if flags.rerank_gamma is None else 0.0),
        neighbour=base.neighbour,
        coverage=CLOSELY.coverage,
        adjacency=CLOSELY.adjacency,
        heading=CLOSELY.heading,
        recency=recency,
        speaker=CLOSELY.speaker,
        time=CLOSELY.time,
        here=CLOSELY.here,
        linked=CLOSELY.linked,
    )


def with_chosen(base: Weights, flags: Flags) -> Weights:
    """Return weights with those that the workspace or the environment fixed."""
    return Weights(
        dense=base.dense if flags.rerank_alpha is None else flags.rerank_alpha,
        lexical=base.lexical if flags.rerank_beta is None else flags.rerank_beta,
        names=base.names if flags.rerank_gamma is None else flags.rerank_gamma,
        neighbour=base.neighbour,
    )


#: What is weighed, of signals as of weights.
weighed = attrgetter(*Weights.__slots__)


def total(signals: Signals, weights: Weights) -> float:
    """Return the weighted sum."""
    return sum(map(mul, weighed(weights), weighed(signals)))


def order(
    candidates: Sequence[Candidate],
    signals: Mapping[int, Signals],
    question: Question,
    flags: Flags,
    *,
    rerank: bool,
) -> list[Scored]:
    """Return the candidates, best first."""
    kinds = {(one.kind, one.chunk_kind): one for one in candidates}
    weights = {kind: weights_for(one, question, flags, rerank=rerank) for kind, one in kinds.items()}
    scored: list[Scored] = []
    for one in candidates:
        own, found = weights[one.kind, one.chunk_kind], signals[one.chunk]
        scored.append(Scored(one, total(found, own), found, own))
    return sorted(scored, key=lambda it: (-it.score, it.candidate.chunk))


def pick(scored: Sequence[Scored], *, limit: int) -> list[Scored]:
    """Return the best, each text once, and not all of them from one place while others are as good."""
    left = unique(scored, most=3 * limit)
    picked: list[Scored] = []
    taken: dict[int, int] = {}
    while left and len(picked) < limit:
        best = max(left, key=lambda one: one.score - CROWDING * taken.get(one.candidate.source, 0))
        left.remove(best)
        picked.append(best)
        taken[best.candidate.source] = taken.get(best.candidate.source, 0) + 1
    return picked


def unique(scored: Sequence[Scored], *, most: int) -> list[Scored]:
    """Return the first texts, each once: the best place it stands in."""
    seen: set[str] = set()
    kept: list[Scored] = []
    for one in scored:
        text = " ".join(one.candidate.content.lower().split())
        if text not in seen:
            seen.add(text)
            kept.append(one)
        if len(kept) == most:
            break
    return kept
