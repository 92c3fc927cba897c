"""Reading the arguments of a call: what is wrong with them is found before anybody is asked to allow it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import msgspec

from tertulia.core.errors import Invalid
from tertulia.core.json_object import JsonObject
from tertulia.core.untrusted_json import JsonReader, JsonUnreadable, read_json
from tertulia.tools.domain import AnyTool

#: What a value has to be, by the name that JSON schemas give it.
JSON_TYPE_CHECKS: dict[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: JSON_TYPE_CHECKS["number"](value) and cast("float", value) % 1 == 0,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


class ToolArgumentsInvalid(Invalid):
    """A tool cannot be called with these arguments."""

    code = "tool_arguments_wrong"


def read_arguments(text: str, tool: AnyTool) -> Any:
    """Return arguments as a tool takes them, or raise with what is wrong."""
    try:
        arguments: object = JsonReader(tool.shape, strict=False).read(text.strip() or "{}")
    except JsonUnreadable as error:
        arguments = read_nearly_right(text, tool)
        if arguments is None:
            raise ToolArgumentsInvalid(str(error)) from None
    # Those of foreign tools have no shape but their schema.
    if not isinstance(arguments, msgspec.Struct):
        for wrong in find_schema_errors(arguments, tool.parameters):
            raise ToolArgumentsInvalid(wrong)
    return arguments


def read_nearly_right(text: str, tool: AnyTool) -> msgspec.Struct | None:
    """Return arguments whose meaning is sure although their form is not; None where they are not such."""
    try:
        arguments = msgspec.convert(fit_to_schema(read_json(text), tool.parameters), tool.shape, strict=False)
    except (JsonUnreadable, msgspec.ValidationError):
        return None
    return arguments if isinstance(arguments, msgspec.Struct) else None


def fit_to_schema(value: object, schema: JsonObject) -> object:
    """Return a value with a list around what stands alone, and choices as they are written: `in_progress`."""
    if schema.get("type") == "array" and value is not None:
        items = cast("list[object]", value) if isinstance(value, list) else [value]
        return [fit_to_schema(item, schema.get("items", {})) for item in items]
    if isinstance(value, dict):
        properties: JsonObject = schema.get("properties", {})
        given = cast("dict[str, object]", value)
        return {name: fit_to_schema(part, properties.get(name, {})) for name, part in given.items()}
    if isinstance(value, str) and "enum" in schema:
        return value.strip().casefold().replace(" ", "_").replace("-", "_")
    return value


def find_schema_errors(value: object, schema: JsonObject, name: str = "") -> Iterator[str]:
    """Yield what does not fit a schema: names that are missing, and values of another type.

    Schemas of servers were made plain, so nothing is held against a value that they do not say outright;
    and what is null was left out.
    """
    kind = schema.get("type")
    if value is None:
        return
    if kind in JSON_TYPE_CHECKS and not JSON_TYPE_CHECKS[kind](value):
        yield f"{name or 'it'} must be of the type {kind}"
    elif isinstance(value, dict):
        yield from find_object_errors(cast("dict[str, object]", value), schema, name)
    elif isinstance(value, list) and (items := schema.get("items")):
        for number, item in enumerate(cast("list[object]", value)):
            yield from find_schema_errors(item, items, f"{name}[{number}]")


def find_object_errors(value: dict[str, object], schema: JsonObject, name: str) -> Iterator[str]:
    """Yield what does not fit in an object."""
    required: Sequence[str] = schema.get("required", ())
    if missing := [property_name for property_name in required if property_name not in value]:
        yield f"{', '.join(dotted_name(name, property_name) for property_name in missing)} must be given"
    properties: JsonObject = schema.get("properties", {})
    for key, part in value.items():
        if key in properties:
            yield from find_schema_errors(part, properties[key], dotted_name(name, key))


def dotted_name(name: str, part: str) -> str:
    """Return the name of a part, with what it is a part of."""
    return f"{name}.{part}" if name else part
