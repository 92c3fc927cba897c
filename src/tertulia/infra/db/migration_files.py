"""Migrations as files: numbered SQL beside the engine that runs them."""

from importlib.resources import files

from tertulia.infra.db.errors import SchemaTooNew


def load_migration_files(engine: str) -> list[tuple[int, str]]:
    """Return the number and text of every migration of an engine's package, in order.

    `0003_what.sql` is number 3.
    """
    folder = files(engine) / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name.split("_")[0]), (folder / name).read_text("utf-8")) for name in names]


def pending_after(applied: int, migrations: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the migrations that come after one; raise where that is newer than all of them."""
    newest = migrations[-1][0]
    if applied > newest:
        raise SchemaTooNew(applied=applied, known=newest)
    return [(number, script) for number, script in migrations if number > applied]
