"""Statements that say something else of a thing than an earlier one did, without a word that says so."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tertulia.conversations.reversal_sentences import has_digit, is_question, telling_stems
from tertulia.memory.domain import Point
from tertulia.memory.figures import find_figures
from tertulia.memory.later_words import has_later_words
from tertulia.memory.names import find_names
from tertulia.memory.point_authors import NO_AUTHORS, MessageAuthors, can_be_revised, owners_of

#: A later statement is about the same thing when it has so many, and such a share, of an earlier one's words.
SAME_THING_MIN_WORDS = 2
SAME_THING_MIN_SHARE = 0.75
#: So many statements with the same words are readings of a series: each holds for its own moment.
SERIES_MIN_STATEMENTS = 3


@dataclass(frozen=True, slots=True)
class StatedFigures:
    """What a sentence speaks of, and the figures and names that it tells."""

    words: frozenset[str]
    figures: frozenset[str]
    names: frozenset[str]


def find_restatements(
    points: Sequence[Point], authors: MessageAuthors = NO_AUTHORS
) -> Iterator[tuple[Point, Point]]:
    """Yield each statement of the person with the latest one that tells other figures of the same thing."""
    said = [point for point in points if point.is_by_user and not is_question(point.text)]
    series = Counter(series_of(point, authors) for point in said)
    single = [
        point
        for point in said
        if not has_later_words(point.text)
        and read_statement(point.text).figures
        and series[series_of(point, authors)] < SERIES_MIN_STATEMENTS
    ]
    by_word: dict[str, list[Point]] = {}
    for point in single:
        for word in read_statement(point.text).words:
            by_word.setdefault(word, []).append(point)
    for point in single:
        if later := find_latest_restatement(point, by_word, authors):
            yield point, later


def series_of(point: Point, authors: MessageAuthors) -> tuple[frozenset[str], frozenset[str]]:
    """Return what readings of the same series share: their words, and whose alone they are."""
    return read_statement(point.text).words, owners_of(point, authors)


def find_latest_restatement(
    point: Point, by_word: dict[str, list[Point]], authors: MessageAuthors
) -> Point | None:
    """Return the latest of the statements, by their words, that tells other figures of the same thing."""
    near: Iterable[list[Point]] = (by_word[word] for word in read_statement(point.text).words)
    shared = Counter(id(other) for others in near for other in others if other.last_round > point.last_round)
    likely = {id_ for id_, count in shared.items() if count >= SAME_THING_MIN_WORDS}
    among = {
        id(other): other
        for word in read_statement(point.text).words
        for other in by_word[word]
        if id(other) in likely
        and is_restated_by(point.text, other.text)
        and can_be_revised(point, other.text, other, authors)
    }
    return max(among.values(), key=lambda other: other.last_round, default=None)


def is_restated_by(statement: str, later: str) -> bool:
    """Tell whether a later statement has most words of an earlier one, and other figures.

    Where both have several figures and share none, they are of different things: one of them names which.
    """
    first, second = read_statement(statement), read_statement(later)
    if not first.figures or not second.figures or first.figures == second.figures:
        return False
    if min(len(first.figures), len(second.figures)) > 1 and not first.figures & second.figures:
        return False
    if not (first.names <= second.names or second.names <= first.names):
        return False
    shared = len(first.words & second.words)
    return shared >= SAME_THING_MIN_WORDS and shared >= SAME_THING_MIN_SHARE * len(first.words)


@lru_cache(8_192)
def read_statement(text: str) -> StatedFigures:
    """Return what a sentence speaks of, and its figures and names."""
    words = frozenset(word for word in telling_stems(text) if not has_digit(word))
    figures = frozenset(figure for figure in find_figures(text) if has_digit(figure))
    return StatedFigures(words, figures, find_names(text))
