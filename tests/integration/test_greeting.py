"""The first thing that a server says is where it can be reached."""

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx2
from tests.world import NO_TLS, environment


def test_a_server_on_a_port_of_the_systems_choice_says_which(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tertulia", "serve", "--port", "0"]
    env = os.environ | environment(tmp_path, None)
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            greeting = re.fullmatch(r"Tertulia .* is at (http://\S+)\n", server.stdout.readline())
            assert greeting
            assert httpx2.get(f"{greeting[1]}/health", trust_env=False, verify=NO_TLS).status_code == 200
        finally:
            server.terminate()
    assert server.returncode == 0
