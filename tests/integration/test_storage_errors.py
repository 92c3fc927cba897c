"""A disk that is full or read-only is told in a sentence, at the start and by `/ready`."""

import asyncio
import errno
import os
import resource
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from tests.databases import open_database

from tertulia.infra import datadir
from tertulia.infra.datadir import DataDir
from tertulia.infra.dependency_checks import Dependency, DependencyChecks
from tertulia.infra.http import errors
from tertulia.infra.http.health import router
from tertulia.infra.http.routing import add_routes
from tertulia.settings import Settings


@pytest.fixture
async def client(tmp_path: Path) -> AsyncGenerator[httpx2.AsyncClient]:
    app = FastAPI()
    errors.install_error_handlers(app)
    add_routes(app, router)
    db, folder = open_database(tmp_path / "tertulia.db"), DataDir(tmp_path)
    dependencies = [
        Dependency("disk", lambda: asyncio.to_thread(folder.check_writable)),
        Dependency("database", lambda: db.write(lambda tx: tx.value("SELECT 1"), by=None)),
    ]
    app.state.parts = {
        DependencyChecks: DependencyChecks(dependencies),
        Settings: Settings(data_dir=tmp_path),
    }
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client
    folder.release()
    db.close()


@pytest.mark.parametrize(
    ("number", "status", "code"),
    [
        (errno.EROFS, 503, "storage_read_only"),
        (errno.ENOSPC, 507, "disk_full"),
        (errno.EDQUOT, 507, "disk_full"),
        (errno.EIO, 503, "storage_failed"),
    ],
)
async def test_ready_tells_why_nothing_can_be_saved_and_that_it_can_again(
    client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch, number: int, status: int, code: str
) -> None:
    def refuse(_: Path) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken:
        broken.setattr(datadir, "write_probe", refuse)
        refused = await client.get("/ready")
    assert (refused.status_code, refused.json()["error"]["code"]) == (status, code)
    assert refused.json()["error"]["message"].endswith(".")
    assert (await client.get("/ready")).status_code == 200


async def test_asking_whether_it_is_ready_leaves_nothing_behind(
    client: httpx2.AsyncClient, tmp_path: Path
) -> None:
    before = sorted(os.listdir(tmp_path))
    assert (await client.get("/ready")).status_code == 200
    assert sorted(os.listdir(tmp_path)) == before


def start(
    data_dir: Path, *arguments: str, file_limit: int | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Start a server that must refuse to, as one does at the terminal."""

    def limit_files() -> None:
        if file_limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

    return subprocess.run(
        [sys.executable, "-m", "tertulia", *(arguments or ("serve", "--port", "0"))],
        env=os.environ | {"TERTULIA_DATA_DIR": str(data_dir), "TERTULIA_SANDBOX": "off"} | environment,
        preexec_fn=limit_files,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_start_without_a_usable_folder_says_so_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    told = start(tmp_path / "file" / "data")
    message = f"{tmp_path}/file/data cannot be used as the data directory: Not a directory.\n"
    assert (told.returncode, told.stderr) == (1, message)


def test_a_start_on_a_disk_that_takes_nothing_says_so_in_a_sentence(tmp_path: Path) -> None:
    told = start(tmp_path / "data", file_limit=1)
    message = f"{tmp_path}/data cannot be used as the data directory: File too large.\n"
    assert (told.returncode, told.stderr) == (1, message)


def test_a_start_with_a_database_that_is_none_says_so_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "tertulia.db").write_text("no database " * 100)
    told = start(tmp_path)
    message = f"{tmp_path}/tertulia.db is not a database. Restore it from a backup.\n"
    assert (told.returncode, told.stderr) == (1, message)


def test_a_second_server_on_the_same_folder_is_refused_in_a_sentence(tmp_path: Path) -> None:
    first = DataDir(tmp_path)
    try:
        told = start(tmp_path)
    finally:
        first.release()
    assert told.returncode == 1
    assert told.stderr.startswith(f"Another server already uses {tmp_path}, and SQLite serves one. ")
    assert told.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [("serve", "--port", "0", "--workers", "2"), ("worker",)])
def test_several_processes_on_sqlite_are_refused_with_what_to_do(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    told = start(tmp_path, *arguments)
    assert told.returncode == 1
    assert told.stderr.startswith("SQLite serves one process: ")
    assert "set DATABASE_URL" in told.stderr
    assert told.stderr.count("\n") == 1


def test_an_address_of_no_postgresql_database_is_refused(tmp_path: Path) -> None:
    told = start(tmp_path, DATABASE_URL="mysql://localhost/tertulia")
    assert (told.returncode, told.stderr.count("\n")) == (1, 1)
    assert told.stderr.startswith("DATABASE_URL must be an address such as postgresql://")
