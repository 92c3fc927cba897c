"""Servers of the tests end with the tests, also where these are killed."""

import os
import select
import subprocess
import sys
from pathlib import Path

from tests.engines.guard import SERVER_STOP_SECONDS, end_guarded, make_server_folder, start_guarded

#: Starts a server that does nothing, tells its folder, and waits to be killed.
TESTS_TO_KILL = """
import signal
from tests.engines.guard import make_server_folder, start_guarded

folder = make_server_folder("none")
guard = start_guarded(["sleep", "60"], folder=folder)
print(folder, guard.pid, flush=True)
signal.pause()
"""


def test_a_server_ends_with_the_tests_that_asked_for_it() -> None:
    folder = make_server_folder("none")
    guard = start_guarded(["sleep", "60"], folder=folder)
    end_guarded(guard)
    assert guard.returncode is not None
    assert not folder.exists()


def test_a_server_of_killed_tests_ends_too() -> None:
    tests = subprocess.Popen([sys.executable, "-c", TESTS_TO_KILL], stdout=subprocess.PIPE, text=True)
    assert tests.stdout
    folder, guard = tests.stdout.readline().split()
    watched = os.pidfd_open(int(guard))
    tests.kill()
    tests.wait()
    assert wait_for_exit(watched)
    assert not Path(folder).exists()


def wait_for_exit(pidfd: int) -> bool:
    """Wait until a process that is no child of ours has ended; tell whether it has."""
    ready, _, _ = select.select([pidfd], [], [], SERVER_STOP_SECONDS)
    os.close(pidfd)
    return bool(ready)
