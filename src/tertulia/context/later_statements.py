"""What the person said later on the matter of a passage: it is told beside it."""

from collections.abc import Sequence
from dataclasses import replace

from tertulia.context.domain import PromptInputs, RecalledPassage
from tertulia.memory.domain import Point
from tertulia.memory.later_words import statement_of
from tertulia.memory.same_matter import find_later_statements, with_later_statements


def note_later_statements(inputs: PromptInputs) -> PromptInputs:
    """Return inputs whose passages of this conversation tell what was said later on their matter.

    The points of the summary say what that is, as far as this prompt may tell them.
    """
    sources = {passage.passage.source_id for passage in inputs.memory.found if passage.is_here}
    if not sources:
        return inputs
    points, later = inputs.points, find_later_statements(inputs.points)
    places: dict[str, list[int]] = {}
    for place in later:
        for source in sources.intersection(points[place].sources):
            places.setdefault(source, []).append(place)

    def with_note(passage: RecalledPassage) -> RecalledPassage:
        told = {
            other
            for place in places.get(passage.passage.source_id, ())
            for other in with_later_statements(place, later)[1:]
        }
        said = [points[other] for other in sorted(told, key=lambda place: points[place].last_round)]
        new = [point for point in said if write_note(point) not in passage.note]
        return add_notes(passage, new, local=inputs.local_messages) if new else passage

    found = tuple(map(with_note, inputs.memory.found))
    return replace(inputs, memory=replace(inputs.memory, found=found))


def add_notes(passage: RecalledPassage, points: Sequence[Point], *, local: frozenset[str]) -> RecalledPassage:
    """Return a passage with points beside it; it is for local models alone if one of them is."""
    note = " ".join(filter(None, (passage.note, *map(write_note, points))))
    is_local = any(not local.isdisjoint(point.sources) for point in points)
    return replace(passage, note=note, local_only=passage.local_only or is_local)


def write_note(point: Point) -> str:
    """Return a point as it stands beside a passage."""
    author = point.authors_by_round.get(point.last_round, "")
    place = ", ".join(filter(None, (f"in round {point.last_round}", author)))
    return f"[Later, {place}: {' '.join(statement_of(point.text).split())}]"
