"""Runs a server for tests, and ends it and deletes its folder when the tests' process is gone.

A test run that is killed cannot tidy up. So a small process stands between it and the server, which waits
for the end of a pipe that only the tests' process holds.

Run as a script: `guard.py FOLDER USER COMMAND…`; USER is a number, or `-` for whoever runs it.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

#: Who servers run as where the tests run as root, whom PostgreSQL refuses to serve: nobody.
UNPRIVILEGED_USER = 65534
#: A server may take so long to end by itself.
SERVER_STOP_SECONDS = 10.0
MEMORY_FOLDER = Path("/dev/shm")
#: A folder in memory needs so much room, else the disk is used.
MEMORY_FOLDER_MIN_FREE_BYTES = 2 * 2**30


def server_user() -> int | None:
    """Return who servers run as; None for whoever runs the tests."""
    return UNPRIVILEGED_USER if os.geteuid() == 0 else None


def make_server_folder(name: str) -> Path:
    """Make a folder for a server's data that this server may use: in memory, if that has room."""
    roomy = MEMORY_FOLDER.is_dir() and shutil.disk_usage(MEMORY_FOLDER).free > MEMORY_FOLDER_MIN_FREE_BYTES
    folder = Path(tempfile.mkdtemp(prefix=f"tertulia-{name}-", dir=MEMORY_FOLDER if roomy else None))
    if (user := server_user()) is not None:
        os.chown(folder, user, user)
    return folder


def start_guarded(command: list[str | Path], *, folder: Path) -> "subprocess.Popen[bytes]":
    """Start a server whose folder is deleted, after it was ended, when this process ends or is killed.

    Its log is `server.log` in its folder. The process returned ends when the server does.
    """
    guard: list[str | Path] = [sys.executable, "-I", "-S", Path(__file__), folder, str(server_user() or "-")]
    # The guard ends by itself when this process is gone, and nobody waits for it earlier than `end_guarded`.
    return subprocess.Popen([*guard, *command], stdin=subprocess.PIPE, start_new_session=True)


def end_guarded(guard: "subprocess.Popen[bytes]") -> None:
    """End a server now, and wait until its folder is deleted."""
    if guard.stdin:
        guard.stdin.close()
    guard.wait(timeout=2 * SERVER_STOP_SECONDS)


def main() -> None:
    """Run a server until it ends, or until the tests' process has gone."""
    # Whoever started the tests may have told them to ignore interrupts, which the server would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder, user, *command = sys.argv[1:]
    identity = None if user == "-" else int(user)
    groups = None if identity is None else []
    with (Path(folder) / "server.log").open("ab") as log:
        server = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            user=identity,
            group=identity,
            extra_groups=groups,
        )
    if tests_are_gone(server):
        stop(server)
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(server.returncode)


def tests_are_gone(server: "subprocess.Popen[bytes]") -> bool:
    """Wait for the end of the tests or of the server; tell whether it was the tests'."""
    pidfd = os.pidfd_open(server.pid) if hasattr(os, "pidfd_open") else None
    waited_for = [sys.stdin.fileno()] if pidfd is None else [sys.stdin.fileno(), pidfd]
    while True:
        ready, _, _ = select.select(waited_for, [], [], 0.1 if pidfd is None else None)
        if sys.stdin.fileno() in ready:
            return True
        if server.poll() is not None:
            return False


def stop(server: "subprocess.Popen[bytes]") -> None:
    """End a server: PostgreSQL takes an interrupt as a request to end without waiting for its clients."""
    server.send_signal(signal.SIGINT)
    try:
        server.wait(timeout=SERVER_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
