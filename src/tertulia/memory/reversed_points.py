"""Points that a later word changes or takes back: each is told together with that, never alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tertulia.conversations.reversal_sentences import (
    find_reversals,
    has_digit,
    is_reversal,
    is_taken_back,
    parse_reversal,
)
from tertulia.memory.domain import POINT_USER_SPEAKER, Point, PointKind, SourceMessage, build_point
from tertulia.memory.later_words import add_later_words, has_later_words, statement_of
from tertulia.memory.point_authors import NO_AUTHORS, MessageAuthors, can_be_revised
from tertulia.memory.point_deduplication import combine_points
from tertulia.memory.restatements import find_restatements


@dataclass(frozen=True, slots=True)
class SaidReversal:
    """A sentence that takes something back, with where it was said."""

    text: str
    round_number: int
    #: The message, or the point, it stands in.
    origin: Point


def pair_reversals(
    points: Sequence[Point], messages: Sequence[SourceMessage], authors: MessageAuthors = NO_AUTHORS
) -> list[Point]:
    """Return points, those that a message or another point may take back with the words that do so.

    With `authors`, what people say of themselves is taken back by themselves alone.
    """
    paired = list(points)
    for reversal in sorted(_find_all(points, messages), key=lambda said: said.round_number):
        paired = [
            hold_against(point, reversal)
            if can_be_revised(point, reversal.text, reversal.origin, authors)
            else point
            for point in paired
        ]
    restated = {id(point): later for point, later in find_restatements(paired, authors)}
    return [
        add_reversal(point, SaidReversal(later.text, later.last_round, later))
        if (later := restated.get(id(point)))
        else point
        for point in paired
    ]


def hold_against(point: Point, reversal: SaidReversal) -> Point:
    """Return a point with a reversal if that takes it back, or with all of it if it is its beginning."""
    is_beginning = point.sources == reversal.origin.sources and reversal.text.startswith(f"{point.text} ")
    if is_beginning:
        return replace(point, text=reversal.text, id=0)
    return add_reversal(point, reversal) if is_reversed_by(point, reversal) else point


def is_reversed_by(point: Point, reversal: SaidReversal) -> bool:
    """Tell whether a point was said before something that takes it back."""
    if point.last_round > reversal.round_number or reversal.text in point.text:
        return False
    subject = parse_reversal(reversal.text)
    if subject.refers_back and not subject.target and not any(not has_digit(word) for word in subject.words):
        is_near = point.last_round >= reversal.round_number - 1 and point.is_by_user
        return is_near and has_digit(point.text) == subject.has_figures
    return is_taken_back(point.text, reversal.text)


def add_reversal(point: Point, reversal: SaidReversal) -> Point:
    """Return a point with what took it back; a later word on the same takes the place of an earlier one."""
    statement = statement_of(point.text)
    told = statement if is_taken_back(statement, reversal.text) else point.text
    text = add_later_words(told, reversal.text, round_number=reversal.round_number)
    both = combine_points(point, reversal.origin)
    return Point(point.kind, text, both.sources, both.rounds, both.speakers)


def _find_all(points: Sequence[Point], messages: Sequence[SourceMessage]) -> Iterator[SaidReversal]:
    """Yield what the person took back, each sentence once."""
    for line in messages:
        if line.speaker == POINT_USER_SPEAKER:
            for text in find_reversals(line.text):
                yield SaidReversal(text, line.round_number, build_point(PointKind.KEPT, text, line))
    known = {line.id for line in messages}
    for point in points:
        is_told = point.is_by_user and not has_later_words(point.text) and known.isdisjoint(point.sources)
        if is_told and is_reversal(point.text):
            yield SaidReversal(point.text, point.last_round, point)
