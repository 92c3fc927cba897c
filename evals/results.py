"""What came of a run: the scores of every way of searching for every query."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median, quantiles
from typing import Any

from evals.metrics import Scores, mean
from evals.queries import KINDS, Half, Query

#: The ways of searching that are compared, by the parts of search that they use; None is all there is.
SYSTEMS: Mapping[str, Sequence[str] | None] = {
    "lexical": ["lexical"],
    "dense": ["dense"],
    "hybrid": ["lexical", "dense", "identifiers"],
    "reranked": None,
}
#: All there is, with each query expanded by a utility model.
EXPANDED = "expanded"
ALL = "all"


@dataclass(frozen=True, slots=True)
class Judged:
    """How one way of searching did on one query."""

    query: Query
    scores: Scores
    seconds: float


@dataclass(frozen=True, slots=True)
class Results:
    """How every way of searching did, and on what."""

    judged: Mapping[str, Sequence[Judged]]
    files: int
    messages: int
    indexed: int

    def means(self, system: str, *, half: Half, kind: str = ALL) -> Scores | None:
        """Return the mean scores on one half, of one kind or of all; None where there is no such query."""
        chosen = [
            one.scores
            for one in self.judged[system]
            if one.query.half is half and kind in {ALL, one.query.kind}
        ]
        return mean(chosen) if chosen else None

    def milliseconds(self, system: str) -> tuple[float, float]:
        """Return the median and the 95th percentile of the time that a search took."""
        taken = [one.seconds * 1000 for one in self.judged[system]]
        return median(taken), quantiles(taken, n=20, method="inclusive")[-1]

    def as_json(self) -> dict[str, Any]:
        """Return everything, for programs: means, times, and each query's own scores."""
        return {
            "files": self.files,
            "messages": self.messages,
            "indexed": self.indexed,
            "means": {half.value: self._means_of(half) for half in Half},
            "milliseconds": {
                system: dict(zip(("median", "p95"), self.milliseconds(system), strict=True))
                for system in self.judged
            },
            "queries": {
                system: {one.query.id: asdict(one.scores) for one in judged}
                for system, judged in self.judged.items()
            },
        }

    def _means_of(self, half: Half) -> dict[str, Any]:
        return {
            kind: {
                system: asdict(scores)
                for system in self.judged
                if (scores := self.means(system, half=half, kind=kind))
            }
            for kind in (ALL, *KINDS)
        }
