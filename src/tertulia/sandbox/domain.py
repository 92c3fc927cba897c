"""A job for the sandbox, and what comes of it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from tertulia.core.byte_units import MEGABYTE_BYTES

#: Where the code finds what it was lent, and where it may write.
FILES_FOLDER = "/project/files"
TOOLS_FOLDER = "/project/tools"
SCRATCH_FOLDER = "/tmp"  # noqa: S108 - a folder inside the sandbox, which no host has
#: Memory of a run where nobody says how much.
RUN_MEMORY_DEFAULT_MB = 512


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """The most that one run may use; bytes and files are what the code writes itself."""

    seconds: float
    output_bytes: int
    memory_mb: int = RUN_MEMORY_DEFAULT_MB
    disk_bytes: int = 50 * MEGABYTE_BYTES
    files: int = 1000


@dataclass(frozen=True, slots=True)
class LentFile:
    """A file that is opened only when the code opens it."""

    size: int
    open: Callable[[], Awaitable[BinaryIO]]


JobFile = Path | bytes | LentFile


@dataclass(frozen=True, slots=True)
class SandboxJob:
    """Code, the files it may read and the tools it may import and change."""

    code: str
    limits: SandboxLimits
    files: Mapping[str, JobFile] = field(default_factory=dict[str, JobFile])
    tools: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


class OutputStream(StrEnum):
    """Where something was printed."""

    OUT = "stdout"
    ERR = "stderr"


@dataclass(frozen=True, slots=True)
class PrintedText:
    """A piece of what the code printed, while it runs."""

    stream: OutputStream
    text: str


@dataclass(frozen=True, slots=True)
class FileOpened:
    """A file or tool that the code reads, by its path in the sandbox; told before the code has any of it."""

    path: str


class RunStatus(StrEnum):
    """How a run ended."""

    OK = "ok"
    ERROR = "error"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    TOO_MUCH_OUTPUT = "too_much_output"
    STOPPED = "stopped"
    CRASHED = "crashed"


@dataclass(frozen=True, slots=True)
class RunFigure:
    """A picture that the code drew."""

    png: bytes


@dataclass(frozen=True, slots=True)
class RunTable:
    """The beginning of the table that the last expression was; `rows_in_all` counts the rest too."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    rows_in_all: int


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What came of a run; its tools are saved only when it came to its own end.

    `error` is the traceback, or one sentence where a limit ended the run.
    `value` is the last expression as a notebook shows it. `tools` holds the
    files of /project/tools that are new or changed, `refused` those that
    cannot be kept, each with the reason, and `removed` those that were lent
    and are gone.
    """

    status: RunStatus
    seconds: float
    error: str = ""
    value: str = ""
    table: RunTable | None = None
    figures: tuple[RunFigure, ...] = ()
    tools: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    removed: tuple[str, ...] = ()


RunEvent = PrintedText | FileOpened | RunOutcome


class State(StrEnum):
    """Whether code can be run."""

    OFF = "off"
    #: It can be prepared; nobody has wanted to run code yet.
    UNPREPARED = "unprepared"
    PREPARING = "preparing"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether code can be run, why not, and how far getting ready has come (0 to 1)."""

    state: State
    reason: str = ""
    progress: float = 0
    #: Whether an admin can have it prepared.
    can_try_again: bool = False

    @property
    def can_become_ready(self) -> bool:
        """Tell whether code that is run now will be run, perhaps after a wait."""
        return self.state is not State.OFF
