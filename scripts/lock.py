"""Pin every dependency with its hashes, and without any address."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPTIONS = (
    "--quiet --upgrade --universal --python-version 3.11 --generate-hashes "
    "--no-header --no-annotate --no-emit-index-url --no-emit-find-links"
)
LOCKS = {"requirements.lock": ["build"], "requirements-dev.lock": ["build", "dev"]}

for lock, groups in LOCKS.items():
    wanted = [part for group in groups for part in ("--group", group)]
    command = [sys.executable, "-m", "uv", "pip", "compile", *OPTIONS.split(), "pyproject.toml", *wanted]
    subprocess.run([*command, "-o", lock], cwd=ROOT, check=True)
    print(f"{lock} is up to date.")
