"""The script that prepares the PostgreSQL of compose, run on a real server."""

import os
import subprocess
from collections.abc import Generator

import psycopg
import pytest
from tests.deploy_files import DEPLOY
from tests.engines.postgres import SUPERUSER, PostgresServer

from tertulia.infra.db.postgres.migration import load_migrations, migrate

pytestmark = pytest.mark.postgres


@pytest.fixture
def server() -> Generator[PostgresServer]:
    """A server as its image starts it: with a superuser, and nothing of ours."""
    server = PostgresServer.create()
    with server.connect_as_superuser() as connection:
        connection.execute("DROP DATABASE tertulia")
        connection.execute("DROP ROLE tertulia")
    yield server
    server.close()


def run_script(server: PostgresServer, *, password: str) -> None:
    environment = os.environ | {
        "PATH": f"{server.binaries}{os.pathsep}{os.environ['PATH']}",
        "PGHOST": str(server.folder),
        "POSTGRES_USER": SUPERUSER,
        "DATABASE_PASSWORD": password,
    }
    script = DEPLOY / "compose" / "postgres-init.sh"
    done = subprocess.run([script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_role_is_plain_and_its_database_takes_the_schema(server: PostgresServer) -> None:
    run_script(server, password='it\'s "quoted" $HOME')
    with server.connect_as_superuser() as connection:
        role = "SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = 'tertulia'"
        assert connection.execute(role).fetchall() == [(False, False, False)]
    with psycopg.connect(server.url(), autocommit=True) as connection:
        folded = "SELECT lower('ÉA'), 'B' < 'a', current_setting('server_encoding')"
        assert connection.execute(folded).fetchall() == [("éa", True, "UTF8")]
        assert migrate(connection) == load_migrations()[-1][0]
