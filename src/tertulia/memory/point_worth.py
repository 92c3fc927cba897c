"""What a point is worth: which of two stays, or is shown, when there is room for one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import lru_cache

from tertulia.conversations.reversal_sentences import is_explicit_reversal, is_settled_by
from tertulia.memory import worth_cues
from tertulia.memory.cues import is_decision, is_preference, is_question, is_reminder
from tertulia.memory.domain import REMEMBERED_SUMMARIES_MAX, Point, PointKind
from tertulia.memory.figures import find_figures
from tertulia.memory.later_words import has_later_words, later_words_of, statement_of
from tertulia.memory.names import find_names
from tertulia.memory.point_authors import NO_AUTHORS, MessageAuthors, authors_of
from tertulia.memory.same_matter import find_later_statements
from tertulia.retrieval.index_words import content_words

#: A statement of the person with so many telling words can be of use.
STATEMENT_MIN_WORDS = 4
#: Points that differ in their figures alone are a series, and pass, if there are so many.
SERIES_MIN_POINTS = 3
#: A question is answered when a later point has this share of its words.
ANSWERED_WORDS_MIN_SHARE = 0.6


class Worth(IntEnum):
    """How long a point is of use."""

    NONE = 0
    #: Talk, requests, and readings of a series.
    PASSING = 1
    #: Figures and names of a moment, questions that are open, and what was taken back.
    TOLD = 2
    #: What may be looked up again: addresses, codes, names, how things are, what was made.
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
    """Return what a point is worth by its kind and its words; what was surely taken back is worth little."""
    statement = statement_of(point.text)
    if has_later_words(point.text) and is_settled_by(statement, later_words_of(point.text)):
        return Worth.TOLD
    return max(WORTH_BY_KIND[point.kind], assess_text(statement, by_user=point.is_stated_by_user))


@lru_cache(8_192)
def assess_text(text: str, *, by_user: bool) -> Worth:
    """Return what a sentence is worth by its words: what models say binds nobody."""
    if not by_user:
        return Worth.PASSING
    if worth_cues.is_personal(text) or is_preference(text, by_user=True):
        return Worth.PERSONAL
    if is_binding(text):
        return Worth.BINDING
    return assess_statement(text)


def is_binding(text: str) -> bool:
    """Tell whether a sentence of the person decides, promises, limits, reminds or takes something back."""
    is_settled = (
        is_decision(text, by_user=True) or is_reminder(text, by_user=True) or is_explicit_reversal(text)
    )
    return is_settled or worth_cues.is_commitment(text) or worth_cues.is_constraint(text)


def assess_statement(text: str) -> Worth:
    """Return what a sentence of the person is worth that binds nobody: whether it tells how something is."""
    if is_question(text) or worth_cues.is_request(text):
        return Worth.PASSING
    exact = bool(find_figures(text) or find_names(text))
    if worth_cues.is_passing(text):
        return Worth.TOLD if exact else Worth.PASSING
    is_telling = exact or worth_cues.count_references(text) or len(point_words(text)) >= STATEMENT_MIN_WORDS
    return Worth.REFERENCE if is_telling else Worth.PASSING


def find_answered_questions(points: Sequence[Point]) -> set[int]:
    """Return the places of questions of which a later point has most words."""
    asked = [index for index, point in enumerate(points) if point.kind is PointKind.QUESTION]
    words = frozenset[str]().union(*(point_words(points[index].text) for index in asked))
    places = find_places(words, points)
    return {index for index in asked if _is_answered(index, points, places)}


def find_places(words: frozenset[str], points: Sequence[Point]) -> dict[str, list[int]]:
    """Return for words the places of the points that have them; questions are left aside."""
    places: dict[str, list[int]] = {word: [] for word in words}
    for index, point in enumerate(points):
        if point.kind is not PointKind.QUESTION:
            for word in words & point_words(point.text):
                places[word].append(index)
    return places


def assess_points(points: Sequence[Point], authors: MessageAuthors = NO_AUTHORS) -> list[Worth]:
    """Return what each point is worth among the others: answers and readings of a series pass.

    What the person said later on a matter is worth no less than what was said of it before. Where several
    people write, each has their own series.
    """
    people = tuple(authors_of(point, authors) | frozenset(filter(None, point.authors)) for point in points)
    return list(_assess_points(tuple(points), people))


@lru_cache(REMEMBERED_SUMMARIES_MAX)
def _assess_points(points: tuple[Point, ...], people: tuple[frozenset[str], ...]) -> tuple[Worth, ...]:
    answered = find_answered_questions(points)
    own_series = [(who, series_of(point.text)) for who, point in zip(people, points, strict=True)]
    series = Counter(own_series)

    def assess(index: int) -> Worth:
        if index in answered:
            return Worth.NONE
        text = points[index].text
        is_reading = series[own_series[index]] >= SERIES_MIN_POINTS and not worth_cues.names_access(text)
        return Worth.PASSING if is_reading else assess_worth(points[index])

    worths = [assess(index) for index in range(len(points))]
    later_statements = find_later_statements(points)
    for index in sorted(later_statements, key=lambda place: points[place].last_round):
        for later in later_statements[index]:
            worths[later] = max(worths[later], worths[index])
    return tuple(worths)


def order_by_worth(points: Sequence[Point], worths: Sequence[Worth]) -> list[int]:
    """Return the places of points by their worth, most first; of equal ones the person's, then the newer."""

    def rank(index: int) -> tuple[int, bool, int]:
        return worths[index], points[index].is_by_user and worths[index] > Worth.NONE, index

    return sorted(range(len(points)), key=rank, reverse=True)


@lru_cache(8_192)
def series_of(text: str) -> frozenset[str]:
    """Return the words of a text that stay the same from one reading to the next."""
    return frozenset(word for word in point_words(text) if not any(map(str.isdigit, word))) or frozenset(
        (text,)
    )


@lru_cache(8_192)
def point_words(text: str) -> frozenset[str]:
    """Return the telling words of a point; the same points are looked at turn after turn."""
    return frozenset(content_words(text))


def _is_answered(index: int, points: Sequence[Point], places: Mapping[str, Sequence[int]]) -> bool:
    words = point_words(points[index].text)
    if not words:
        return any(point.kind is not PointKind.QUESTION for point in points[index + 1 :])
    shared = Counter(place for word in words for place in places[word] if place > index)
    return max(shared.values(), default=0) >= ANSWERED_WORDS_MIN_SHARE * len(words)
