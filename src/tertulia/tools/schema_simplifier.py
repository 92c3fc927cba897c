"""Foreign JSON schemas in a form that every provider takes: no references, no endless depth, few words."""

from typing import cast

import msgspec

from tertulia.core.json_object import JsonObject
from tertulia.tools.external_tools import one_line

SCHEMA_MAX_DEPTH = 8
SCHEMA_PROPERTIES_MAX = 60
SCHEMA_CHOICES_MAX = 100
SCHEMA_TEXT_MAX_CHARS = 300
#: Of one tool's arguments, written as JSON.
SCHEMA_MAX_BYTES = 16_000
#: How often parts are looked at for one schema: references can multiply.
SCHEMA_PARTS_MAX = 2_000
JSON_TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
SCHEMA_LIMIT_KEYWORDS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
ANY_OBJECT_SCHEMA: JsonObject = {"type": "object", "properties": {}}

#: Words by which a schema allows properties besides those that it lists.
OPEN_SCHEMA_KEYWORDS = ("additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf")


def simplify_parameters(schema: object, root: object = None) -> JsonObject:
    """Return the arguments of a tool as a plain schema of an object; one too large becomes any object."""
    plain = (
        ANY_OBJECT_SCHEMA
        | SchemaSimplifier(root if root is not None else schema).simplify(schema, 0)
        | {"type": "object"}
    )
    return plain if len(msgspec.json.encode(plain)) <= SCHEMA_MAX_BYTES else dict(ANY_OBJECT_SCHEMA)


def accepts_other_arguments(schema: object) -> bool:
    """Tell whether a tool may take arguments that its schema does not list by name."""
    if not isinstance(schema, dict):
        return True
    said = cast("JsonObject", schema)
    properties = said.get("properties")
    listed = isinstance(properties, dict) and len(cast("JsonObject", properties)) <= SCHEMA_PROPERTIES_MAX
    return not listed or any(said.get(word) for word in OPEN_SCHEMA_KEYWORDS)


class SchemaSimplifier:
    """Makes the parts of one document plain."""

    def __init__(self, root: object) -> None:
        self._root = root
        self._parts_left = SCHEMA_PARTS_MAX

    def simplify(self, schema: object, depth: int) -> JsonObject:
        """Return one part without references; what is too deep or strange may be anything."""
        self._parts_left -= 1
        if self._parts_left < 0 or depth > SCHEMA_MAX_DEPTH or not isinstance(schema, dict):
            return {}
        part = self.resolve_references(cast("JsonObject", schema))
        said = own_keywords(part)
        self._add_choices(said, part, depth)
        if isinstance(properties := part.get("properties"), dict):
            self._add_properties(said, part, cast("JsonObject", properties), depth)
        if "items" in part:
            said["items"] = self.simplify(part["items"], depth + 1)
        return said

    def resolve_references(self, part: JsonObject) -> JsonObject:
        """Return what a reference stands for, within the same document."""
        for _ in range(SCHEMA_MAX_DEPTH):
            reference = part.get("$ref")
            if not isinstance(reference, str):
                return part
            target = self.resolve_pointer(reference)
            rest = {name: value for name, value in part.items() if name != "$ref"}
            part = {**target, **rest}
        return {}

    def resolve_pointer(self, reference: str) -> JsonObject:
        """Return the part of the document that a reference names; nothing is fetched for it."""
        place: object = self._root
        if not reference.startswith("#/"):
            return {}
        for step in reference[2:].split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            place = cast("JsonObject", place).get(name) if isinstance(place, dict) else None
        return cast("JsonObject", place) if isinstance(place, dict) else {}

    def _add_choices(self, said: JsonObject, part: JsonObject, depth: int) -> None:
        """Add alternatives; of what may be left empty only the other one."""
        for key in ("anyOf", "oneOf", "allOf"):
            if not isinstance(given := part.get(key), list):
                continue
            parts = [
                self.simplify(choice, depth + 1)
                for choice in cast("list[object]", given)[:SCHEMA_CHOICES_MAX]
            ]
            parts = [part for part in parts if part and part.get("type") != "null"]
            if key == "allOf" or len(parts) == 1:
                for choice in parts:
                    said.update(merge_schemas(said, choice))
            elif parts:
                said["anyOf"] = parts

    def _add_properties(self, said: JsonObject, part: JsonObject, properties: JsonObject, depth: int) -> None:
        chosen = [name for name in properties if len(str(name)) <= SCHEMA_TEXT_MAX_CHARS][
            :SCHEMA_PROPERTIES_MAX
        ]
        own = {str(name): self.simplify(properties[name], depth + 1) for name in chosen}
        said["properties"] = said.get("properties", {}) | own
        needed: object = part.get("required")
        if isinstance(needed, list):
            names = [name for name in cast("list[object]", needed) if isinstance(name, str)]
            wanted = [name for name in names if name in said["properties"]]
            said["required"] = list(dict.fromkeys([*said.get("required", []), *wanted]))


def own_keywords(part: JsonObject) -> JsonObject:
    """Return what a part says of itself, as far as providers understand it."""
    said: JsonObject = {}
    kind = part.get("type")
    several = (
        [item for item in cast("list[object]", kind) if item in JSON_TYPES]
        if isinstance(kind, list)
        else [kind]
    )
    kinds = [item for item in several if item != "null"] or several
    if len(kinds) > 1:
        said["anyOf"] = [{"type": kind} for kind in kinds]
    elif kinds and kinds[0] in JSON_TYPES:
        said["type"] = kinds[0]
    if isinstance(text := part.get("description"), str) and text.strip():
        said["description"] = one_line(text, SCHEMA_TEXT_MAX_CHARS)
    if isinstance(choices := part.get("enum"), list):
        said["enum"] = [choice for choice in cast("list[object]", choices) if is_small(choice)][
            :SCHEMA_CHOICES_MAX
        ]
    if is_small(part.get("const")):
        said["enum"] = [part["const"]]
    limits = {key: part[key] for key in SCHEMA_LIMIT_KEYWORDS if isinstance(part.get(key), int | float)}
    return said | limits


def is_small(value: object) -> bool:
    """Tell whether a value can stand in a list of choices."""
    return isinstance(value, int | float) or (isinstance(value, str) and len(value) <= SCHEMA_TEXT_MAX_CHARS)


def merge_schemas(one: JsonObject, other: JsonObject) -> JsonObject:
    """Return two parts as one that asks for both."""
    properties = one.get("properties", {}) | other.get("properties", {})
    required = list(dict.fromkeys([*one.get("required", []), *other.get("required", [])]))
    both = other | one
    if properties:
        both |= {"properties": properties, "required": required}
    return both
