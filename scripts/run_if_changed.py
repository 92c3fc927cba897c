"""Run a check unless it has passed with the same files before.

python -m scripts.run_if_changed NAME FILE… -- COMMAND…

What passed is noted as a digest of its files, taken before the check began: a change in between, or another
run at the same time, is never taken for something that passed. What git ignores is left out of it: packages
above all, whose installation has every check run again (`setup.py:forget_checks`).
"""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

NOTES = Path(".cache")


def digest_of(paths: list[str]) -> str | None:
    """Return a digest of the names and contents of files; None where git cannot tell which there are."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths],
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        return None
    total = sha256()
    for name in sorted(set(listed.stdout.split(b"\0")) - {b""}):
        file = Path(name.decode())
        content = file.read_bytes() if file.is_file() else b"deleted"
        total.update(name + b"\0" + sha256(content).digest())
    return total.hexdigest()


def main() -> int:
    """Run the command, or say that it need not run; return its exit code."""
    name, *arguments = sys.argv[1:]
    split = arguments.index("--")
    paths, command = arguments[:split], arguments[split + 1 :]
    note, digest = NOTES / f"{name}.passed", digest_of(paths)
    if digest is not None and note.exists() and note.read_text() == digest:
        print(f"{name}: passed before, and nothing has changed")
        return 0
    exit_code = subprocess.run(command, check=False).returncode
    if exit_code == 0 and digest is not None:
        NOTES.mkdir(exist_ok=True)
        note.write_text(digest)
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
