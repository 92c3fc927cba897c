"""What offering a tool costs.

OpenAI rewrites the schema in a short form of its own before its models see it,
and publishes what that takes. Others are shown the schema about as it stands.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from tertulia.core.json_object import JsonObject
from tertulia.models.calls import Tool
from tertulia.models.token_measures import OPENAI_CHAT_FORMAT, TokenMeasure

#: OpenAI's published figures, by vocabulary: the newer one writes a function in fewer tokens.
OPENAI_FUNCTION_TOKENS = {"o200k_base": 7, "cl100k_base": 10}
OPENAI_PROPERTIES_TOKENS = 3
OPENAI_PROPERTY_TOKENS = 3
OPENAI_CHOICES_TOKENS = -3
OPENAI_CHOICE_TOKENS = 3


@dataclass(frozen=True, slots=True)
class ToolText:
    """A tool as a model reads it: pieces of text, and the tokens between them."""

    texts: tuple[str, ...]
    overhead_tokens: int = 0


def render_tool(tool: Tool, measure: TokenMeasure) -> ToolText:
    """Return a tool as the models of a family read it."""
    if measure.chat_format is OPENAI_CHAT_FORMAT:
        return render_openai_tool(tool, OPENAI_FUNCTION_TOKENS[measure.vocabulary])
    schema = msgspec.json.encode(tool.parameters).decode()
    return ToolText((f"{tool.name}\n{tool.description}\n{schema}",), measure.chat_format.message)


def render_openai_tool(tool: Tool, overhead: int) -> ToolText:
    """Return a tool in OpenAI's short form; what nests is written like what does not."""
    parts = list(render_properties(tool.parameters))
    heading = f"{tool.name}:{tool.description.removesuffix('.')}"
    texts = (heading, *(text for part in parts for text in part.texts))
    return ToolText(texts, overhead + sum(part.overhead_tokens for part in parts))


def render_properties(schema: JsonObject) -> Iterator[ToolText]:
    """Yield each property of an object, and those of the objects inside it."""
    properties = cast("JsonObject", schema.get("properties") or {})
    if properties:
        yield ToolText((), OPENAI_PROPERTIES_TOKENS)
    for name, found in properties.items():
        if isinstance(found, dict):
            inner = cast("JsonObject", found)
            yield render_property(name, inner)
            yield from render_properties(inner)
            if isinstance(inner.get("items"), dict):
                yield from render_properties(inner["items"])


def render_property(name: str, schema: JsonObject) -> ToolText:
    """Return one property: its line, and what may be chosen."""
    described = str(schema.get("description", "")).removesuffix(".")
    line = f"{name}:{schema.get('type', '')}:{described}"
    choices = [str(choice) for choice in cast("list[Any]", schema.get("enum") or [])]
    between = OPENAI_PROPERTY_TOKENS + (
        OPENAI_CHOICES_TOKENS + OPENAI_CHOICE_TOKENS * len(choices) if choices else 0
    )
    return ToolText((line, *choices), between)
