"""The words models are given, kept as Markdown beside this file."""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from tertulia.context.domain import Pinned, Recalled
from tertulia.conversations.domain import ReplyKind
from tertulia.memory.domain import Point, PointKind
from tertulia.models.quoting import in_a_tag, inert

HEADINGS = {
    PointKind.DECISION: "Decided",
    PointKind.PREFERENCE: "What the person prefers",
    PointKind.CREATED: "Made",
    PointKind.ENTITY: "Names, places, dates and figures",
    PointKind.TOPIC: "Talked about",
    PointKind.QUESTION: "Still open",
    PointKind.KEPT: "Word for word",
}


@cache
def text(name: str) -> str:
    """Return one prompt's text."""
    return (files("tertulia.context.prompts") / f"{name}.md").read_text("utf-8").strip()


def task(kind: ReplyKind, replies: str) -> str:
    """Return the work of one who merges or judges the replies of a round."""
    return f"{replies}\n\n{text(kind.value)}"


def always(recalled: Sequence[Recalled]) -> str:
    """Return the files that every prompt of a project has."""
    return _framed("files", text("files"), map(passage, recalled))


def passages(recalled: Sequence[Recalled], *, pointers: bool) -> str:
    """Return what may help: each passage under its number, or where it can be read.

    With `pointers`, the model is told how to read the files itself.
    """
    return _framed("passages", text("pointers" if pointers else "passages"), map(shown, recalled))


def shown(one: Recalled) -> str:
    """Return a passage as a model is shown it: its words, or where they stand."""
    return pointer(one) if one.passage.is_pointer else passage(one)


def passage(one: Recalled) -> str:
    """Return one passage under its number and where it stands."""
    return f'<passage number="{one.passage.number}" source="{source(one)}">\n{inert(one.text)}\n</passage>'


def pointer(one: Recalled) -> str:
    """Return where something can be read, and what it is about."""
    about = inert(one.summary) or "no summary"
    return f"{one.passage.number}. [File: {source(one)}] {about} (about {one.passage.tokens} tokens)"


def pinned(messages: Iterable[Pinned]) -> str:
    """Return messages that the person wants kept in mind."""
    return _framed("pinned", text("pinned"), map(message, messages))


def message(one: Pinned) -> str:
    """Return one message under its speaker and its round."""
    who = f'speaker="{in_a_tag(one.speaker)}" round="{one.round_number}"'
    return f"<message {who}>\n{inert(one.text)}\n</message>"


def summary(points: Sequence[Point], *, before: int) -> str:
    """Return what is known of the rounds that are not shown word for word."""
    parts: list[str] = []
    for kind, heading in HEADINGS.items():
        lines = [point_line(point) for point in points if point.kind is kind]
        if lines:
            parts.append("\n".join([f"{heading}:", *lines]))
    return _framed("summary", text("summary").format(before=before), parts)


def summary_frame(points: Sequence[Point]) -> str:
    """Return what stands around points, with all headings that they may need."""
    kinds = {point.kind for point in points}
    headings = [f"{heading}:" for kind, heading in HEADINGS.items() if kind in kinds]
    return _framed("summary", text("summary").format(before=10_000), headings)


def point_line(point: Point) -> str:
    """Return a point with the rounds it comes from."""
    numbers = ", ".join(map(str, sorted(set(point.rounds))))
    return f"- {inert(' '.join(point.text.split()))} (round {numbers})"


def source(one: Recalled) -> str:
    """Return in a few words where a passage stands."""
    passage_ = one.passage
    if passage_.path:
        heading = f", {passage_.heading}" if passage_.heading else ""
        more = ", the file goes on after these" if one.goes_on else ""
        return in_a_tag(f"{passage_.path}, lines {passage_.start_line}-{passage_.end_line}{heading}{more}")
    # No title: it may be made of words that were left out, or that are another lane's.
    said = f"round {passage_.round_number}, {passage_.speaker.removeprefix('agent:')}"
    return in_a_tag(f"an earlier conversation, {said}, {one.said_on}")


def is_file(one: Recalled) -> bool:
    """Tell whether a passage stands in a file that can be read."""
    return bool(one.passage.path)


def go_on() -> str:
    """Return the wish that a reply which was cut short be finished."""
    return text("continue")


def _framed(name: str, about: str, blocks: Iterable[str]) -> str:
    return "\n\n".join([f"<{name}>", about, *blocks, f"</{name}>"])
