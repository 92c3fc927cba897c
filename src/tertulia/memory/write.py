"""Asking the utility model for points, and taking from its answer what can be used."""

import re
from collections.abc import Sequence

from tertulia.memory import prompts
from tertulia.memory.answer import items
from tertulia.memory.domain import Line, Point, point_from
from tertulia.memory.errors import SummaryUnusable
from tertulia.memory.measure import fitting

FRAMES = re.compile(r"<(?=\s*/?\s*(?:conversation|earlier)\b)", re.IGNORECASE)
#: A point is a sentence; one longer than this is cut at a word.
LONGEST = 100


def prompt_for(lines: Sequence[Line], earlier: Sequence[Point]) -> tuple[str, str]:
    """Return what the utility model is told, and the messages it is to summarise."""
    known = [f"- {inert(point.text)}" for point in earlier]
    before = ["<earlier>", *known, "</earlier>", ""] if known else []
    return prompts.text("summary"), "\n".join([*before, framed(lines)])


def framed(lines: Sequence[Line]) -> str:
    """Return messages numbered from 1, in a frame that nothing in them can end."""
    rows = [
        f"[{number}] {speaker(line)}: {indented(line.text)}" for number, line in enumerate(lines, start=1)
    ]
    return "\n".join(["<conversation>", *rows, "</conversation>"])


def indented(text: str) -> str:
    """Return a message of which no row can be taken for the beginning of another message."""
    return "\n    ".join(inert(text).splitlines())


def speaker(line: Line) -> str:
    """Return who said a message, in one word."""
    return inert("-".join(line.speaker.split())) or "?"


def inert(quoted: str) -> str:
    """Return a text that cannot end the frame around it, nor open another."""
    return FRAMES.sub(r"<\\", quoted)


def points_from(answer: str, lines: Sequence[Line]) -> list[Point]:
    """Return the points of a model's answer that name where they come from."""
    points: list[Point] = []
    for kind, text, numbers in items(answer):
        named = [lines[number - 1] for number in numbers if 0 < number <= len(lines)]
        said = fitting(text, LONGEST)
        if named and said:
            points.append(point_from(kind, said, *named))
    if not points:
        raise SummaryUnusable
    return points
