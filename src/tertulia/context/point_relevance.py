"""Which points of a summary a question is about."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import log

from tertulia.conversations.reversal_sentences import asks_for_history
from tertulia.memory.domain import Point
from tertulia.memory.later_words import has_later_words
from tertulia.retrieval.statement_stems import find_stems


def order_by_relevance(
    points: Sequence[Point],
    question: str,
    found: Sequence[str],
    found_points: Sequence[str] = (),
    *,
    lesser: Collection[int] = (),
) -> list[int]:
    """Return the places of the points that a question is about, the nearest first.

    Those share rare words with it, or search found them for it, or messages that they come from, the best
    first. With what was found may stand what it was not found for: `lesser` points, by their ids, have to
    share words of their own with the question. Who asks for what was so before is told what was taken back.
    """
    words = [find_stems(point.text) for point in points]
    scores = score_shared_words(words, find_stems(question))
    best = max(scores, default=0.0) or 1.0
    ranks = {source: 1 / (place + 1) for place, source in reversed(list(enumerate(found)))}
    told = [normalise_whitespace(content) for content in found_points]
    wants_history = asks_for_history(question)
    total = [
        score / best
        + (0.0 if id(point) in lesser else score_found(point, ranks, told))
        + (wants_history and has_later_words(point.text))
        for score, point in zip(scores, points, strict=True)
    ]
    return sorted((place for place, score in enumerate(total) if score), key=lambda place: -total[place])


def score_found(point: Point, ranks: Mapping[str, float], told: Sequence[str]) -> float:
    """Return how near the top the messages of a point stand, and the first text that tells it."""
    text = normalise_whitespace(point.text) if told else ""
    as_told = next((1 / (place + 1) for place, content in enumerate(told) if text in content), 0.0)
    return as_told + max((ranks.get(source, 0.0) for source in point.sources), default=0.0)


def normalise_whitespace(text: str) -> str:
    """Return a text without differences of white space."""
    return " ".join(text.split())


def score_shared_words(texts: Sequence[frozenset[str]], asked: frozenset[str]) -> list[float]:
    """Return how much each text shares with a question; a word that few texts have counts more."""
    spread = Counter(word for text in texts for word in text & asked)
    return [sum(log(1 + len(texts) / spread[word]) for word in sorted(text & asked)) for text in texts]
