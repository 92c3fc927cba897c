"""Foreign JSON schemas in a form that every provider takes: no references, no endless depth, few words."""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from tertulia.tools.catalogue import one_line

DEEPEST = 8
MOST_PROPERTIES = 60
MOST_CHOICES = 100
LONGEST_TEXT = 300
#: Of one tool's arguments, written as JSON.
LARGEST = 16_000
#: How often parts are looked at for one schema: references can multiply.
MOST_PARTS = 2_000
TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
LIMITS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
ANYTHING: dict[str, Any] = {"type": "object", "properties": {}}

#: Words by which a schema allows properties besides those that it lists.
MORE_PROPERTIES = ("additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf")

Json = dict[str, Any]


def plain_parameters(schema: object, root: object = None) -> Json:
    """Return the arguments of a tool as a plain schema of an object; one too large becomes any object."""
    plain = ANYTHING | Plain(root if root is not None else schema).of(schema, 0) | {"type": "object"}
    return plain if len(msgspec.json.encode(plain)) <= LARGEST else dict(ANYTHING)


def takes_others(schema: object) -> bool:
    """Tell whether a tool may take arguments that its schema does not list by name."""
    if not isinstance(schema, Mapping):
        return True
    said = cast("Mapping[str, Any]", schema)
    properties = said.get("properties")
    listed = isinstance(properties, Mapping) and len(cast("Json", properties)) <= MOST_PROPERTIES
    return not listed or any(said.get(word) for word in MORE_PROPERTIES)


class Plain:
    """Makes the parts of one document plain."""

    def __init__(self, root: object) -> None:
        self._root = root
        self._left = MOST_PARTS

    def of(self, schema: object, depth: int) -> Json:
        """Return one part without references; what is too deep or strange may be anything."""
        self._left -= 1
        if self._left < 0 or depth > DEEPEST or not isinstance(schema, Mapping):
            return {}
        part = self.found(cast("Mapping[str, Any]", schema))
        said = words_of(part)
        self._add_choices(said, part, depth)
        if isinstance(properties := part.get("properties"), Mapping):
            self._add_properties(said, part, cast("Mapping[str, Any]", properties), depth)
        if "items" in part:
            said["items"] = self.of(part["items"], depth + 1)
        return said

    def found(self, part: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what a reference stands for, within the same document."""
        for _ in range(DEEPEST):
            reference = part.get("$ref")
            if not isinstance(reference, str):
                return part
            target = self.at(reference)
            rest = {name: value for name, value in part.items() if name != "$ref"}
            part = {**target, **rest}
        return {}

    def at(self, reference: str) -> Mapping[str, Any]:
        """Return the part of the document that a reference names; nothing is fetched for it."""
        place: object = self._root
        if not reference.startswith("#/"):
            return {}
        for step in reference[2:].split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            place = cast("Mapping[str, Any]", place).get(name) if isinstance(place, Mapping) else None
        return cast("Mapping[str, Any]", place) if isinstance(place, Mapping) else {}

    def _add_choices(self, said: Json, part: Mapping[str, Any], depth: int) -> None:
        """Add alternatives; of what may be left empty only the other one."""
        for key in ("anyOf", "oneOf", "allOf"):
            if not isinstance(given := part.get(key), list):
                continue
            parts = [self.of(one, depth + 1) for one in cast("list[object]", given)[:MOST_CHOICES]]
            parts = [one for one in parts if one and one.get("type") != "null"]
            if key == "allOf" or len(parts) == 1:
                for one in parts:
                    said.update(joined(said, one))
            elif parts:
                said["anyOf"] = parts

    def _add_properties(
        self, said: Json, part: Mapping[str, Any], properties: Mapping[str, Any], depth: int
    ) -> None:
        chosen = [name for name in properties if len(str(name)) <= LONGEST_TEXT][:MOST_PROPERTIES]
        own = {str(name): self.of(properties[name], depth + 1) for name in chosen}
        said["properties"] = said.get("properties", {}) | own
        needed: object = part.get("required")
        if isinstance(needed, list):
            wanted = [name for name in cast("list[object]", needed) if name in said["properties"]]
            said["required"] = list(dict.fromkeys([*said.get("required", []), *wanted]))


def words_of(part: Mapping[str, Any]) -> Json:
    """Return what a part says of itself, as far as providers understand it."""
    said: Json = {}
    kind = part.get("type")
    several = (
        [one for one in cast("list[object]", kind) if one in TYPES] if isinstance(kind, list) else [kind]
    )
    kinds = [one for one in several if one != "null"] or several
    if len(kinds) > 1:
        said["anyOf"] = [{"type": one} for one in kinds]
    elif kinds and kinds[0] in TYPES:
        said["type"] = kinds[0]
    if isinstance(text := part.get("description"), str) and text.strip():
        said["description"] = one_line(text, LONGEST_TEXT)
    if isinstance(choices := part.get("enum"), list):
        said["enum"] = [one for one in cast("list[object]", choices) if is_small(one)][:MOST_CHOICES]
    if is_small(part.get("const")):
        said["enum"] = [part["const"]]
    limits = {key: part[key] for key in LIMITS if isinstance(part.get(key), int | float)}
    return said | limits


def is_small(value: object) -> bool:
    """Tell whether a value can stand in a list of choices."""
    return isinstance(value, int | float) or (isinstance(value, str) and len(value) <= LONGEST_TEXT)


def joined(one: Json, other: Json) -> Json:
    """Return two parts as one that asks for both."""
    properties = one.get("properties", {}) | other.get("properties", {})
    required = list(dict.fromkeys([*one.get("required", []), *other.get("required", [])]))
    both = other | one
    if properties:
        both |= {"properties": properties, "required": required}
    return both
