"""The words models are given, kept as Markdown beside this file."""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files

from tertulia.context.domain import PinnedMessage, RecalledPassage
from tertulia.context.known_facts import KnownFact
from tertulia.context.prompt_plan import Item
from tertulia.conversations.conversation_labels import conversation_name
from tertulia.conversations.domain import ReplyKind
from tertulia.memory.domain import Point, PointKind, name_rounds
from tertulia.memory.later_words import name_later_authors
from tertulia.models.prompt_frames import escape_attribute, escape_frame_tags

POINT_HEADINGS = {
    PointKind.DECISION: "Decided",
    PointKind.PREFERENCE: "What the person prefers",
    PointKind.COMMITMENT: "Promised or due",
    PointKind.CREATED: "Made",
    PointKind.ENTITY: "Names, places, dates and figures",
    PointKind.TOPIC: "Talked about",
    PointKind.QUESTION: "Still open",
    PointKind.KEPT: "Word for word",
}

#: Names of files that search does not find yet; more would only take room.
UNINDEXED_NAMES_MAX = 5


@cache
def text(name: str) -> str:
    """Return one prompt's text."""
    return (files("tertulia.context.prompts") / f"{name}.md").read_text("utf-8").strip()


def task(kind: ReplyKind, replies: str) -> str:
    """Return the work of one who merges or judges the replies of a round."""
    return f"{replies}\n\n{text(kind.value)}"


def always_files(recalled: Sequence[RecalledPassage]) -> str:
    """Return the files that every prompt of a project has."""
    return _framed("files", text("files"), map(passage, recalled))


def passages(recalled: Sequence[RecalledPassage], *, pointers: bool) -> str:
    """Return what may help: each passage under its number, or where it can be read.

    With `pointers`, the model is told how to read the files itself.
    """
    return _framed(
        "passages", text("pointers" if pointers else "passages"), map(passage_or_pointer, recalled)
    )


def unindexed_files(paths: Sequence[str]) -> str:
    """Return that some files are there though search does not find them yet."""
    names = ", ".join(f"“{escape_attribute(path)}”" for path in paths[:UNINDEXED_NAMES_MAX])
    rest = " and others" if len(paths) > UNINDEXED_NAMES_MAX else ""
    return text("unindexed").format(files=names + rest)


def passage_or_pointer(one: RecalledPassage) -> str:
    """Return a passage as a model is shown it: its words, or where they stand."""
    return pointer(one) if one.passage.is_pointer else passage(one)


def passage(one: RecalledPassage) -> str:
    """Return one passage under its number and where it stands."""
    text = escape_frame_tags("\n".join(filter(None, (one.text, one.note, one.alike))))
    return f'<passage number="{one.passage.number}" source="{source(one)}">\n{text}\n</passage>'


def pointer(one: RecalledPassage) -> str:
    """Return where something can be read, and what it is about."""
    about = escape_frame_tags(" ".join(filter(None, (one.hint or "no summary", one.alike))))
    return f"{one.passage.number}. [File: {source(one)}] {about} (about {one.passage.tokens} tokens)"


def known_facts(facts: Sequence[KnownFact | Item]) -> str:
    """Return what is known of the person."""
    return _framed("memory", text("memory"), (fact.text for fact in facts))


def entities(lines: Iterable[str]) -> str:
    """Return what was named in earlier rounds."""
    return _framed("entities", text("entities"), lines)


def pinned(messages: Iterable[PinnedMessage]) -> str:
    """Return messages that the person wants kept in mind."""
    return _framed("pinned", text("pinned"), map(pinned_message, messages))


def pinned_message(one: PinnedMessage) -> str:
    """Return one message under its speaker and its round."""
    who = f'speaker="{escape_attribute(one.author or one.speaker)}" round="{one.round_number}"'
    said = f"{one.text}\n{one.note}" if one.note else one.text
    return f"<message {who}>\n{escape_frame_tags(said)}\n</message>"


def summary(points: Sequence[Point], *, before: int) -> str:
    """Return what is known of the rounds that are not shown word for word."""
    parts: list[str] = []
    for kind, heading in POINT_HEADINGS.items():
        lines = [point_line(point) for point in points if point.kind is kind]
        if lines:
            parts.append("\n".join([f"{heading}:", *lines]))
    return _framed("summary", text("summary").format(before=before), parts)


def summary_frame(points: Sequence[Point]) -> str:
    """Return what stands around points, with all headings that they may need."""
    kinds = {point.kind for point in points}
    headings = [f"{heading}:" for kind, heading in POINT_HEADINGS.items() if kind in kinds]
    return _framed("summary", text("summary").format(before=10_000), headings)


def point_line(point: Point) -> str:
    """Return a point with the rounds it comes from and, where several people write, who said it."""
    return _write_point(point.text, tuple(point.rounds), point.authors)


def point_origin(point: Point) -> str:
    """Return the rounds of a point, those of one person together under their name."""
    return _write_origin(tuple(point.rounds), point.authors)


@lru_cache(8_192)
def _write_point(text: str, rounds: tuple[int, ...], authors: tuple[str, ...]) -> str:
    """Return the line of a point; the same points are shown turn after turn, and counted before."""
    said = " ".join(name_later_authors(text, name_rounds(rounds, authors)).split())
    return f"- {escape_frame_tags(said)} ({_write_origin(rounds, authors)})"


@lru_cache(8_192)
def _write_origin(rounds: tuple[int, ...], authors: tuple[str, ...]) -> str:
    names, numbers = name_rounds(rounds, authors), dict[str, list[str]]()
    for number in sorted(set(rounds)):
        numbers.setdefault(names.get(number, ""), []).append(str(number))
    return "; ".join(f"round {', '.join(filter(None, (*said, name)))}" for name, said in numbers.items())


def source(one: RecalledPassage) -> str:
    """Return in a few words where a passage stands."""
    passage_ = one.passage
    if passage_.path:
        lines = f"lines {passage_.start_line}-{passage_.end_line}"
        more = "the file goes on after these" if one.goes_on else ""
        parts = (passage_.path, passage_.page, lines, passage_.heading, more)
        return escape_attribute(", ".join(filter(None, parts)))
    name = conversation_name(one.conversation, is_here=one.is_here)
    speaker = one.author or passage_.speaker.removeprefix("agent:")
    return escape_attribute(f"{name}, round {passage_.round_number}, {speaker}, {one.said_on}")


def is_file(one: RecalledPassage) -> bool:
    """Tell whether a passage stands in a file that can be read."""
    return bool(one.passage.path)


def continue_request() -> str:
    """Return the wish that a reply which was cut short be finished."""
    return text("continue")


def _framed(name: str, about: str, blocks: Iterable[str]) -> str:
    return "\n\n".join([f"<{name}>", about, *blocks, f"</{name}>"])
