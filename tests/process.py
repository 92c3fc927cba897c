"""A server in a process of its own, that can be killed."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tertulia.core.ids import new_id
from tertulia.core.principal import Role
from tests.databases import open_database, prepare_database
from tests.scripted_provider import ScriptedProvider
from tests.world import NO_TLS, Person, add_person, environment, free_port


@dataclass
class ServerProcess:
    """`tertulia serve` as people start it; `kill` is kill -9."""

    data_dir: Path
    provider: ScriptedProvider
    port: int
    env: dict[str, str]
    process: subprocess.Popen[bytes] | None = None

    @classmethod
    @asynccontextmanager
    async def running(
        cls, data_dir: Path, provider: ScriptedProvider, **env: str
    ) -> AsyncGenerator["ServerProcess"]:
        prepare_database(data_dir / "tertulia.db")
        server = cls(data_dir, provider, free_port(), environment(data_dir, provider, **env))
        await server.start()
        try:
            yield server
        finally:
            server.kill()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def database(self) -> Path:
        return self.data_dir / "tertulia.db"

    async def start(self) -> None:
        """Start, and wait until it answers."""
        command = [sys.executable, "-m", "tertulia", "serve", "--port", str(self.port)]
        log = (self.data_dir.parent / "server.log").open("ab")
        # Starting takes no time worth waiting for, and the tests want to send it signals.
        self.process = subprocess.Popen(command, env=os.environ | self.env, stdout=log, stderr=log)  # noqa: ASYNC220
        async with httpx2.AsyncClient(base_url=self.url, trust_env=False, verify=NO_TLS) as client:
            for _ in range(600):
                assert self.process.poll() is None, (self.data_dir.parent / "server.log").read_text()
                try:
                    if (await client.get("/health")).status_code == 200:
                        return
                except httpx2.TransportError:
                    await asyncio.sleep(0.05)
        raise AssertionError("the server did not start")

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def terminate(self) -> int:
        """Ask it to end, and return its exit code."""
        assert self.process
        self.process.terminate()
        return self.process.wait(timeout=30)

    async def person(self) -> Person:
        """Add a person while the server runs, as the command line does."""
        db = open_database(self.database)
        try:
            principal, token = await add_person(
                db, role=Role.OWNER, workspace=None, email=f"{new_id('usr').lower()}@example.org"
            )
        finally:
            db.close()
        headers = {"Authorization": f"Bearer {token}"}
        client = httpx2.AsyncClient(
            base_url=self.url, headers=headers, timeout=30, trust_env=False, verify=NO_TLS
        )
        return Person(principal, token, client)
