"""Statements as PostgreSQL takes them: values by number, and lists in its own JSON functions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tertulia.infra.db.statements import ColumnValue

#: A statement that begins so is planned anew for its values each time.
UNPREPARED_MARK = "/* unprepared */"
#: What may hold a colon and is no name of a value (quoted text, comments, casts), and names of values.
TOKEN_PATTERN = re.compile(
    r"'(?:[^']|'')*'|\"[^\"]*\"|/\*.*?\*/|--[^\n]*|::|:(?P<name>[a-z_][a-z0-9_]*)", re.DOTALL
)
TYPE_COMMENT = r"(?: /\* (\w[\w ]*) \*/)?"
BOUND_LIST = rf"\(SELECT value{TYPE_COMMENT} FROM json_each\(:(\w+)\)\)"
BOUND_LIST_PATTERN = re.compile(BOUND_LIST)
MEMBERSHIP_PATTERN = re.compile(rf"\b(NOT )?IN {BOUND_LIST}")
ROW_COLUMN = rf"json_extract\(value, '\$\[(\d+)\]'\) AS (\w+){TYPE_COMMENT}"
ROW_COLUMN_PATTERN = re.compile(ROW_COLUMN)
BOUND_ROWS_PATTERN = re.compile(
    rf"\(SELECT key AS position, (?P<columns>{ROW_COLUMN}(?:, {ROW_COLUMN})*)"
    r" FROM json_each\(:(?P<name>\w+)\)\)"
)
#: The locks of `row_locks`, which are comments to SQLite.
ROW_LOCK_PATTERN = re.compile(r"/\* (FOR (?:UPDATE|SHARE)(?: SKIP LOCKED)?) \*/")
STORED_LIST_PATTERN = re.compile(r"\(SELECT value FROM json_each\(([a-z_.]+)\)\)")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as the driver takes it, and which values it takes in which order."""

    sql: bytes
    names: tuple[str, ...]
    may_prepare: bool

    def bind(self, values: Mapping[str, ColumnValue]) -> list[ColumnValue]:
        """Return the values of a statement in its own order."""
        return [values[name] for name in self.names]


@cache
def to_postgres(sql: str, nulls: frozenset[str] = frozenset()) -> Statement:
    """Return a statement as PostgreSQL takes it; worked out once.

    Values that are NULL are written out: bound ones must have a type, which `:value IS NULL` does not tell.
    """
    places: dict[str, int] = {}

    def number_value(token: re.Match[str]) -> str:
        if not token["name"]:
            return token[0]
        if token["name"] in nulls:
            return "NULL"
        return f"${places.setdefault(token['name'], len(places) + 1)}"

    written = ROW_LOCK_PATTERN.sub(r"\1", translate_lists(sql))
    numbered = TOKEN_PATTERN.sub(number_value, written)
    return Statement(numbered.encode(), tuple(places), not sql.lstrip().startswith(UNPREPARED_MARK))


def translate_lists(sql: str) -> str:
    """Return a statement with the lists of `json_lists` read by PostgreSQL's functions."""
    sql = BOUND_ROWS_PATTERN.sub(translate_bound_rows, sql)
    sql = MEMBERSHIP_PATTERN.sub(translate_membership, sql)
    sql = BOUND_LIST_PATTERN.sub(translate_bound_list, sql)
    return STORED_LIST_PATTERN.sub(r"(SELECT value FROM json_array_elements_text(CAST(\1 AS JSON)))", sql)


def translate_membership(found: re.Match[str]) -> str:
    """Return that a value is in a bound list, or not.

    As an array: the server looks up each value by an index. Of a query it expects a hundred rows, whatever is
    bound, and would rather read all of a table and join the two.
    """
    negation, of, name = found.groups()
    elements = f"json_array_elements_text(CAST(:{name} AS JSON))"
    return f"{'<> ALL' if negation else '= ANY'} (ARRAY(SELECT {cast_text('value', of)} FROM {elements}))"


def translate_bound_list(found: re.Match[str]) -> str:
    """Return a bound list of single values."""
    of, name = found.groups()
    return f"(SELECT {cast_text('value', of)} AS value FROM json_array_elements_text(CAST(:{name} AS JSON)))"


def translate_bound_rows(found: re.Match[str]) -> str:
    """Return a bound list of rows."""
    columns = ", ".join(
        f"{cast_text(f'value ->> {place}', of)} AS {column}"
        for place, column, of in ROW_COLUMN_PATTERN.findall(found["columns"])
    )
    rows = f"json_array_elements(CAST(:{found['name']} AS JSON)) WITH ORDINALITY AS given (value, place)"
    return f"(SELECT place - 1 AS position, {columns} FROM {rows})"


def cast_text(text: str, of: str | None) -> str:
    """Return an SQL expression of text as a value of a type."""
    return f"CAST({text} AS {of})" if of else text
