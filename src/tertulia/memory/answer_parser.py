"""Reading what a model answered: JSON where there is some, in a fence, among words, or cut short."""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from tertulia.core.json_object import JsonObject
from tertulia.memory.domain import PointKind

KIND_BY_SECTION = {
    "topics": PointKind.TOPIC,
    "decisions": PointKind.DECISION,
    "preferences": PointKind.PREFERENCE,
    "commitments": PointKind.COMMITMENT,
    "open_questions": PointKind.QUESTION,
    "entities": PointKind.ENTITY,
    "created": PointKind.CREATED,
}
SECTION_NAME_PATTERN = re.compile(rf'"({"|".join(KIND_BY_SECTION)})"\s*:')
SOURCE_NUMBER_PATTERN = re.compile(r"\d{1,7}")
#: Numbers in square brackets at the end of a text, where a model put them instead of in `from`.
TRAILING_SOURCES_PATTERN = re.compile(r" ?\[([\d, ]{1,80})\] ?\.?$")
#: More than this no model was allowed to say, and nobody wants to read.
SUMMARY_ANSWER_MAX_CHARS = 100_000
SALVAGE_ATTEMPTS_MAX = 400

ParsedPoint = tuple[PointKind, str, list[int]]


def parse_points(answer: str) -> Iterator[ParsedPoint]:
    """Yield the kind, the text and the numbered sources of every point in an answer."""
    text = answer[:SUMMARY_ANSWER_MAX_CHARS]
    for place in _brace_positions(text)[:20]:
        found = _object_at(text, place)
        if found is not None and not KIND_BY_SECTION.keys().isdisjoint(found):
            yield from _points_of_sections(found)
            return
    yield from _salvage_points(text)


def _points_of_sections(found: JsonObject) -> Iterator[ParsedPoint]:
    for name, kind in KIND_BY_SECTION.items():
        value = found.get(name)
        for entry in cast("list[Any]", value) if isinstance(value, list) else [value]:
            if item := _parse_point(kind, entry):
                yield item


def _salvage_points(text: str) -> Iterator[ParsedPoint]:
    """Yield the points that stand whole in an answer which does not."""
    sections = [(found.end(), KIND_BY_SECTION[found[1]]) for found in SECTION_NAME_PATTERN.finditer(text)]
    for place in _brace_positions(text)[:SALVAGE_ATTEMPTS_MAX]:
        found = _object_at(text, place)
        if found is not None and "text" in found:
            kind = next((kind for end, kind in reversed(sections) if end <= place), PointKind.TOPIC)
            if item := _parse_point(kind, found):
                yield item


def _parse_point(kind: PointKind, value: Any) -> ParsedPoint | None:
    """Return one point, whether a model wrote an object or only a sentence."""
    if isinstance(value, str):
        return _to_parsed_point(kind, value, [])
    if isinstance(value, dict):
        given = cast("JsonObject", value)
        text = given.get("text")
        return (
            _to_parsed_point(kind, text, _parse_numbers(given.get("from"))) if isinstance(text, str) else None
        )
    return None


def _to_parsed_point(kind: PointKind, text: str, numbers: list[int]) -> ParsedPoint | None:
    plain = " ".join(text.split())
    if not numbers and (found := TRAILING_SOURCES_PATTERN.search(plain)):
        plain, numbers = plain[: found.start()], _parse_numbers(found[1])
    return (kind, plain, numbers) if plain else None


def _parse_numbers(value: Any) -> list[int]:
    """Return the numbers of messages in whatever form they were given."""
    if isinstance(value, bool):
        return []
    if isinstance(value, int):
        return [value]
    if isinstance(value, str):
        return [int(found) for found in SOURCE_NUMBER_PATTERN.findall(value)]
    if isinstance(value, list):
        return [
            number
            for entry in cast("list[Any]", value)
            if not isinstance(entry, list)
            for number in _parse_numbers(entry)
        ]
    return []


def _brace_positions(text: str) -> list[int]:
    return [found.start() for found in re.finditer(r"\{", text)]


def _object_at(text: str, position: int) -> JsonObject | None:
    try:
        found, _ = json.JSONDecoder().raw_decode(text, position)
    except (ValueError, RecursionError):
        return None
    return cast("JsonObject", found) if isinstance(found, dict) else None
