"""The arguments of a tool as a JSON schema that every provider takes."""

from typing import cast

import msgspec

from tertulia.core.json_object import JsonObject

#: What only says the same again, or that something may be left out.
DROPPED_SCHEMA_KEYWORDS = ("title", "default")
NULL_SCHEMA = {"type": "null"}


def parameters_of(shape: type[msgspec.Struct]) -> JsonObject:
    """Return a JSON schema without references and without nulls: some providers refuse either."""
    (whole,), parts = msgspec.json.schema_components([shape], ref_template="{name}")
    return _simplify(whole, parts)


def _simplify(schema: JsonObject, parts: JsonObject) -> JsonObject:
    said = {name: value for name, value in schema.items() if name not in DROPPED_SCHEMA_KEYWORDS}
    if name := said.pop("$ref", None):
        said = _simplify(parts[name], parts) | said
    if choices := said.pop("anyOf", None):
        (only,) = [choice for choice in choices if choice != NULL_SCHEMA]
        said = _simplify(only, parts) | said
    if properties := said.get("properties"):
        said["properties"] = {name: _simplify(value, parts) for name, value in properties.items()}
    if "enum" in said:
        # Some providers want to be told of what type choices are.
        said = {"type": "string"} | said
    if items := cast("JsonObject | None", said.get("items")):
        said["items"] = _simplify(items, parts)
    return said
