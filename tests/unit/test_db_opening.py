"""Opening the database that the settings name, and what is said where that cannot be."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psycopg
import pytest
from tests.databases import Engine, databases
from tests.engines.postgres import create_database, drop_database, own_server, with_option
from tests.world import free_port

from tertulia.infra.db.errors import MigrationFailed, SchemaTooNew
from tertulia.infra.db.opening import open_database
from tertulia.infra.db.postgres import migration as postgres_migration
from tertulia.infra.db.postgres import server_checks
from tertulia.infra.db.postgres.server_checks import DatabaseUnusable
from tertulia.infra.db.sqlite import migration as sqlite_migration
from tertulia.settings import SettingInvalid, Settings


def settings_of(tmp_path: Path, url: str) -> Settings:
    return Settings.from_env(environment(tmp_path, url))


def environment(tmp_path: Path, url: str) -> Mapping[str, str]:
    return {"TERTULIA_DATA_DIR": str(tmp_path), "DATABASE_URL": url}


def refusal(tmp_path: Path, url: str) -> str:
    """Return what is said of a database that cannot be opened."""
    with pytest.raises(DatabaseUnusable) as refused:
        open_database(settings_of(tmp_path, url))
    return refused.value.message


@pytest.mark.parametrize("url", ["mysql://host/db", "postgresql://", "host=127.0.0.1 password=secret"])
def test_an_address_of_another_kind_is_refused_without_showing_it(tmp_path: Path, url: str) -> None:
    with pytest.raises(
        SettingInvalid, match="DATABASE_URL must be an address such as postgresql://"
    ) as refused:
        settings_of(tmp_path, url)
    assert "secret" not in refused.value.message


@pytest.mark.parametrize(
    "login",
    ["ada:hid%zden", "ada:hid%00den", "ada:hid@den", "ada:hid/den", "ada:hid#den/x", "ada:hidden%"],
)
def test_a_password_that_must_be_written_otherwise_is_not_shown(tmp_path: Path, login: str) -> None:
    with pytest.raises(SettingInvalid, match="write %40 for @") as refused:
        settings_of(tmp_path, f"postgresql://{login}@127.0.0.1:5432/tertulia")
    assert "hid" not in refused.value.message
    assert "den" not in refused.value.message


def test_half_an_address_does_not_show_its_password(tmp_path: Path) -> None:
    with pytest.raises(SettingInvalid) as refused:
        settings_of(tmp_path, "postgresql://ada:hidden")
    assert "hidden" not in refused.value.message


@pytest.mark.parametrize(
    "rest",
    [
        "ada:p%40ss%2Fw%3Aord[]?é@db.example.org:5432/tertulia",
        "ada@[::1]:5432/tertulia",
        "ada:a:b@one:5432,two:5433,three/tertulia?target_session_attrs=read-write",
        "ada@/tertulia?host=%2Frun%2Fpostgresql",
        "/tertulia?user=ada@example.org",
        "ada@%2Frun%2Fpostgresql:5432/tertulia",
        "db.example.org?user=ada&dbname=tertulia&options=-c%20x:y",
    ],
)
def test_every_way_to_write_an_address_is_taken(tmp_path: Path, rest: str) -> None:
    assert settings_of(tmp_path, f" postgres://{rest}\n").database_url == f"postgresql://{rest}"


def test_a_password_is_not_shown_with_the_settings(tmp_path: Path) -> None:
    assert "secret" not in repr(settings_of(tmp_path, "postgresql://ada:secret@127.0.0.1/tertulia"))


def test_a_server_that_does_not_answer_is_named(tmp_path: Path) -> None:
    said = refusal(tmp_path, f"postgresql://ada@127.0.0.1:{free_port()}/tertulia")
    assert said.startswith("PostgreSQL cannot be reached (")
    assert "Check the address (DATABASE_URL)" in said


def test_a_database_that_is_not_there_is_to_be_made(tmp_path: Path) -> None:
    said = refusal(tmp_path, own_server().url("nowhere"))
    assert "no database nowhere" in said
    assert "CREATE DATABASE" in said


def test_an_old_server_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_checks, "SERVER_VERSION_MIN", 99)
    assert "is too old: Tertulia needs 99 or newer" in refusal(tmp_path, own_server().url())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("LOCALE_PROVIDER libc LOCALE 'C' ENCODING 'SQL_ASCII'", "not UTF-8"),
        ("LOCALE_PROVIDER libc LOCALE 'C' ENCODING 'UTF8'", "order of code points"),
        ("", "lacks pgvector"),
    ],
)
def test_a_database_of_another_kind_is_refused(tmp_path: Path, options: str, said: str) -> None:
    server = own_server()
    with server.connect_as_superuser() as connection:
        connection.execute(f"CREATE DATABASE odd OWNER tertulia TEMPLATE template0 {options}".encode())
        try:
            assert said in refusal(tmp_path, server.url("odd"))
        finally:
            connection.execute("DROP DATABASE odd WITH (FORCE)")


def test_a_schema_from_the_future_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "engine", Engine.POSTGRES)
    url = databases.url(tmp_path / "future.db") or ""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO schema_migrations (number) VALUES (9999)")
    with pytest.raises(SchemaTooNew, match="has schema 9999"):
        open_database(settings_of(tmp_path, url))


def test_a_superuser_is_warned(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    server = own_server()
    with server.connect_as_superuser() as connection:
        connection.execute("CREATE DATABASE warned OWNER tertulia")
        open_database(settings_of(tmp_path, server.url("warned"))).close()
        assert not caplog.records
        open_database(settings_of(tmp_path, server.url("warned", role="postgres"))).close()
        assert "no row-level security" in caplog.text
        connection.execute("DROP DATABASE warned WITH (FORCE)")


def test_a_start_with_sqlite_loads_no_driver_of_postgresql(tmp_path: Path) -> None:
    script = "import sys, tertulia.server; print({'psycopg', 'redis'} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("connect_timeout=soon", "whole number of seconds"),
        ("foo=bar", 'cannot be read: invalid URI query parameter: "foo"'),
        ("options=-cdefault_transaction_read_only%3Don", "Name the primary server"),
        ("options=-csearch_path%3Dnowhere", "no schema has been selected"),
    ],
)
def test_what_an_address_asks_for_may_be_refused_in_a_sentence(
    tmp_path: Path, option: str, said: str
) -> None:
    url = create_database()
    try:
        assert said in refusal(tmp_path, with_option(url, option))
    finally:
        drop_database(url)


def test_a_role_without_rights_is_told_what_it_needs(tmp_path: Path) -> None:
    server = own_server()
    with server.connect_as_superuser() as connection:
        connection.execute("CREATE ROLE guest LOGIN")
    try:
        said = refusal(tmp_path, server.url(role="guest"))
    finally:
        with server.connect_as_superuser() as connection:
            connection.execute("DROP ROLE guest")
    assert "permission denied for schema public" in said
    assert "ALTER DATABASE tertulia OWNER TO guest" in said


def test_a_migration_that_does_not_fit_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = create_database()
    for engine in (postgres_migration, sqlite_migration):
        scripts = [*engine.load_migrations(), (9999, "UPDATE workspaces SET nonsense = 1")]
        monkeypatch.setattr(engine, "load_migrations", lambda scripts=scripts: scripts)
    on_postgres = settings_of(tmp_path, url)
    on_sqlite = Settings.from_env({"TERTULIA_DATA_DIR": str(tmp_path)})
    try:
        for settings in (on_postgres, on_sqlite):
            with pytest.raises(MigrationFailed, match=r"schema 9999 \(.*nonsense.*It is as it was"):
                open_database(settings)
    finally:
        drop_database(url)


def test_a_wrong_password_is_named_as_such() -> None:
    error = psycopg.OperationalError('FATAL:  password authentication failed for user "ada"')
    said = server_checks.explain_refusal(error, "postgresql://ada:wrong@127.0.0.1/tertulia")
    assert (
        said == "PostgreSQL refused the user ada: check the user and password in the address (DATABASE_URL)."
    )
