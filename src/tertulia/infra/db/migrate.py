"""Bringing a database to the newest schema: numbered SQL files, each applied once."""

from importlib.resources import files

import apsw

from tertulia.infra.db.connection import storage_errors


def migrate(connection: apsw.Connection) -> int:
    """Apply what is missing, in one transaction: a kill half-way leaves the schema as it was."""
    with storage_errors():
        connection.execute("BEGIN IMMEDIATE")  # two processes that start at once take turns
        try:
            applied = int(connection.pragma("user_version"))
            for number, script in scripts():
                if number > applied:
                    connection.execute(script)
                    connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    return int(connection.pragma("user_version"))


def scripts() -> list[tuple[int, str]]:
    """Return every migration's number and text, in order; `0003_what.sql` is number 3."""
    folder = files("tertulia.infra.db") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name.split("_")[0]), (folder / name).read_text("utf-8")) for name in names]
