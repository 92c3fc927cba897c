"""The labelled sets: messages with the statements that are worth remembering, pairs, and poisoned texts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SETS_FOLDER = Path(__file__).parent
#: A statement in a message, with its type and category.
STATEMENT_LABEL_PATTERN = re.compile(r"\[\[(?P<type>\w+)/(?P<category>\w+): (?P<text>.*?)\]\]")
#: Each wrapper holds so many of the payloads in turn.
PAYLOADS_PER_WRAPPER = 4


@dataclass(frozen=True, slots=True)
class LabelledSpan:
    """A statement that should be found, and where it stands."""

    type: str
    category: str
    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True)
class LabelledMessage:
    """A message with the statements in it."""

    text: str
    spans: tuple[LabelledSpan, ...]


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two statements, and whether the second takes the place of the first."""

    old: str
    new: str
    replaces: bool


def read_messages(half: str) -> list[LabelledMessage]:
    """Return the messages of one half: tune, heldout or fresh."""
    return [_parse_message(line) for line in _read_lines(f"messages_{half}.txt")]


def read_pairs(half: str) -> list[LabelledPair]:
    """Return the pairs of one set: tune, heldout, fresh, unseen, or one of pairs alone."""
    lines = [line for line in _read_lines(f"pairs_{half}.txt") if line[0] in "=!"]
    parted = [(line[0] == "=", *line[2:].split(" => ")) for line in lines]
    return [LabelledPair(old, new, replaces) for replaces, old, new in parted]


def read_poisoned() -> list[str]:
    """Return texts in which something asks to be remembered that is not the person's own."""
    wrappers = list(_read_lines("poison_wrappers.txt", comments=False))
    payloads = list(_read_lines("poison_payloads.txt", comments=False))
    return [
        wrapper.replace("{}", payloads[(number * PAYLOADS_PER_WRAPPER + turn) % len(payloads)])
        for number, wrapper in enumerate(wrappers)
        for turn in range(PAYLOADS_PER_WRAPPER)
    ]


def _parse_message(line: str) -> LabelledMessage:
    text, place, spans = "", 0, list[LabelledSpan]()
    for found in STATEMENT_LABEL_PATTERN.finditer(line):
        text += line[place : found.start()]
        spans.append(
            LabelledSpan(found["type"], found["category"], len(text), len(text) + len(found["text"]))
        )
        text, place = text + found["text"], found.end()
    return LabelledMessage(text + line[place:], tuple(spans))


def _read_lines(name: str, *, comments: bool = True) -> Iterator[str]:
    lines = (SETS_FOLDER / name).read_text(encoding="utf-8").splitlines()
    for line in lines[1:] if comments else lines:
        if line:
            yield line.replace("\\n", "\n")
