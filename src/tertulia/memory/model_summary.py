"""Asking the utility model for points, and taking from its answer what can be used."""

import re
from collections.abc import Sequence

from tertulia.memory import prompts
from tertulia.memory.answer_parser import parse_points
from tertulia.memory.domain import Point, SourceMessage, build_point
from tertulia.memory.errors import SummaryUnusable
from tertulia.memory.point_authors import NO_AUTHORS, AuthorNamesByMessage
from tertulia.memory.point_tokens import truncate_to_words

SUMMARY_FRAME_PATTERN = re.compile(r"<(?=\s*/?\s*(?:conversation|earlier)\b)", re.IGNORECASE)
#: A point is a sentence; one longer than this is cut at a word.
POINT_MAX_TOKENS = 100


def build_summary_prompt(
    messages: Sequence[SourceMessage], earlier: Sequence[Point], *, names: AuthorNamesByMessage = NO_AUTHORS
) -> tuple[str, str]:
    """Return what the utility model is told, and the messages it is to summarise.

    `names` says what the people are called who wrote messages, where they are several.
    """
    known = [f"- {escape_summary_frame(with_names(point.text, point.sources, names))}" for point in earlier]
    before = ["<earlier>", *known, "</earlier>", ""] if known else []
    return prompts.text("summary"), "\n".join([*before, frame_messages(messages, names)])


def frame_messages(messages: Sequence[SourceMessage], names: AuthorNamesByMessage) -> str:
    """Return messages numbered from 1, in a frame that nothing in them can end."""
    rows = [
        f"[{number}] {speaker_of(line, names)}: {indent_continuation_rows(line.text)}"
        for number, line in enumerate(messages, start=1)
    ]
    return "\n".join(["<conversation>", *rows, "</conversation>"])


def indent_continuation_rows(text: str) -> str:
    """Return a message of which no row can be taken for the beginning of another message."""
    return "\n    ".join(escape_summary_frame(text).splitlines())


def speaker_of(message: SourceMessage, names: AuthorNamesByMessage) -> str:
    """Return who said a message, in one word, with the name of a person who has one."""
    word = escape_summary_frame("-".join(message.speaker.split())) or "?"
    return with_names(word, [message.id], names)


def with_names(words: str, sources: Sequence[str], names: AuthorNamesByMessage) -> str:
    """Return words with the names of the people whose messages they come from, if these have any."""
    told = dict.fromkeys(names[source] for source in sources if source in names)
    return f"{words} ({', '.join(told)})" if told else words


def escape_summary_frame(quoted: str) -> str:
    """Return a text that cannot end the frame around it, nor open another."""
    return SUMMARY_FRAME_PATTERN.sub(r"<\\", quoted)


def read_points(answer: str, messages: Sequence[SourceMessage]) -> list[Point]:
    """Return the points of a model's answer that name where they come from."""
    points: list[Point] = []
    for kind, text, numbers in parse_points(answer):
        named = [messages[number - 1] for number in numbers if 0 < number <= len(messages)]
        said = truncate_to_words(text, POINT_MAX_TOKENS)
        if named and said:
            points.append(build_point(kind, said, *named))
    if not points:
        raise SummaryUnusable
    return points
