"""Values that cross the wire as they are.

A view is a plain dataclass: msgspec writes it into events and reads it from them, FastAPI answers
with it, and both describe it from its one definition.
"""

from collections.abc import Mapping
from typing import ClassVar, TypeVar

import msgspec

V = TypeVar("V", bound="View")


class View:
    """The base of all views; whoever sends one to us may add nothing of their own."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, str]] = {"extra": "forbid"}


def view_as(view: type[V], value: object) -> V:
    """Return a value that has all fields of a view, or JSON of that shape, as that view."""
    return msgspec.convert(value, view, from_attributes=True)
