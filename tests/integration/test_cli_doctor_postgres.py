"""The doctor knows what PostgreSQL and Valkey need."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.engines.postgres import SUPERUSER, own_server, with_option
from tests.engines.valkey import server_url
from tests.integration.test_move import url

from tertulia.cli.check_results import CheckResult, CheckState
from tertulia.cli.commands import root
from tertulia.cli.database_address import PostgresAddress
from tertulia.cli.postgres_checks import check_postgres, judge_clock
from tertulia.core.clock import now
from tertulia.infra.db.postgres.database import PostgresDatabase
from tertulia.infra.db.postgres.tool_connection import connect_tool
from tertulia.infra.shared_storage import check_secret_key
from tertulia.settings import Settings

pytestmark = pytest.mark.postgres

__all__ = ["url"]


@pytest.fixture
def found(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database of the newest schema that the settings name."""
    PostgresAddress(url).upgrade(Settings(data_dir=tmp_path))
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("TERTULIA_SECRET_KEY", "a secret key of tests")
    monkeypatch.setenv("TERTULIA_EMBEDDER", "off")
    return url


def examine(*args: str) -> dict[str, CheckResult]:
    told = CliRunner().invoke(root, ["doctor", "--json", *args])
    results = [CheckResult(**result) for result in json.loads(told.stdout)]
    assert told.exit_code == int(any(result.state == CheckState.FAIL for result in results))
    return {result.name: result for result in results}


def test_a_sound_server_is_found_sound(found: str) -> None:
    results = examine()
    names = ("database", "pgvector", "privileges", "row-level security", "schema", "clock", "index", "valkey")
    assert {name: results[name].state for name in names} == dict.fromkeys(names, "ok")
    assert results["secret key"].state == results["blob store"].state == "ok"
    assert "deleted data" not in results, "that is SQLite's"


def test_a_role_above_the_policies_is_a_warning(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, database_url=own_server().url("postgres", role=SUPERUSER))
    results = {result.name: result for result in check_postgres(settings)}
    assert results["row-level security"].state == CheckState.WARN


def test_a_table_without_its_policy_is_a_warning(found: str) -> None:
    with connect_tool(found) as connection:
        connection.execute("ALTER TABLE messages NO FORCE ROW LEVEL SECURITY")
    assert "messages" in examine()["row-level security"].message


def test_a_role_that_may_not_make_tables_is_a_failure(found: str, tmp_path: Path) -> None:
    with connect_tool(found) as connection:
        connection.execute("CREATE SCHEMA closed AUTHORIZATION CURRENT_USER")
        connection.execute("REVOKE CREATE ON SCHEMA closed FROM CURRENT_USER")
    closed = with_option(found, "options=-csearch_path%3Dclosed")
    results = {result.name: result for result in check_postgres(Settings(tmp_path, database_url=closed))}
    assert results["privileges"].state == CheckState.FAIL


def test_words_that_are_missing_are_a_warning(found: str, tmp_path: Path) -> None:
    with connect_tool(found) as connection:
        connection.execute("INSERT INTO workspaces VALUES ('wsp_1', '', '{}', 1)")
        connection.execute(
            "INSERT INTO sources (id, workspace_id, kind, source_id, said_at, state)"
            " VALUES (1, 'wsp_1', 'file', 'fil_1', 1, 'ready')"
        )
        connection.execute(
            "INSERT INTO chunks SELECT 1, 'wsp_1', 1, 1, '', '', 1, 1, 1, 1, 1, '', '', 'The harbour'"
        )
    assert examine()["index"].state == "warn"


def test_an_unreachable_server_and_a_missing_key_are_failures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", "postgresql://ana:hidden@127.0.0.1:1/tertulia")
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1")
    monkeypatch.delenv("TERTULIA_SECRET_KEY", raising=False)
    results = examine()
    assert {name for name, result in results.items() if result.state == "fail"} >= {
        "database",
        "secret key",
        "valkey",
        "blob store",
    }
    assert "hidden" not in str(results)


def test_another_secret_key_than_that_of_the_database_is_a_failure(
    found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "first server" in examine()["sealed secrets"].message
    db = PostgresDatabase(found, connections=2)
    settings = Settings.from_env()
    asyncio.run(check_secret_key(db, settings))
    db.close()
    assert examine()["sealed secrets"].state == "ok"
    monkeypatch.setenv("TERTULIA_SECRET_KEY", "another secret key of tests")
    assert examine()["sealed secrets"].state == "fail"


def test_valkey_answers(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", server_url())
    assert examine()["valkey"].state == "ok"


@pytest.mark.parametrize(("ahead", "state"), [(0, "ok"), (4, "ok"), (-4, "ok"), (9, "warn"), (-9, "warn")])
def test_clocks_that_differ_are_a_warning(ahead: float, state: CheckState) -> None:
    asked = now()
    answered = asked + timedelta(seconds=0.1)
    assert judge_clock(asked, asked + timedelta(seconds=ahead), answered).state == state
