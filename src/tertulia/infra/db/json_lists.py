"""Lists in SQL: bound as JSON, or stored as it. Only here does their SQL depend on the database."""


def bound_list(name: str) -> str:
    """Return SQL for the values of a bound list: `f"id IN {bound_list('ids')}"` with `ids=[…]`.

    As a table it has the column `value`.
    """
    return f"(SELECT value FROM json_each(:{name}))"


def bound_rows(name: str, *columns: str) -> str:
    """Return SQL for a bound list of rows as a table with these columns, and `position` for their order."""
    values = ", ".join(
        f"json_extract(value, '$[{place}]') AS {column}" for place, column in enumerate(columns)
    )
    return f"(SELECT key AS position, {values} FROM json_each(:{name}))"


def stored_list(column: str) -> str:
    """Return SQL for the values of a list that is stored in a column: a table with the column `value`."""
    return f"(SELECT value FROM json_each({column}))"
