"""How good a ranking is: nDCG, recall and the reciprocal rank."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from evals.queries import Gold, Query

Hit = Mapping[str, Any]
#: Passages of lower grades help but need not be found.
NEEDED = 2


@dataclass(frozen=True, slots=True)
class Scores:
    """What is measured of one query, or the mean of many."""

    ndcg5: float
    ndcg10: float
    recall1: float
    recall5: float
    recall10: float
    mrr: float


def score(query: Query, hits: Sequence[Hit]) -> Scores:
    """Return how well hits, the best first, answer a query; for nonsense the best answer is none."""
    if not query.gold:
        return Scores(*[float(not hits)] * len(fields(Scores)))
    found = first_found(query.gold, hits)
    return Scores(
        ndcg5=ndcg(found, query.gold, 5),
        ndcg10=ndcg(found, query.gold, 10),
        recall1=recall(found, query.gold, 1),
        recall5=recall(found, query.gold, 5),
        recall10=recall(found, query.gold, 10),
        mrr=1 / min(found.values()) if found else 0.0,
    )


def first_found(gold: Iterable[Gold], hits: Sequence[Hit]) -> dict[Gold, int]:
    """Return the rank at which each passage is found first; a second hit that holds it adds nothing."""
    found: dict[Gold, int] = {}
    for one in gold:
        for rank, hit in enumerate(hits[:10], 1):
            if one.is_in(hit):
                found[one] = rank
                break
    return found


def ndcg(found: Mapping[Gold, int], gold: Sequence[Gold], depth: int) -> float:
    """Return the discounted gain, as a share of the best there could be."""
    won = sum(gain(one.grade) / discount(rank) for one, rank in found.items() if rank <= depth)
    grades = sorted((one.grade for one in gold), reverse=True)[:depth]
    best = sum(gain(grade) / discount(rank) for rank, grade in enumerate(grades, 1))
    # One hit may hold several passages, which is better than the best order of hits with one each.
    return min(1.0, won / best)


def gain(grade: int) -> int:
    """Return what a passage of a grade is worth."""
    return 2**grade - 1


def discount(rank: int) -> float:
    """Return by what a gain at a rank, counted from one, is divided."""
    return math.log2(rank + 1)


def recall(found: Mapping[Gold, int], gold: Sequence[Gold], depth: int) -> float:
    """Return the share of the needed passages that are found down to a rank."""
    needed = [one for one in gold if one.grade >= NEEDED]
    return sum(found.get(one, depth + 1) <= depth for one in needed) / len(needed)


def mean(scores: Sequence[Scores]) -> Scores:
    """Return the mean of each measure."""
    names = [field.name for field in fields(Scores)]
    return Scores(**{name: sum(getattr(one, name) for one in scores) / len(scores) for name in names})
