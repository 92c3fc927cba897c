"""What search must reach, held against the half that no weight was chosen by."""

from dataclasses import dataclass

from evals.queries import Half
from evals.results import Results

#: How much more of the named code the fused search must find than meaning alone.
NAMES_FOUND = 1.2


@dataclass(frozen=True, slots=True)
class Floor:
    """Something that must hold, with the figures it is judged by."""

    name: str
    figures: str
    holds: bool

    def __str__(self) -> str:
        return f"{'PASS' if self.holds else 'FAIL'}  {self.name}: {self.figures}"


def floors(results: Results) -> list[Floor]:
    """Return every floor that these results can be held against; a baseline alone has none."""
    if not {"lexical", "dense", "hybrid"} <= results.judged.keys():
        return []
    return [beats(results, "lexical"), beats(results, "dense"), finds_names(results)]


def beats(results: Results, part: str) -> Floor:
    """Hold the fused search against one of its parts."""
    hybrid, alone = (ndcg10(results, system) for system in ("hybrid", part))
    return Floor(f"hybrid beats {part} on nDCG@10", f"{hybrid:.3f} against {alone:.3f}", holds=hybrid > alone)


def finds_names(results: Results) -> Floor:
    """Hold the fused search against meaning alone where names are looked for."""
    hybrid, dense = (recall_of_names(results, system) for system in ("hybrid", "dense"))
    more = f"{hybrid / dense - 1:+.0%}" if dense else "from nothing"
    return Floor(
        f"identifier recall@10 of hybrid is at least {NAMES_FOUND - 1:.0%} over dense",
        f"{hybrid:.3f} against {dense:.3f}, {more}",
        holds=hybrid > 0 and hybrid >= NAMES_FOUND * dense,
    )


def ndcg10(results: Results, system: str) -> float:
    """Return the nDCG@10 over all kinds."""
    scores = results.means(system, half=Half.REPORT)
    return scores.ndcg10 if scores else 0.0


def recall_of_names(results: Results, system: str) -> float:
    """Return the share of wanted passages found for queries that name code."""
    scores = results.means(system, half=Half.REPORT, kind="identifier")
    return scores.recall10 if scores else 0.0
