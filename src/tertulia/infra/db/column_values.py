"""Between Python values and columns: moments as milliseconds, structures as JSON, enums as text."""

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from tertulia.core.clock import from_ms, to_ms

T = TypeVar("T")
PLAIN_COLUMN_TYPES = (str, int, float, bytes, type(None))


def to_column(value: Any) -> Any:
    """Return `value` in a form the database stores."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, PLAIN_COLUMN_TYPES):
        return value
    if isinstance(value, datetime):
        return to_ms(value)
    return msgspec.json.encode(value).decode()


def to_columns(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return all `values` in a form the database stores."""
    return {name: to_column(value) for name, value in values.items()}


@cache
def column_readers(row_class: type) -> dict[str, Callable[[Any], Any] | None]:
    """Return, for each field of a dataclass, what turns its column back into a value."""
    hints = get_type_hints(row_class)
    return {field.name: column_reader(hints[field.name]) for field in fields(row_class)}


def column_reader(hint: Any) -> Callable[[Any], Any] | None:
    """Return what turns a column into a value of this type; None where the column already is one."""
    if get_origin(hint) in (Union, types.UnionType):
        inner = [arg for arg in get_args(hint) if arg is not type(None)]
        if len(inner) == 1:
            read = column_reader(inner[0])
            return read and (lambda column: None if column is None else read(column))
    if hint is datetime:
        return from_ms
    if hint is bool:
        return bool
    if hint in PLAIN_COLUMN_TYPES or hint is Any:
        return None
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(cast("Any", hint))
    return decoder.decode


def from_row(row_class: type[T], names: Iterable[str], row: tuple[Any, ...]) -> T:
    """Build a `shape` from a row, by column name; columns it has no field for are passed over."""
    plan = column_readers(row_class)
    values: dict[str, Any] = {}
    for name, column in zip(names, row, strict=True):
        if name in plan:
            read = plan[name]
            values[name] = column if read is None else read(column)
    return row_class(**values)
