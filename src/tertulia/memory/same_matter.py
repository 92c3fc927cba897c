"""Statements of the person on the same matter: what was said first is not told without what was said later.

People change their minds in any words: “Leonore is out”, “a quarterly newsletter will do”. Both statements
name the matter, by a word that little else in the conversation has. Which of them holds is left to who
reads both.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Self

from tertulia.conversations.reversal_sentences import is_question, telling_stems
from tertulia.memory.domain import REMEMBERED_SUMMARIES_MAX, Point
from tertulia.memory.later_words import statement_of
from tertulia.retrieval.statement_stems import find_stems

#: A word names a matter if no more statements than this have it.
MATTER_WORD_MAX_STATEMENTS = 4
#: A later statement is on the matter of an earlier one with this share of its words, rare ones counting more.
SAME_MATTER_MIN_SHARE = 0.2
#: So many later statements go with an earlier one: those that share most, of equal ones the latest.
LATER_STATEMENTS_MAX = 3
#: Shorter stems are what is left of “I'm” and “it's”.
MATTER_WORD_MIN_CHARS = 3
#: Words that measure or date something say nothing of what it is; nor do those that join what is said.
MEASURE_STEMS = find_stems(
    "second minute hour day week month year today percent degree gram kilo kg tonne cm mm metre meter km "
    "litre euro dollar pound may must never until under over won don goes uhr stunde tag woche monat jahr "
    "hora día semana mes año heure jour semaine mois an"
)

#: The end of a longer word names the same as that word alone from so many characters on.
COMPOUND_END_MIN_CHARS = 4

#: Places of points, by those of the points that they go with.
LaterStatements = Mapping[int, Sequence[int]]


def find_later_statements(points: Sequence[Point]) -> LaterStatements:
    """Return the places of later statements on the same matter, by the places of the earlier ones.

    With a statement goes the next one of its message, which may say what holds instead; with what a model
    said of a statement, that statement.
    """
    return _find_later_statements(tuple(points))


@lru_cache(REMEMBERED_SUMMARIES_MAX)
def _find_later_statements(points: tuple[Point, ...]) -> LaterStatements:
    matters = Matters.of(points)
    later = {place: matters.find_later(place) for place in matters.words}
    revising = frozenset(place for places in later.values() for place in places)
    for place, following in _find_next_sentences(points, revising).items():
        later[place] = [*later[place], following]
    return {place: places for place, places in {**later, **matters.find_echoed()}.items() if places}


def with_later_statements(place: int, later: LaterStatements) -> list[int]:
    """Return a place, and those of all that has to be told with it, the later ones of later ones too."""
    told = [place]
    for known in told:
        told += [other for other in later.get(known, ()) if other not in told]
    return told


@dataclass(frozen=True, slots=True)
class Matters:
    """Which statements speak of which matter."""

    points: Sequence[Point]
    #: The words of each statement of the person, by its place.
    words: Mapping[int, frozenset[str]]
    weights: Mapping[str, float]
    #: The places of statements, by the words that name their matter.
    by_word: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, points: Sequence[Point]) -> Self:
        """Return the matters of what the person stated."""
        words = with_compound_ends(
            {
                place: matter_words(statement_of(point.text))
                for place, point in enumerate(points)
                if point.is_stated_by_user and not is_question(point.text)
            }
        )
        spread = Counter(word for said in words.values() for word in said)
        by_word: dict[str, list[int]] = {}
        for place, said in words.items():
            for word in said:
                if spread[word] <= MATTER_WORD_MAX_STATEMENTS:
                    by_word.setdefault(word, []).append(place)
        weights = {word: log(1 + len(words) / count) for word, count in spread.items()}
        return cls(points, words, weights, by_word)

    def find_later(self, place: int) -> list[int]:
        """Return the later statements on the matter of one: those that share most, then the latest."""
        own, point = self.words[place], self.points[place]
        near = {other for word in own for other in self.by_word.get(word, ())}
        shared = {
            other: self._weigh(own & self.words[other])
            for other in near
            if self.points[other].last_round > point.last_round and self.points[other].text not in point.text
        }
        least = SAME_MATTER_MIN_SHARE * self._weigh(matter_words(statement_of(point.text)))
        later = [other for other in shared if shared[other] >= least]
        later.sort(key=lambda other: (shared[other], self.points[other].last_round), reverse=True)
        return later[:LATER_STATEMENTS_MAX]

    def find_echoed(self) -> dict[int, list[int]]:
        """Return the statements that models spoke of, or were answered with, by the places of their words."""
        by_round: dict[int, list[int]] = {}
        for place in self.words:
            by_round.setdefault(min(self.points[place].rounds, default=0), []).append(place)

        def is_echoed(said: int, point: Point) -> bool:
            shared = self.words[said] & matter_words(point.text)
            is_answer = not set(point.sources).isdisjoint(self.points[said].sources)
            return is_answer or any(word in self.by_word for word in shared)

        return {
            place: [said for said in by_round.get(point.last_round, ()) if is_echoed(said, point)]
            for place, point in enumerate(self.points)
            if not point.is_by_user
        }

    def _weigh(self, words: frozenset[str]) -> float:
        return sum(self.weights[word] for word in sorted(words))


@lru_cache(16_384)
def matter_words(text: str) -> frozenset[str]:
    """Return the stems of the words by which a statement can name a matter."""
    return frozenset(
        stem
        for stem in telling_stems(text) - MEASURE_STEMS
        if not stem[0].isdigit() and (len(stem) >= MATTER_WORD_MIN_CHARS or not stem.isascii())
    )


def with_compound_ends(words: Mapping[int, frozenset[str]]) -> dict[int, frozenset[str]]:
    """Return words with those others among them that they end with: a website is a site."""
    known = frozenset[str]().union(*words.values())
    by_bare = {word.rstrip("e"): word for word in known if len(word) >= COMPOUND_END_MIN_CHARS}
    ends = {
        word: frozenset(
            by_bare[end] for cut in range(1, len(word)) if (end := word[cut:].rstrip("e")) in by_bare
        )
        for word in known
    }
    return {place: said.union(*(ends[word] for word in said)) for place, said in words.items()}


def _find_next_sentences(points: Sequence[Point], places: Collection[int]) -> dict[int, int]:
    """Return the statements that come right after others in the same message."""
    return {
        place: place + 1
        for place in places
        if place + 1 < len(points)
        and points[place + 1].sources == points[place].sources
        and points[place + 1].is_stated_by_user
        and not is_question(points[place + 1].text)
    }
