"""What offering a tool costs.

OpenAI rewrites the schema in a short form of its own before its models see it,
and publishes what that takes. Others are shown the schema about as it stands.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from tertulia.models.calls import Tool
from tertulia.models.token_measures import CHAT, Measure

#: OpenAI's published figures, by vocabulary: the newer one writes a function in fewer tokens.
FUNCTION = {"o200k_base": 7, "cl100k_base": 10}
PROPERTIES = 3
PROPERTY = 3
CHOICES = -3
CHOICE = 3


@dataclass(frozen=True, slots=True)
class Written:
    """A tool as a model reads it: pieces of text, and the tokens between them."""

    texts: tuple[str, ...]
    between: int = 0


def written(tool: Tool, measure: Measure) -> Written:
    """Return a tool as the models of a family read it."""
    if measure.shape is CHAT:
        return in_short(tool, FUNCTION[measure.vocabulary])
    schema = msgspec.json.encode(tool.parameters).decode()
    return Written((f"{tool.name}\n{tool.description}\n{schema}",), measure.shape.message)


def in_short(tool: Tool, around: int) -> Written:
    """Return a tool in OpenAI's short form; what nests is written like what does not."""
    parts = list(properties_in(tool.parameters))
    heading = f"{tool.name}:{tool.description.removesuffix('.')}"
    texts = (heading, *(text for part in parts for text in part.texts))
    return Written(texts, around + sum(part.between for part in parts))


def properties_in(schema: dict[str, Any]) -> Iterator[Written]:
    """Yield each property of an object, and those of the objects inside it."""
    properties = cast("dict[str, Any]", schema.get("properties") or {})
    if properties:
        yield Written((), PROPERTIES)
    for name, found in properties.items():
        if isinstance(found, dict):
            inner = cast("dict[str, Any]", found)
            yield property_in_short(name, inner)
            yield from properties_in(inner)
            if isinstance(inner.get("items"), dict):
                yield from properties_in(inner["items"])


def property_in_short(name: str, schema: dict[str, Any]) -> Written:
    """Return one property: its line, and what may be chosen."""
    described = str(schema.get("description", "")).removesuffix(".")
    line = f"{name}:{schema.get('type', '')}:{described}"
    choices = [str(choice) for choice in cast("list[Any]", schema.get("enum") or [])]
    between = PROPERTY + (CHOICES + CHOICE * len(choices) if choices else 0)
    return Written((line, *choices), between)
