"""Facts that a person tells as JSON: the values of an array or of rows, each as it stands in the message."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from tertulia.memories.own_words import OwnSentence

JSON_BEGIN_PATTERN = re.compile(r"^[ \t]*(?=[\[{]\s*[\"{\[])", re.MULTILINE)
FENCE_ROW_PATTERN = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)
#: A value without escapes, so that it says what its bytes say; a name has a colon after it.
STRING_PATTERN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')
#: Whoever keeps who has said something writes down a talk: these are words of others.
SPEAKER_NAMES = frozenset(
    ("role", "speaker", "author", "sender", "from", "user", "assistant", "bot", "model", "source", "tool")
)


@dataclass(frozen=True, slots=True)
class ToldJson:
    """What stands before JSON, its values that are texts, and what stands after it."""

    lead: str
    items: tuple[OwnSentence, ...]
    tail: str


def find_told_json(text: str) -> ToldJson | None:
    """Return the values of the JSON that a message ends in; None where it has none, or it is a talk."""
    begin = JSON_BEGIN_PATTERN.search(text)
    if begin is None or not text[: begin.start()].strip():
        return None
    end = max(text.rfind("]"), text.rfind("}")) + 1
    body = text[begin.start() : end]
    if end <= begin.start() or not (
        _is_json(body) or all(map(_is_json, filter(str.strip, body.split("\n"))))
    ):
        return None
    found = list(STRING_PATTERN.finditer(text, begin.start(), end))
    if any(one[2] and one[1].casefold() in SPEAKER_NAMES for one in found):
        return None
    lead, tail = (FENCE_ROW_PATTERN.sub("", part).strip() for part in (text[: begin.start()], text[end:]))
    return ToldJson(" ".join(lead.split()), tuple(_read_values(found)), tail)


def _is_json(text: str) -> bool:
    """Tell whether a text is JSON, or a row of it."""
    try:
        msgspec.json.decode(text.strip().removesuffix(",").encode())
    except (msgspec.DecodeError, UnicodeEncodeError):
        return False
    return True


def _read_values(found: list[re.Match[str]]) -> Iterator[OwnSentence]:
    for one in found:
        if not one[2] and "\\" not in one[1] and one[1].strip():
            said = one[1]
            start = one.start(1) + len(said) - len(said.lstrip())
            yield OwnSentence(said.strip(), start, start + len(said.strip()))
