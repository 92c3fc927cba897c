"""Rows become dataclasses and structs, whatever the order and number of their columns."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import msgspec
import pytest

from tertulia.core.clock import from_ms
from tertulia.infra.db.column_values import row_reader


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Dataclass:
    id: str
    at: datetime
    colour: Colour = Colour.RED
    tags: tuple[str, ...] = ()
    size: int = 7


class Struct(msgspec.Struct, frozen=True):
    id: str
    at: datetime
    colour: Colour = Colour.RED
    tags: tuple[str, ...] = ()
    size: int = 7


@pytest.mark.parametrize("row_class", [Dataclass, Struct])
@pytest.mark.parametrize(
    ("columns", "row", "tags", "size"),
    [
        (("id", "at", "colour", "tags", "size"), ("a", 5, "red", '["x"]', 3), ("x",), 3),
        (("size", "unknown", "tags", "at", "id"), (3, None, '["x"]', 5, "a"), ("x",), 3),
        (("id", "at", "size"), ("a", 5, 3), (), 3),
        (("at", "id"), (5, "a"), (), 7),
    ],
)
def test_a_row_is_read_by_the_names_of_its_columns(
    row_class: type, columns: tuple[str, ...], row: tuple[object, ...], tags: tuple[str, ...], size: int
) -> None:
    assert row_reader(row_class, columns).read(row) == row_class("a", from_ms(5), Colour.RED, tags, size)
