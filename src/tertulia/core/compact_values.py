"""Values as JSON takes them, without the fields that are as their class has them anyway."""

from collections.abc import Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, cast


def without_defaults(value: Any) -> Any:
    """Return a dataclass as a mapping of the fields that differ from their defaults, and so all within it."""
    if is_dataclass(value) and not isinstance(value, type):
        kept = ((name, getattr(value, name), default) for name, default in field_defaults(type(value)))
        return {name: without_defaults(held) for name, held, default in kept if held != default}
    if isinstance(value, (list, tuple)):
        return [without_defaults(inner) for inner in cast("Sequence[object]", value)]
    return value


@cache
def field_defaults(dataclass_: type) -> tuple[tuple[str, Any], ...]:
    """Return the fields of a dataclass with their defaults; one without any has a value equal to no other."""
    return tuple((field.name, default_of(field)) for field in fields(dataclass_))


def default_of(field: Field[Any]) -> Any:
    """Return what a field holds where nobody says; `MISSING` where somebody has to."""
    return field.default if field.default_factory is MISSING else field.default_factory()
