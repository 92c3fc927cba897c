"""PostgreSQL is migrated once, whole or not at all, whoever starts at the same moment."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from tests.engines.postgres import create_database, drop_database

from tertulia.infra.db.errors import MigrationFailed, SchemaTooNew
from tertulia.infra.db.postgres import migration
from tertulia.infra.db.postgres.migration import load_migrations, migrate

pytestmark = pytest.mark.postgres

NEWEST_SCHEMA = load_migrations()[-1][0]


@pytest.fixture
def url() -> Generator[str]:
    made = create_database()
    yield made
    drop_database(made)


def migrate_database(url: str) -> int:
    with psycopg.connect(url, autocommit=True) as connection:
        return migrate(connection)


def count_tables(url: str) -> int:
    with psycopg.connect(url) as connection:
        sql = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
        [(count,)] = connection.execute(sql).fetchall()
        return int(count)


def test_a_database_is_migrated_once(url: str) -> None:
    assert migrate_database(url) == NEWEST_SCHEMA
    made = count_tables(url)
    assert made > 50
    assert (migrate_database(url), count_tables(url)) == (NEWEST_SCHEMA, made)


def test_processes_that_start_at_once_claim_intervals(url: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(migrate_database, [url] * 4)) == [NEWEST_SCHEMA] * 4


def test_a_migration_that_fails_leaves_everything_as_it_was(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = [*load_migrations(), (NEWEST_SCHEMA + 1, "CREATE TABLE half (); SELECT 1 / 0;")]
    with monkeypatch.context() as patch:
        patch.setattr(migration, "load_migrations", lambda: broken)
        with pytest.raises(MigrationFailed, match="division by zero"):
            migrate_database(url)
    assert count_tables(url) == 0
    assert migrate_database(url) == NEWEST_SCHEMA


def test_a_connection_that_is_killed_half_way_leaves_everything_as_it_was(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = [*load_migrations(), (NEWEST_SCHEMA + 1, "SELECT pg_terminate_backend(pg_backend_pid());")]
    with monkeypatch.context() as patch:
        patch.setattr(migration, "load_migrations", lambda: killed)
        with pytest.raises(psycopg.OperationalError):
            migrate_database(url)
    assert count_tables(url) == 0


def test_a_schema_of_a_newer_version_is_refused(url: str) -> None:
    newer = NEWEST_SCHEMA + 1
    migrate_database(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO schema_migrations (number) VALUES (%s)", [newer])
    with pytest.raises(SchemaTooNew, match=str(newer)):
        migrate_database(url)
