"""Finding weights on one half of the queries, and what they are worth on the other.

Pure: it is given what each part of search found, and a function that fuses those lists under weights.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from evals.metrics import Hit, Scores, mean, score
from evals.queries import Half, Query

PARTS = ("lexical", "dense", "identifiers")
#: What is asked of each part: deeper than what is shown, or fusing could lift nothing.
DEPTH = 50
STEP = 0.1

Weights = Mapping[str, float]
#: What each part found for one query, the best first.
Found = Mapping[str, Sequence[Hit]]
Fuse = Callable[[Found, Weights], Sequence[Hit]]


@dataclass(frozen=True, slots=True)
class Tuned:
    """The best weights on the one half, and their scores on both."""

    weights: Weights
    scores: Mapping[Half, Scores]


def tune(found: Mapping[Query, Found], *, fuse: Fuse, step: float = STEP) -> Tuned:
    """Return the weights with the best nDCG@10 on the half to tune on."""
    best = max(grid(PARTS, step), key=lambda weights: worth(found, Half.TUNE, fuse, weights).ndcg10)
    return Tuned(best, {half: worth(found, half, fuse, best) for half in Half})


def worth(found: Mapping[Query, Found], half: Half, fuse: Fuse, weights: Weights) -> Scores:
    """Return the mean scores of some weights on one half."""
    chosen = ((query, lists) for query, lists in found.items() if query.half is half)
    return mean([score(query, fuse(lists, weights)) for query, lists in chosen])


def grid(names: Sequence[str], step: float) -> list[Weights]:
    """Return all weights in steps that add up to one."""
    whole = round(1 / step)
    counts = (one for one in product(range(whole + 1), repeat=len(names)) if sum(one) == whole)
    return [{name: count / whole for name, count in zip(names, one, strict=True)} for one in counts]


def weighted_sum(found: Found, weights: Weights) -> list[Hit]:
    """Fuse lists by the sum of their scores, each a share of its list's best."""
    hits: dict[str, Hit] = {}
    sums: dict[str, float] = {}
    for part, listed in found.items():
        most = max((one["score"] for one in listed), default=0) or 1
        for one in listed:
            hits.setdefault(one["id"], one)
            sums[one["id"]] = sums.get(one["id"], 0.0) + weights[part] * one["score"] / most
    return [hits[key] for key in sorted(hits, key=lambda key: (-sums[key], key))]
