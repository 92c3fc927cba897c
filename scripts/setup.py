"""Prepare `.venv`, showing what is being done; nothing is done twice.

Runs with any Python 3.11 or newer and needs nothing but its standard library.
"""

import hashlib
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"


def main() -> None:
    """Do what is missing."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this script is what tells people so
        sys.exit(f"Tertulia needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    dev = "--dev" in sys.argv
    if not PYTHON.exists():
        say("Making a virtual environment in .venv")
        venv.create(VENV, with_pip=True)
    install("requirements.lock", "what Tertulia needs")
    install_package()
    if dev:
        install("requirements-dev.lock", "what its tests need")
    install_builtin_model()


def install(lock: str, what: str) -> None:
    """Install everything a lock file pins, unless that was done already."""
    text = (ROOT / lock).read_bytes()
    stamp = VENV / f"{lock}.done"
    if stamp.exists() and stamp.read_text() == digest(text):
        return
    total = sum(b"==" in line for line in text.splitlines())
    say(f"Installing {what} ({total} packages, once)")
    command = [PYTHON, "-m", "pip", "install", "--no-input", "--require-hashes", "-r", ROOT / lock]
    pip = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=calm())
    assert pip.stdout is not None
    lines: list[str] = []
    seen = 0
    for line in pip.stdout:
        lines.append(line)
        if line.startswith(("Collecting", "Requirement already satisfied")):
            seen += 1
            bar(seen, total, line.split()[1 if line.startswith("C") else 3])
        elif line.startswith("Installing collected"):
            bar(total, total, "unpacking")
    errors = pip.stderr.read() if pip.stderr else ""
    end_bar()
    if pip.wait():
        sys.exit("".join(lines[-5:]) + errors + f"\nThe packages in {lock} could not be installed.")
    stamp.write_text(digest(text))


def install_package() -> None:
    """Make the `tertulia` command run the source of this folder."""
    text = (ROOT / "pyproject.toml").read_bytes()
    stamp = VENV / "package.done"
    if stamp.exists() and stamp.read_text() == digest(text):
        return
    run("-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    stamp.write_text(digest(text))


def install_builtin_model() -> None:
    """Fetch the small built-in model; without it everything else works."""
    if os.environ.get("TERTULIA_BUILTIN_MODEL", "").lower() in ("0", "off", "no", "false"):
        return
    if (VENV / "share" / "tertulia" / "models").is_dir():
        return
    say("Fetching the built-in local model (once)")
    done = subprocess.run([VENV / "bin" / "tertulia", "models", "install", "builtin"], check=False)
    if done.returncode:
        say("It could not be fetched. Go on without it, or try `tertulia models install builtin` later.")


def run(*arguments: str) -> None:
    """Run the environment's Python and give up when it fails."""
    if subprocess.run([PYTHON, *arguments], env=calm(), check=False).returncode:
        sys.exit(f"Failed: python {' '.join(arguments)}")


def calm() -> dict[str, str]:
    """Return an environment in which pip neither asks nor advertises."""
    return os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}


def digest(text: bytes) -> str:
    """Return what tells whether a file has changed; the interpreter counts too."""
    return hashlib.sha256(text + sys.version.encode()).hexdigest()


def say(text: str) -> None:
    """Tell what comes next."""
    print(f"• {text}", flush=True)


def bar(done: int, total: int, name: str) -> None:
    """Draw how far it has got; only now and then where there is no terminal."""
    filled = 30 * min(done, total) // max(total, 1)
    line = f"  [{'█' * filled}{'·' * (30 - filled)}] {min(done, total)}/{total} {name[:30]}"
    if sys.stdout.isatty():
        print(f"\r{line:<80}", end="", flush=True)
    elif done % 20 == 0:
        print(line, flush=True)


def end_bar() -> None:
    """Leave the bar's line."""
    if sys.stdout.isatty():
        print(flush=True)


if __name__ == "__main__":
    began = time.monotonic()
    main()
    if time.monotonic() - began > 2:
        say(f"Ready after {time.monotonic() - began:.0f} s")
