"""Lists in SQL: bound as JSON, or stored as it. Only here does their SQL depend on the database.

It is SQLite's, which takes values as they come. PostgreSQL needs to know their type, which a comment names;
`postgres/dialect.py` turns what is written here into its own.
"""


def bound_list(name: str, *, of: str = "TEXT") -> str:
    """Return SQL for the values of a bound list: `f"id IN {bound_list('ids')}"` with `ids=[…]`.

    As a table it has the column `value`.
    """
    return f"(SELECT value{type_comment(of)} FROM json_each(:{name}))"


def bound_rows(name: str, *columns: str) -> str:
    """Return SQL for a bound list of rows as a table with these columns, and `position` for their order.

    A column is text unless it is given with its type: `"number BIGINT"`.
    """
    values = ", ".join(extract_column(place, *column.split()) for place, column in enumerate(columns))
    return f"(SELECT key AS position, {values} FROM json_each(:{name}))"


def stored_list(column: str) -> str:
    """Return SQL for the values of a list that is stored in a column: a table with the column `value`."""
    return f"(SELECT value FROM json_each({column}))"


def extract_column(place: int, column: str, of: str = "TEXT") -> str:
    """Return SQL for one column of a bound list of rows."""
    return f"json_extract(value, '$[{place}]') AS {column}{type_comment(of)}"


def type_comment(of: str) -> str:
    """Return what names the type of a value that is no text."""
    return "" if of == "TEXT" else f" /* {of} */"
