"""Reading what a model answered: JSON where there is some, in a fence, among words, or cut short."""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from tertulia.memory.domain import PointKind

KINDS = {
    "topics": PointKind.TOPIC,
    "decisions": PointKind.DECISION,
    "preferences": PointKind.PREFERENCE,
    "open_questions": PointKind.QUESTION,
    "entities": PointKind.ENTITY,
    "created": PointKind.CREATED,
}
SECTION = re.compile(rf'"({"|".join(KINDS)})"\s*:')
NUMBER = re.compile(r"\d{1,7}")
#: Numbers in square brackets at the end of a text, where a model put them instead of in `from`.
TRAILING = re.compile(r" ?\[([\d, ]{1,80})\] ?\.?$")
#: More than this no model was allowed to say, and nobody wants to read.
LONGEST = 100_000
MOST_TRIES = 400

Item = tuple[PointKind, str, list[int]]


def items(answer: str) -> Iterator[Item]:
    """Yield the kind, the text and the numbered sources of every point in an answer."""
    text = answer[:LONGEST]
    for place in _openings(text)[:20]:
        found = _object_at(text, place)
        if found is not None and not KINDS.keys().isdisjoint(found):
            yield from _of_sections(found)
            return
    yield from _salvaged(text)


def _of_sections(found: dict[str, Any]) -> Iterator[Item]:
    for name, kind in KINDS.items():
        value = found.get(name)
        for one in cast("list[Any]", value) if isinstance(value, list) else [value]:
            if item := _item(kind, one):
                yield item


def _salvaged(text: str) -> Iterator[Item]:
    """Yield the points that stand whole in an answer which does not."""
    sections = [(found.end(), KINDS[found[1]]) for found in SECTION.finditer(text)]
    for place in _openings(text)[:MOST_TRIES]:
        found = _object_at(text, place)
        if found is not None and "text" in found:
            kind = next((kind for end, kind in reversed(sections) if end <= place), PointKind.TOPIC)
            if item := _item(kind, found):
                yield item


def _item(kind: PointKind, value: Any) -> Item | None:
    """Return one point, whether a model wrote an object or only a sentence."""
    if isinstance(value, str):
        return _told(kind, value, [])
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        text = given.get("text")
        return _told(kind, text, _numbers(given.get("from"))) if isinstance(text, str) else None
    return None


def _told(kind: PointKind, text: str, numbers: list[int]) -> Item | None:
    plain = " ".join(text.split())
    if not numbers and (found := TRAILING.search(plain)):
        plain, numbers = plain[: found.start()], _numbers(found[1])
    return (kind, plain, numbers) if plain else None


def _numbers(value: Any) -> list[int]:
    """Return the numbers of messages in whatever form they were given."""
    if isinstance(value, bool):
        return []
    if isinstance(value, int):
        return [value]
    if isinstance(value, str):
        return [int(found) for found in NUMBER.findall(value)]
    if isinstance(value, list):
        return [
            number
            for one in cast("list[Any]", value)
            if not isinstance(one, list)
            for number in _numbers(one)
        ]
    return []


def _openings(text: str) -> list[int]:
    return [found.start() for found in re.finditer(r"\{", text)]


def _object_at(text: str, place: int) -> dict[str, Any] | None:
    try:
        found, _ = json.JSONDecoder().raw_decode(text, place)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None
