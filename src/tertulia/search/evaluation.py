"""Running the regression suite: are the passages that people found good still found, the bad ones not?"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from tertulia.core.principal import Principal
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.reranking import SearchHit
from tertulia.retrieval.search import Search
from tertulia.retrieval.search_query import SearchQuery
from tertulia.retrieval.sources import QUOTABLE_KINDS
from tertulia.search.citation_marks import CitationMark

EVALUATION_HITS_MAX = 10


@dataclass(frozen=True, slots=True)
class MarkedQueryOutcome:
    """One marked question: at which places the good passages came, and the bad ones."""

    query: str
    good: tuple[int | None, ...]
    bad: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How the suite went."""

    outcomes: list[MarkedQueryOutcome]

    @property
    def mrr(self) -> float:
        """Return how early the first good passage comes, on average: 1 is always first."""
        return mean(
            [
                1 / min(found) if (found := found_ranks(outcome.good)) else 0.0
                for outcome in self._outcomes_with_good
            ]
        )

    @property
    def recall(self) -> float:
        """Return the share of good passages that are found at all."""
        return mean(
            [len(found_ranks(outcome.good)) / len(outcome.good) for outcome in self._outcomes_with_good]
        )

    @property
    def ndcg(self) -> float:
        """Return how close the order is to the best one."""
        return mean(
            [
                discounted_gain(found_ranks(outcome.good)) / discounted_gain(range(1, len(outcome.good) + 1))
                for outcome in self._outcomes_with_good
            ]
        )

    @property
    def bad_shown(self) -> float:
        """Return the share of bad passages that are found again."""
        return mean([float(place is not None) for outcome in self.outcomes for place in outcome.bad])

    @property
    def _outcomes_with_good(self) -> list[MarkedQueryOutcome]:
        return [outcome for outcome in self.outcomes if outcome.good]


async def run_evaluation_suite(
    search: Search, marks: Sequence[CitationMark], *, flags: Flags, by: Principal
) -> Evaluation:
    """Ask every marked question again with some flags, and see what comes."""
    asked: dict[tuple[str, str | None], list[CitationMark]] = {}
    for mark in marks:
        asked.setdefault((mark.query, mark.project_id), []).append(mark)
    outcomes: list[MarkedQueryOutcome] = []
    for (text, project_id), about in asked.items():
        query = SearchQuery(
            text=text,
            project_id=project_id,
            kinds=QUOTABLE_KINDS,
            limit=3 * EVALUATION_HITS_MAX,
            flags=flags,
            purpose="evaluation",
        )
        hits = drop_own_conversations((await search.find(query, by=by)).hits, about)
        outcomes.append(
            MarkedQueryOutcome(
                text,
                good=tuple(find_rank(citation_mark, hits) for citation_mark in about if citation_mark.good),
                bad=tuple(
                    find_rank(citation_mark, hits) for citation_mark in about if not citation_mark.good
                ),
            )
        )
    return Evaluation(outcomes)


def drop_own_conversations(hits: Sequence[SearchHit], marks: Sequence[CitationMark]) -> list[SearchHit]:
    """Return the best hits outside of the conversations where the question itself was asked."""
    asked_in = {mark.conversation_id for mark in marks if mark.conversation_id}
    return [hit for hit in hits if hit.candidate.conversation_id not in asked_in][:EVALUATION_HITS_MAX]


def find_rank(mark: CitationMark, hits: Sequence[SearchHit]) -> int | None:
    """Return at which place a marked passage was found, or something that overlaps it."""
    for place, hit in enumerate(hits, start=1):
        candidate = hit.candidate
        same = candidate.source_id == mark.source_id
        if same and candidate.start_char < mark.end_char and mark.start_char < candidate.end_char:
            return place
    return None


def found_ranks(found: Sequence[int | None]) -> list[int]:
    """Return the places of what was found, each once."""
    return sorted({place for place in found if place is not None})


def discounted_gain(found: Sequence[int]) -> float:
    """Return what passages at these places are worth: the earlier the more."""
    return sum(1 / log2(1 + place) for place in found)


def mean(values: Sequence[float]) -> float:
    """Return the mean; of nothing it is zero."""
    return sum(values) / len(values) if values else 0.0
