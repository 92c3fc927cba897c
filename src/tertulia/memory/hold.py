"""Holding a model to what was said: what has to be right is quoted, the rest must come from somewhere.

No check of words tells a decision from its contrary, or whose figure it is. So a
model chooses what is worth knowing and describes it; decisions, wishes and
figures are told in the words of those who said them.
"""

from collections.abc import Iterable, Iterator, Sequence

from tertulia.memory import cues
from tertulia.memory.condense import FIRM
from tertulia.memory.domain import Line, Point, PointKind
from tertulia.memory.extract import as_point
from tertulia.memory.figures import figures
from tertulia.memory.said import Said, all_said, in_context
from tertulia.retrieval.words import content_words

#: So much of what a point says must stand in the messages that it names.
ENOUGH = 0.6
#: Words are the same that begin alike: ship, ships, shipped.
STEM = 4
#: From here on scripts put no spaces between words.
UNSPACED = "\u2e80"


def hold(points: Iterable[Point], lines: Sequence[Line]) -> list[Point]:
    """Return those points that tell what was said, with what has to be right word for word."""
    said = all_said(lines)
    return [held for point in points if (held := _held(point, said)) is not None]


def _held(point: Point, said: Sequence[Said]) -> Point | None:
    gist = gist_of(point.text) - TELLING
    named = [place for place, one in enumerate(said) if one.line.id in point.sources]
    heard = frozenset[str]().union(*(gist_of(said[place].text) for place in named))
    if not gist or len(gist & heard) < ENOUGH * len(gist):
        return None
    told = [place for place in named if could_tell(point, said[place])]
    best = max(told, key=lambda place: likeness(point, gist, said[place]), default=None)
    if may_be_retold(point) and (best is None or agrees(point, said[best])):
        return point
    return quoted(point, said, best) if best is not None else None


def likeness(point: Point, gist: frozenset[str], one: Said) -> tuple[int, int, bool]:
    """Return how much of a point a sentence says: its figures, its words, and that it is so."""
    shared = set(figures(point.text)).intersection(one.figures)
    return len(shared), len(gist & gist_of(one.text)), agrees(point, one)


def agrees(point: Point, one: Said) -> bool:
    """Tell whether both say that something is so, or both that it is not."""
    return cues.denies(point.text) == cues.denies(one.text)


def could_tell(point: Point, one: Said) -> bool:
    """Tell whether a sentence can be what a point was taken from: no code, and no question that decides."""
    return not one.is_code and not (point.kind in FIRM and cues.asks(one.text))


def may_be_retold(point: Point) -> bool:
    """Tell whether a point may stay in a model's words: nothing depends on each of them."""
    firm = point.kind in FIRM or cues.decides(point.text, by_user=True)
    return not firm and not figures(point.text)


def quoted(point: Point, said: Sequence[Said], place: int) -> Point:
    """Return what a point tells in the words in which it was said."""
    kind = PointKind.DECISION if said[place].decides else point.kind
    return as_point(kind, in_context(said, place))


def gist_of(text: str) -> frozenset[str]:
    """Return what words of a text begin with; of scripts without spaces, each two characters."""
    return frozenset(part for word in content_words(text) for part in _parts(word))


def _parts(word: str) -> Iterator[str]:
    if len(word) > 1 and max(word) >= UNSPACED:
        yield from (word[place : place + 2] for place in range(len(word) - 1))
    else:
        yield word[:STEM] if word.isalpha() else word


#: By such words one tells of a conversation; nobody has to have said them.
TELLING = gist_of(
    "user person model assistant conversation talked discussed asks asked spoke said told explained"
    " suggested recommended wants mentioned"
)
