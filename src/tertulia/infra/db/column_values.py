"""Between Python values and columns: moments as milliseconds, days and enums as text, structures as JSON."""

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from itertools import takewhile
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from tertulia.core.clock import from_ms, to_ms
from tertulia.core.nul_characters import encode_storable_json, replace_nul
from tertulia.infra.db.packed_values import Packed, PackedText, unpack_text
from tertulia.infra.db.statements import ColumnValue

PLAIN_COLUMN_TYPES = (str, int, float, bytes, type(None))
#: What turns a column into a value of a type that is neither plain nor stored as JSON.
COLUMN_READERS: dict[Any, Callable[[Any], Any]] = {
    datetime: from_ms,
    date: date.fromisoformat,
    bool: bool,
    PackedText: unpack_text,
}


def to_column(value: object) -> ColumnValue:
    """Return `value` in a form the database stores."""
    if type(value) is str:
        return replace_nul(value)
    if type(value) in PLAIN_COLUMN_TYPES:
        return cast("ColumnValue", value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, PLAIN_COLUMN_TYPES):
        return int(value) if isinstance(value, bool) else value
    if isinstance(value, date):
        return to_ms(value) if isinstance(value, datetime) else value.isoformat()
    return encode_storable_json(value)


def to_text(value: object) -> str:
    """Return a text, or a structure as JSON, in a form the database stores."""
    return replace_nul(value) if isinstance(value, str) else encode_storable_json(value)


def to_columns(values: Mapping[str, object], *, pack: Callable[[str], str | bytes]) -> dict[str, ColumnValue]:
    """Return all `values` in a form the database stores; `pack` is how its engine has long texts."""
    return {
        name: pack(to_text(value.value)) if isinstance(value, Packed) else to_column(value)
        for name, value in values.items()
    }


@dataclass(frozen=True, slots=True)
class RowReader:
    """Builds a dataclass or a struct from the rows of one statement.

    Columns that it has no field for are passed over, as are fields that have no column and a default.
    """

    row_class: type
    #: Where in a row the first fields stand, in the order of the class: passed by position, which is quicker.
    places: tuple[int, ...]
    #: And the fields after one that has no column.
    named_places: tuple[tuple[str, int], ...]
    #: The columns that are not stored as they are, and what turns each back into a value.
    conversions: tuple[tuple[int, Callable[[Any], Any]], ...]

    @classmethod
    def of(cls, row_class: type, columns: tuple[str, ...]) -> "RowReader":
        """Return what reads rows of these columns."""
        known = column_readers(row_class)
        place_of = {name: place for place, name in enumerate(columns)}
        first = tuple(takewhile(place_of.__contains__, known))
        return cls(
            row_class,
            tuple(place_of[name] for name in first),
            tuple((name, place_of[name]) for name in known if name in place_of and name not in first),
            tuple((place_of[name], read) for name, read in known.items() if read and name in place_of),
        )

    def read(self, row: tuple[Any, ...]) -> Any:
        """Return one row as a value."""
        values = list(row)
        for place, convert in self.conversions:
            values[place] = convert(values[place])
        first = [values[place] for place in self.places]
        return self.row_class(*first, **{name: values[place] for name, place in self.named_places})


@cache
def row_reader(row_class: type, columns: tuple[str, ...]) -> RowReader:
    """Return what reads rows of these columns; worked out once a statement."""
    return RowReader.of(row_class, columns)


@cache
def column_readers(row_class: type) -> dict[str, Callable[[Any], Any] | None]:
    """Return, for each field of a dataclass or struct, what turns its column back into a value."""
    names = inspect.signature(row_class).parameters
    hints = get_type_hints(row_class)
    return {name: column_reader(hints[name]) for name in names}


def column_reader(hint: Any) -> Callable[[Any], Any] | None:
    """Return what turns a column into a value of this type; None where the column already is one."""
    if get_origin(hint) in (Union, types.UnionType):
        inner = [arg for arg in get_args(hint) if arg is not type(None)]
        if len(inner) == 1:
            read = column_reader(inner[0])
            return read and (lambda column: None if column is None else read(column))
    if hint in COLUMN_READERS:
        return COLUMN_READERS[hint]
    if hint in PLAIN_COLUMN_TYPES or hint is Any:
        return None
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {member.value: member for member in hint}.__getitem__
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(cast("Any", hint))
    return lambda column: decoder.decode(unpack_text(column))
