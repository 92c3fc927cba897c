"""Upgrades of PostgreSQL are rehearsed in a transaction that leaves nothing behind."""

from pathlib import Path

import psycopg
import pytest
from tests.earlier_schemas import NEWEST_SCHEMA
from tests.filled_tables import write_filled_database
from tests.integration.test_move import url

from tertulia.cli.database_address import PostgresAddress
from tertulia.core.errors import TertuliaError
from tertulia.infra.db.postgres import migration
from tertulia.infra.db.upgrades import TableChange
from tertulia.settings import Settings

pytestmark = pytest.mark.postgres

__all__ = ["url"]

NEXT_MIGRATION = """
    CREATE TABLE harbours (id TEXT PRIMARY KEY);
    INSERT INTO harbours (id) VALUES ('north'), ('south');
    ALTER TABLE projects ADD COLUMN harbour TEXT;
    ALTER TABLE links DROP COLUMN used_at;
    UPDATE messages SET content = content || '!';
    DELETE FROM audit;
    DROP TABLE sign_in_attempts;
"""


@pytest.fixture
def filled(tmp_path: Path, url: str) -> PostgresAddress:
    """A database with rows in every table."""
    write_filled_database(tmp_path / "tertulia.db")
    address = PostgresAddress(url)
    address.fill_from_file(tmp_path / "tertulia.db", Settings(data_dir=tmp_path))
    return address


def add_migration(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    known = migration.load_migrations()
    monkeypatch.setattr(migration, "load_migrations", lambda: [*known, (NEWEST_SCHEMA + 1, script)])


def test_a_rehearsal_says_what_becomes_of_each_table_and_leaves_no_trace(
    filled: PostgresAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data_dir=tmp_path)
    filled.copy_to_file(tmp_path / "before.db", settings)
    add_migration(monkeypatch, NEXT_MIGRATION)
    with psycopg.connect(filled.url, application_name="tertulia") as server:
        server.execute("SELECT 1 FROM messages")
        rehearsal = filled.rehearse_upgrade(settings)

    assert rehearsal.pending == [NEWEST_SCHEMA + 1]
    changes = {change.table: change for change in rehearsal.changes}
    assert changes.pop("harbours") == TableChange("harbours", None, 2, is_same=False)
    assert changes.pop("messages") == TableChange("messages", 2, 2, is_same=False)
    assert changes.pop("audit") == TableChange("audit", 2, 0, is_same=False)
    assert changes.pop("sign_in_attempts") == TableChange("sign_in_attempts", 2, None, is_same=False)
    assert [change.table for change in changes.values() if not change.is_same] == []
    monkeypatch.undo()
    filled.copy_to_file(tmp_path / "after.db", settings)
    with psycopg.connect(filled.url) as connection:
        schemas = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'tertulia%'")
        assert schemas.fetchall() == []


def test_a_migration_that_fails_is_found_by_its_rehearsal(
    filled: PostgresAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_migration(monkeypatch, "ALTER TABLE messages ADD COLUMN number BIGINT NOT NULL")
    with pytest.raises(TertuliaError, match="number"):
        filled.rehearse_upgrade(Settings(data_dir=tmp_path))


def test_an_upgrade_says_from_where_to_where_it_went(url: str, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    first, second = (PostgresAddress(url).upgrade(settings) for _ in range(2))
    assert (first.before, first.after) == (0, NEWEST_SCHEMA)
    assert (second.before, second.after) == (NEWEST_SCHEMA, NEWEST_SCHEMA)
