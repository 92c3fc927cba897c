"""Reading the arguments of a call: what is wrong with them is found before anybody is asked to allow it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from tertulia.core.errors import Invalid
from tertulia.core.untrusted_json import JsonReader, JsonUnreadable
from tertulia.tools.domain import ToolSpec

#: What a value has to be, by the name that JSON schemas give it.
IS: dict[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: IS["number"](value) and cast("float", value) % 1 == 0,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


class ArgumentsWrong(Invalid):
    """A tool cannot be called with these arguments."""

    code = "tool_arguments_wrong"


def read_arguments(text: str, tool: ToolSpec[Any]) -> Any:
    """Return arguments as a tool takes them, or raise with what is wrong."""
    try:
        arguments: object = JsonReader(tool.shape, strict=False).read(text.strip() or "{}")
    except JsonUnreadable as error:
        raise ArgumentsWrong(str(error)) from None
    # Those of foreign tools have no shape but their schema.
    if not isinstance(arguments, msgspec.Struct):
        for wrong in mistakes(arguments, tool.parameters):
            raise ArgumentsWrong(wrong)
    return arguments


def mistakes(value: object, schema: Mapping[str, Any], name: str = "") -> Iterator[str]:
    """Yield what does not fit a schema: names that are missing, and values of another type.

    Schemas of servers were made plain, so nothing is held against a value that they do not say outright;
    and what is null was left out.
    """
    kind = schema.get("type")
    if value is None:
        return
    if kind in IS and not IS[kind](value):
        yield f"{name or 'it'} must be of the type {kind}"
    elif isinstance(value, dict):
        yield from mistakes_inside(cast("dict[str, object]", value), schema, name)
    elif isinstance(value, list) and (items := schema.get("items")):
        for number, item in enumerate(cast("list[object]", value)):
            yield from mistakes(item, items, f"{name}[{number}]")


def mistakes_inside(value: dict[str, object], schema: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield what does not fit in an object."""
    required: Sequence[str] = schema.get("required", ())
    if missing := [one for one in required if one not in value]:
        yield f"{', '.join(within(name, one) for one in missing)} must be given"
    properties: Mapping[str, Any] = schema.get("properties", {})
    for one, part in value.items():
        if one in properties:
            yield from mistakes(part, properties[one], within(name, one))


def within(name: str, part: str) -> str:
    """Return the name of a part, with what it is a part of."""
    return f"{name}.{part}" if name else part
