"""From reasons to an order: one weighted sum, of which each text comes once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, mul

from msgspec import structs

from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.evidence import Evidence, has_strong_evidence
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.message_evidence import content_stems
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.retold_points import is_retold_by, says_point
from tertulia.retrieval.signal_weights import SignalWeights, weights_for
from tertulia.retrieval.signals import Signals
from tertulia.retrieval.sources import SourceKind

#: What each further chunk of the same source loses, so that the first hits come from several places.
SAME_SOURCE_PENALTY = 0.02
#: Texts that share so many of their words say the same; so many of the best are compared with each other.
NEAR_DUPLICATE_MIN_SHARE = 0.8
#: In shorter texts one word makes the difference.
NEAR_DUPLICATE_MIN_WORDS = 8
NEAR_DUPLICATES_COMPARED_MAX = 40


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A candidate with its score and why it has it."""

    candidate: Candidate
    score: float
    signals: Signals
    weights: SignalWeights

    @property
    def similarity(self) -> float:
        """Return how alike its meaning is to the query's, from 0 to 1."""
        return min(1.0, max(0.0, self.signals.alike))

    @property
    def is_weak(self) -> bool:
        """Tell whether little speaks for it: neither its meaning, nor most of the words, nor a name."""
        return not has_strong_evidence(self.signals)


def formula_signals(signals: Signals) -> Signals:
    """Return signals as the plain formula takes them: a similarity, and whether an identifier is there."""
    return structs.replace(signals, dense=min(1.0, max(0.0, signals.alike)), names=float(signals.names > 0))


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
    reach = max((signals[candidate.chunk].coverage for candidate in candidates), default=0.0)
    weights = {
        kind: weights_for(*kind, query, flags, rerank=rerank, reach=reach)
        for kind in {(candidate.kind, candidate.chunk_kind) for candidate in candidates}
    }
    scored: list[SearchHit] = []
    for candidate in candidates:
        own, found = weights[candidate.kind, candidate.chunk_kind], signals[candidate.chunk]
        found = found if rerank else formula_signals(found)
        scored.append(SearchHit(candidate, weighted_sum(found, own), found, own))
    return sorted(scored, key=lambda it: (-it.score, it.candidate.chunk))


def drop_unsupported_hits(hits: Sequence[SearchHit], *, known_share: float) -> list[SearchHit]:
    """Return the hits that enough speaks for; of nonsense none is left."""
    evidence = Evidence.needed_for((hit.signals for hit in hits), known_share=known_share)
    return [hit for hit in hits if evidence.is_met_by(hit.signals)]


def select_hits(
    hits: Sequence[SearchHit], *, limit: int, same_source_penalty: float = SAME_SOURCE_PENALTY
) -> list[SearchHit]:
    """Return the best, each text once, and not all of them from one place while others are as good."""
    left = drop_duplicate_hits(hits, max_hits=3 * limit)
    picked: list[SearchHit] = []
    taken: dict[int, int] = {}
    while left and len(picked) < limit:
        best = max(left, key=lambda hit: hit.score - same_source_penalty * taken.get(hit.candidate.source, 0))
        left.remove(best)
        picked.append(best)
        taken[best.candidate.source] = taken.get(best.candidate.source, 0) + 1
    return picked


def drop_duplicate_hits(hits: Sequence[SearchHit], *, max_hits: int) -> list[SearchHit]:
    """Return the first texts, each once, in the best place it stands in; with other figures it is another.

    Of a message and a point of a summary that say the same, the message is kept.
    """
    seen: set[str] = set()
    kept: list[SearchHit] = []
    texts: list[ComparedText] = []
    for hit in drop_retold_hits(hits):
        text = " ".join(hit.candidate.content.lower().split())
        if text in seen:
            continue
        seen.add(text)
        if hit.candidate.chunk_kind != "code" and len(texts) < NEAR_DUPLICATES_COMPARED_MAX:
            compared = ComparedText.of(text)
            if any(compared.says_the_same(other) for other in texts):
                continue
            texts.append(compared)
        kept.append(hit)
        if len(kept) == max_hits:
            break
    return kept


def drop_retold_hits(hits: Sequence[SearchHit]) -> list[SearchHit]:
    """Return hits without points that a message says which is as good, or says no more than they do."""
    messages = [hit for hit in hits if hit.candidate.kind is SourceKind.MESSAGE]

    def is_retold(hit: SearchHit) -> bool:
        points = hit.candidate
        return hit.signals.retold == 1 and any(
            is_retold_by(points, message.candidate)
            and (message.score >= hit.score or says_point(points.content, message.candidate.content))
            for message in messages
        )

    return [hit for hit in hits if hit.candidate.kind is not SourceKind.SUMMARY or not is_retold(hit)]


@dataclass(frozen=True, slots=True)
class ComparedText:
    """The words of a text that tell something, and its figures."""

    words: frozenset[str]
    figures: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "ComparedText":
        """Return a text in the form in which it is compared."""
        words = content_stems(text)
        return cls(words, frozenset(word for word in words if not word.isalpha()))

    def says_the_same(self, other: "ComparedText") -> bool:
        """Tell whether two texts have the same figures and nearly the same words."""
        if self.figures != other.figures or len(self.words) < NEAR_DUPLICATE_MIN_WORDS:
            return False
        fewer, more = sorted((len(self.words), len(other.words)))
        if fewer < NEAR_DUPLICATE_MIN_SHARE * more:
            return False
        shared = len(self.words & other.words)
        return shared >= NEAR_DUPLICATE_MIN_SHARE * (fewer + more - shared)
