"""Behind the interpreter stands a second wall, around the worker that runs it."""

import subprocess
import sys
from pathlib import Path

import pytest

CANARY = "canary-7f3a9c"


@pytest.mark.skipif(sys.platform != "linux", reason="the second wall is made of what Linux has")
def test_a_worker_whose_interpreter_was_broken_still_reaches_nothing(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    (tmp_path / "secret").write_text(CANARY)
    code = f"""
import os, socket, subprocess, sys, threading
from pathlib import Path
from tertulia.sandbox.confinement import confine
confine(readable=[], writable=[Path({str(tmp_path / "scratch")!r})])
Path({str(tmp_path / "scratch" / "mine")!r}).write_text("fine")
ways = {{
    "read": lambda: open({str(tmp_path / "secret")!r}).read(),
    "read the system": lambda: open("/etc/passwd").read(),
    "read a process": lambda: open(f"/proc/{{os.getppid()}}/environ").read(),
    "write": lambda: open({str(tmp_path / "new")!r}, "w"),
    "write to the program": lambda: open(os.path.join(sys.prefix, "new"), "w"),
    "tcp": lambda: socket.socket(),
    "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "unix": lambda: socket.socketpair(),
    "program": lambda: subprocess.run([sys.executable, "-c", ""]),
    "shell": lambda: os.execv("/bin/sh", ["sh"]),
    "signal": lambda: os.kill(os.getppid(), 0),
}}
def attempt():
    for name, way in ways.items():
        try:
            way()
            print(name)
        except OSError:
            pass
attempt()
thread = threading.Thread(target=attempt)
thread.start()
thread.join()
print("done")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stdout.split("\n") == ["done", ""], done.stderr
