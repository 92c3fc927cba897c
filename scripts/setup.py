"""Prepare `.venv`, showing what is being done; nothing is done twice.

Runs with any Python 3.11 or newer and needs nothing but its standard library.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
MODELS = VENV / "share" / "tertulia" / "models"
SANDBOX = VENV / "share" / "tertulia" / "sandbox"
BUILT_PAGE = ROOT / "src" / "tertulia" / "web" / "index.html"


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
        install_browser()
    build_web_app()
    install_builtin_model()
    install_embedder()
    if dev:
        install_sandbox()


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
    forget_checks()
    stamp.write_text(digest(text))


def install_package() -> None:
    """Make the `tertulia` command run the source of this folder."""
    text = (ROOT / "pyproject.toml").read_bytes()
    stamp = VENV / "package.done"
    if stamp.exists() and stamp.read_text() == digest(text):
        return
    run("-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    stamp.write_text(digest(text))


def build_web_app() -> None:
    """Build the web app into the package, unless nothing of it has changed."""
    sources = [ROOT / "web" / name for name in ("package-lock.json", "svelte.config.js", "vite.config.ts")]
    folders = [ROOT / "web" / "src", ROOT / "web" / "static"]
    sources += sorted(file for folder in folders for file in folder.rglob("*") if file.is_file())
    stamp = VENV / "web.done"
    wanted = digest(b"".join(file.read_bytes() for file in sources))
    if BUILT_PAGE.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    if shutil.which("npm") is None:
        say("Node.js with npm 10 or newer is missing, so there is no web app; the rest works.")
        return
    install_node_packages()
    say("Building the web app")
    node("run", "--silent", "build")
    stamp.write_text(wanted)


def install_node_packages() -> None:
    """Install what the web app is built with, unless that was done already."""
    text = (ROOT / "web" / "package-lock.json").read_bytes()
    stamp = VENV / "node.done"
    if stamp.exists() and stamp.read_text() == digest(text) and (ROOT / "web" / "node_modules").is_dir():
        return
    say("Installing what the web app is built with (once, about a minute)")
    # Not `npm ci`: it refuses a lock made where a registry has not every platform's optional packages.
    node("install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error")
    forget_checks()
    stamp.write_text(digest(text))


def forget_checks() -> None:
    """Have every check run again: what passed did so with the packages of before."""
    shutil.rmtree(ROOT / ".cache", ignore_errors=True)


def node(*arguments: str) -> None:
    """Run npm in web/ and show what it printed if it fails."""
    done = subprocess.run(
        ["npm", *arguments], cwd=ROOT / "web", capture_output=True, text=True, env=calm(), check=False
    )
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\nFailed: npm {' '.join(arguments)}")


def install_browser() -> None:
    """Install Chromium for the tests where that is allowed, and say what to do where it is not."""
    if os.environ.get("CHROMIUM") or shutil.which("chromium"):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say("Installing Chromium for the tests (once)")
        command = "apt-get -qq update && apt-get -qq install -y chromium > /dev/null"
        if not subprocess.run(command, shell=True, env=calm(), check=False).returncode:
            return
    say("Chromium is missing: install it, or name one with CHROMIUM=/path. The browser tests need it.")


def install_builtin_model() -> None:
    """Fetch the small built-in model; without it everything else works."""
    if os.environ.get("TERTULIA_BUILTIN_MODEL", "").lower() in ("0", "off", "no", "false"):
        return
    if any(MODELS.glob("SmolLM2-*.gguf")):
        return
    say("Fetching the built-in local model (once)")
    done = subprocess.run([VENV / "bin" / "tertulia", "models", "install", "builtin"], check=False)
    if done.returncode:
        say("It could not be fetched. Go on without it, or try `tertulia models install builtin` later.")


def install_embedder() -> None:
    """Fetch the embedder, by which search finds what is meant; without it search goes by words."""
    if os.environ.get("TERTULIA_EMBEDDER", "builtin").strip().lower() != "builtin":
        return
    if any(MODELS.glob("all-minilm-*/sha256.json")):
        return
    say("Fetching the built-in embedder (once)")
    done = subprocess.run([VENV / "bin" / "tertulia", "models", "install", "embedder"], check=False)
    if done.returncode:
        say("It could not be fetched. Go on without it, or try `tertulia models install embedder` later.")


def install_sandbox() -> None:
    """Compile the interpreter of the sandbox; without this the first start does it in the background."""
    lock = (ROOT / "requirements.lock").read_text().splitlines()
    stamp = VENV / "sandbox.done"
    wanted = digest("".join(line for line in lock if line.startswith("was")).encode())
    if stamp.exists() and stamp.read_text() == wanted and any(SANDBOX.glob("*.done")):
        return
    say("Compiling the sandbox's interpreter (once, a minute or two on two cores, 2.5 GB of memory)")
    command = [PYTHON, "-P", "-m", "tertulia.sandbox.compilation", SANDBOX]
    compiler = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert compiler.stdout is not None
    shown = 0
    for line in compiler.stdout:
        if (done := int(100 * float(line))) > shown:
            bar(shown := done, 100, "compiling")
    end_bar()
    if compiler.wait():
        say("It could not be compiled: the sandbox stays off, and its tests fail.")
        return
    stamp.write_text(wanted)


def run(*arguments: str) -> None:
    """Run the environment's Python and give up when it fails."""
    if subprocess.run([PYTHON, *arguments], env=calm(), check=False).returncode:
        sys.exit(f"Failed: python {' '.join(arguments)}")


def calm() -> dict[str, str]:
    """Return an environment in which pip neither asks nor advertises."""
    return os.environ | {
        "DEBIAN_FRONTEND": "noninteractive",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
    }


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
