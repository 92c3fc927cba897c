"""`tertulia serve --workers 2`: one address and one greeting, and nobody is left behind."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import httpx2
import psutil
import pytest

from tests.engines.postgres import PostgresServer, create_database, drop_database
from tests.world import free_port

pytestmark = pytest.mark.postgres

SECRET_KEY = "a key that all processes know"


class Served:
    """Workers with the process that keeps them, started as people do it."""

    def __init__(self, folder: Path, url: str, **settings: str) -> None:
        self.port = free_port()
        self.log = folder / "server.log"
        self._environment = {
            "DATABASE_URL": url,
            "TERTULIA_DATA_DIR": str(folder / "data"),
            "TERTULIA_SECRET_KEY": SECRET_KEY,
            "TERTULIA_SANDBOX": "off",
            "TERTULIA_BUILTIN_MODEL": "off",
            "TERTULIA_EMBEDDER": "off",
            "TERTULIA_DISCOVER_LOCAL": "off",
        } | settings
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "tertulia", "serve", "--port", str(self.port), "--workers", "2"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, env=os.environ | self._environment, stdout=log, stderr=log
            )

    @property
    def workers(self) -> set[int]:
        assert self.process
        return {child.pid for child in psutil.Process(self.process.pid).children()}

    def listeners(self) -> set[int]:
        """Return the workers that take connections; fail where the process that keeps them has ended."""
        assert self.process
        assert self.process.poll() is None, self.log.read_text()
        return {pid for pid in self.workers if listens(pid, self.port)}


def listens(pid: int, port: int) -> bool:
    try:
        connections = psutil.Process(pid).net_connections()
    except psutil.Error:
        return False
    return any(one.status == psutil.CONN_LISTEN and one.laddr.port == port for one in connections)


@pytest.fixture
def served(tmp_path: Path) -> Generator[Served]:
    url = create_database()
    served = Served(tmp_path, url)
    yield served
    if served.process is not None:
        served.process.kill()
        served.process.wait()
    drop_database(url)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while True:
            if is_so():
                return
            await asyncio.sleep(0.05)


async def test_workers_share_an_address_are_replaced_and_end_together(served: Served) -> None:
    served.start()
    assert served.process
    await until(lambda: len(served.listeners()) == 2)
    victim, other = served.workers
    psutil.Process(victim).kill()
    # Until its last thread is gone, connections are handed to it: /proc shows no sockets of it before that.
    await until(lambda: not psutil.pid_exists(victim))
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{served.port}", trust_env=False) as client:
        ready = await client.get("/ready")
    assert ready.json()["dependencies"]["database"] == "ok"
    await until(lambda: len(served.listeners() - {victim}) == 2)
    workers = served.workers
    assert other in workers

    served.process.terminate()
    assert await asyncio.to_thread(served.process.wait) == 0
    assert not any(psutil.pid_exists(pid) for pid in workers)
    assert len(re.findall(r"/setup#", served.log.read_text())) == 1


async def test_the_log_stays_readable_while_postgresql_is_away(tmp_path: Path) -> None:
    server = PostgresServer.create()
    served = Served(tmp_path, server.url(), TERTULIA_BUSY_SECONDS="0.5")
    try:
        served.start()
        assert served.process
        await until(lambda: len(served.listeners()) == 2)
        server.stop()
        victim = min(served.workers)
        psutil.Process(victim).kill()
        await until(lambda: "Application startup failed" in served.log.read_text())
        await until(lambda: "The job queue could not be reached" in served.log.read_text())
        server.start()
        await until(lambda: len(served.listeners() - {victim}) == 2)
        served.process.terminate()
        assert await asyncio.to_thread(served.process.wait) == 0
    finally:
        if served.process is not None:
            served.process.kill()
            served.process.wait()
        server.close()
    log = served.log.read_text()
    assert "PostgreSQL cannot be reached (" in log
    assert "Traceback" not in log
    assert "never retrieved" not in log
