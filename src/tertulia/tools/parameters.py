"""The arguments of a tool as a JSON schema that every provider takes."""

from typing import Any, cast

import msgspec

#: What only says the same again, or that something may be left out.
UNSAID = ("title", "default")
NULL = {"type": "null"}


def parameters_of(shape: type[msgspec.Struct]) -> dict[str, Any]:
    """Return a JSON schema without references and without nulls: some providers refuse either."""
    (whole,), parts = msgspec.json.schema_components([shape], ref_template="{name}")
    return _plain(whole, parts)


def _plain(schema: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    said = {name: value for name, value in schema.items() if name not in UNSAID}
    if name := said.pop("$ref", None):
        said = _plain(parts[name], parts) | said
    if choices := said.pop("anyOf", None):
        (only,) = [one for one in choices if one != NULL]
        said = _plain(only, parts) | said
    if properties := said.get("properties"):
        said["properties"] = {name: _plain(value, parts) for name, value in properties.items()}
    if items := cast("dict[str, Any] | None", said.get("items")):
        said["items"] = _plain(items, parts)
    return said
