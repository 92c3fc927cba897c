"""How SQLite carries out what the code asks: by an index, or by reading everything."""

from collections.abc import Callable
from typing import Any

import apsw

from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Tx
from tertulia.infra.db.sqlite.migration import migrate
from tertulia.infra.db.sqlite.statements import SqliteStatements


def plan_of(read: Callable[[Tx], Any]) -> list[str]:
    """Return how the one statement that a function executes is carried out."""
    connection = apsw.Connection(":memory:")
    migrate(connection)
    executed = list[tuple[str, Any]]()

    def note(_: apsw.Cursor, sql: str, values: Any) -> bool:
        executed.append((sql, values))
        return True

    connection.exec_trace = note
    read(
        Tx(
            SqliteStatements(connection),
            by=Principal("usr", "wsp", Role.MEMBER),
            tenant_tables=frozenset(),
            checked_statements=set(),
        )
    )
    connection.exec_trace = None
    [(sql, values)] = executed
    return [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
