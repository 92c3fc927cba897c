"""What a point is worth: which of two stays, or is shown, when there is room for one."""

from collections.abc import Collection, Sequence
from enum import IntEnum
from functools import lru_cache

from tertulia.conversations.reversal_sentences import is_reversal
from tertulia.memory import worth_cues
from tertulia.memory.cues import is_decision, is_preference, is_reminder
from tertulia.memory.domain import Point, PointKind
from tertulia.memory.figures import find_figures
from tertulia.memory.names import find_names
from tertulia.memory.reversed_points import is_reversed
from tertulia.retrieval.index_words import content_words

#: A question is answered when a later point has this share of its words.
ANSWERED_WORDS_MIN_SHARE = 0.6


class Worth(IntEnum):
    """How long a point is of use."""

    NONE = 0
    #: Talk, and figures of a moment.
    PASSING = 1
    #: What was told with a figure or a name, and questions that are open.
    TOLD = 2
    #: What is looked up again: addresses, codes, names, what was made.
    REFERENCE = 3
    #: What binds: decisions, promises, limits, what is to be remembered.
    BINDING = 4
    #: Who the person is and how they want things.
    PERSONAL = 5


WORTH_BY_KIND = {
    PointKind.TOPIC: Worth.PASSING,
    PointKind.ENTITY: Worth.PASSING,
    PointKind.KEPT: Worth.PASSING,
    PointKind.QUESTION: Worth.TOLD,
    PointKind.CREATED: Worth.REFERENCE,
    PointKind.COMMITMENT: Worth.BINDING,
    PointKind.DECISION: Worth.BINDING,
    PointKind.PREFERENCE: Worth.PERSONAL,
}


def assess_worth(point: Point) -> Worth:
    """Return what a point is worth by its kind and its words; what was taken back is worth little."""
    if is_reversed(point.text):
        return Worth.TOLD
    return max(WORTH_BY_KIND[point.kind], assess_text(point.text, by_user=point.is_by_user))


@lru_cache(8_192)
def assess_text(text: str, *, by_user: bool) -> Worth:
    """Return what a sentence is worth by its words: what models say binds nobody."""
    if not by_user:
        return Worth.PASSING
    if worth_cues.is_personal(text) or is_preference(text, by_user=True):
        return Worth.PERSONAL
    if is_decision(text, by_user=True) or is_reminder(text, by_user=True) or is_reversal(text):
        return Worth.BINDING
    if worth_cues.is_commitment(text) or worth_cues.is_constraint(text):
        return Worth.BINDING
    exact = bool(find_figures(text) or find_names(text))
    references = worth_cues.count_references(text)
    if references + exact > 1 and not worth_cues.is_passing(text):
        return Worth.REFERENCE
    return Worth.TOLD if exact or references else Worth.PASSING


def find_answered_questions(points: Sequence[Point]) -> set[int]:
    """Return the places of questions of which a later point has most words."""
    asked = [index for index, point in enumerate(points) if point.kind is PointKind.QUESTION]
    return {index for index in asked if _is_answered(points[index], points[index + 1 :])}


def order_by_worth(points: Sequence[Point]) -> list[int]:
    """Return the places of points by their worth, most first; of equal ones the person's, then the newer."""
    answered = find_answered_questions(points)

    def worth_of(index: int) -> tuple[int, bool, int]:
        point = points[index]
        worth = Worth.NONE if index in answered else assess_worth(point)
        return worth, point.is_by_user and worth > Worth.NONE, index

    return sorted(range(len(points)), key=worth_of, reverse=True)


@lru_cache(8_192)
def point_words(text: str) -> frozenset[str]:
    """Return the telling words of a point; the same points are looked at turn after turn."""
    return frozenset(content_words(text))


def _is_answered(question: Point, later: Collection[Point]) -> bool:
    words = point_words(question.text)
    return any(
        len(words & point_words(point.text)) >= ANSWERED_WORDS_MIN_SHARE * len(words)
        for point in later
        if point.kind is not PointKind.QUESTION
    )
