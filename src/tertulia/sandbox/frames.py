"""Messages between the server and a worker of the sandbox."""

import msgspec

#: Larger than anything that a worker hands back.
WORKER_FRAME_MAX_BYTES = 500_000_000


class WorkerSetup(msgspec.Struct, tag=True):
    """Where the machine code is, and for how much memory to prepare."""

    compiled: str
    memory_mb: int


class RunRequest(msgspec.Struct, tag=True):
    """Code to run; of the files that it may read only the sizes are given."""

    code: str
    files: dict[str, int]
    tools: dict[str, bytes]
    seconds: float
    memory_mb: int
    output_bytes: int
    disk_bytes: int
    max_files: int


class FilePart(msgspec.Struct, tag=True):
    """A part of a file's bytes, or nothing where it cannot be read; an empty part is the last."""

    data: bytes | None


class WorkerReady(msgspec.Struct, tag=True):
    """The worker can run code now."""


class RunStarted(msgspec.Struct, tag=True):
    """The code runs from now on."""


class OutputPiece(msgspec.Struct, tag=True):
    """Bytes that the code printed."""

    stream: str
    data: bytes


class FileRequest(msgspec.Struct, tag=True):
    """The code opens this file."""

    name: str


class ToolRead(msgspec.Struct, tag=True):
    """The code reads or imports this tool."""

    name: str


class TableFrame(msgspec.Struct):
    """A table of texts."""

    columns: list[str]
    rows: list[list[str]]
    rows_in_all: int


class RunResult(msgspec.Struct, tag=True):
    """How the run ended."""

    status: str
    error: str = ""
    value: str = ""
    table: TableFrame | None = None
    figures: list[bytes] = []
    tools: dict[str, bytes] = {}
    removed: list[str] = []


ToWorker = WorkerSetup | RunRequest | FilePart
FromWorker = WorkerReady | RunStarted | OutputPiece | FileRequest | ToolRead | RunResult
to_worker_decoder = msgspec.msgpack.Decoder(ToWorker)
from_worker_decoder = msgspec.msgpack.Decoder(FromWorker)
