"""Whether a summary still holds what must not be lost: what is pinned, binding or exact, word for word."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tertulia.conversations.reversal_sentences import is_reversal
from tertulia.memory.domain import POINT_USER_SPEAKER, Point, PointKind, SourceMessage, build_point
from tertulia.memory.later_words import has_later_words
from tertulia.memory.message_sentences import (
    MessageSentence,
    join_sentences,
    split_messages,
    with_needed_context,
)
from tertulia.memory.point_deduplication import fold_text
from tertulia.memory.point_worth import Worth


@dataclass(frozen=True, slots=True)
class RequiredLine:
    """A line that must stand in a summary."""

    message: SourceMessage
    #: What has to be there, and how it is kept where it is not: with what it needs to be understood.
    words: str
    text: str
    #: The messages its text stands in: its own, and the question where it says little without it.
    messages: tuple[SourceMessage, ...]


def find_required_lines(messages: Sequence[SourceMessage]) -> list[RequiredLine]:
    """Return what must not be lost: pinned lines, figures, decisions, what the person said of use."""
    # Of a pinned reply all rows are kept: no sentence of it has to be found.
    said = split_messages(
        [line for line in messages if line.speaker == POINT_USER_SPEAKER or not line.pinned]
    )
    needed = [_required_sentence(said, index) for index, sentence in enumerate(said) if is_required(sentence)]
    pinned = [kept for line in messages if line.pinned for kept in _pinned_rows(line)]
    place = {line.id: index for index, line in enumerate(messages)}
    return sorted([*pinned, *needed], key=lambda kept: place[kept.message.id])


def find_missing_lines(points: Sequence[Point], messages: Sequence[SourceMessage]) -> list[RequiredLine]:
    """Return what stands in no point."""
    local = {line.id for line in messages if line.local_only}
    by_source: dict[str, list[Point]] = {}
    for point in points:
        for source in point.sources:
            by_source.setdefault(source, []).append(point)
    return [
        kept
        for kept in find_required_lines(messages)
        if not any(contains_line(point, kept, local) for point in by_source.get(kept.message.id, ()))
    ]


def to_verbatim_points(required_lines: Iterable[RequiredLine]) -> list[Point]:
    """Return lines as points, word for word, each once."""
    once = {(kept.message.id, kept.text): kept for kept in required_lines}
    return [build_point(PointKind.KEPT, kept.text, *kept.messages) for kept in once.values()]


def contains_line(point: Point, required: RequiredLine, local: set[str]) -> bool:
    """Tell whether a point has the words of a line, and for all who may see that line.

    What is pinned stands by itself, or with later words alone: it must not go when something is left out
    that it answers or was answered with.
    """
    is_alone = set(point.sources) == {required.message.id} or has_later_words(point.text)
    if required.message.pinned and not is_alone:
        return False
    if not set(point.speakers) <= {POINT_USER_SPEAKER, *(line.speaker for line in required.messages)}:
        return False
    if not required.message.local_only and not local.isdisjoint(point.sources):
        return False
    words = fold_text(required.words)
    return not words or f" {words} " in f" {fold_text(point.text)} "


def is_required(sentence: MessageSentence) -> bool:
    """Tell whether a sentence of a message that nobody pinned must not be lost."""
    if sentence.is_code or sentence.message.pinned:
        return False
    is_weighty = sentence.is_by_user and (sentence.worth >= Worth.REFERENCE or is_reversal(sentence.text))
    return sentence.has_telling_figures or sentence.is_decision or is_weighty


def _pinned_rows(message: SourceMessage) -> list[RequiredLine]:
    """Return a pinned message row by row, with all its marks: it is not for us to tidy."""
    rows = [row.strip() for row in message.text.splitlines() if row.strip()]
    return [RequiredLine(message, row, row, (message,)) for row in rows]


def _required_sentence(sentences: Sequence[MessageSentence], index: int) -> RequiredLine:
    whole = with_needed_context(sentences, index)
    return RequiredLine(
        sentences[index].message,
        sentences[index].text,
        join_sentences(whole),
        tuple(message_sentence.message for message_sentence in whole),
    )
