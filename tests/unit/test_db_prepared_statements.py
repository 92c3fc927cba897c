"""A statement is prepared once, whatever values it is run with."""

from pathlib import Path

import apsw

from tertulia.infra.db.sqlite.connection import open_connection


def test_other_values_do_not_prepare_a_statement_again(tmp_path: Path) -> None:
    connection = open_connection(tmp_path / "notes.db", busy_seconds=1)
    connection.execute("CREATE TABLE notes (id TEXT PRIMARY KEY, state TEXT, said_at TEXT)")
    prepared: list[int] = []

    def authorize(action: int, *_: str | None) -> int:
        """Let everything pass; SQLite asks when it prepares a statement, not when it runs one."""
        prepared.append(action)
        return apsw.SQLITE_OK

    connection.authorizer = authorize
    times_asked: list[int] = []
    for state in ("waiting", "ready", "failed"):
        sql = "SELECT id FROM notes WHERE state = :state ORDER BY said_at LIMIT :limit"
        connection.execute(sql, {"state": state, "limit": len(state)}).fetchall()
        times_asked.append(len(prepared))
    assert times_asked[0] > 0
    assert times_asked == times_asked[:1] * 3
