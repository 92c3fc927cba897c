"""What the server and a worker say to each other: frames, each with its length ahead."""

import struct
from typing import BinaryIO

import msgspec

LENGTH = struct.Struct(">I")
#: Larger than anything that a worker hands back.
LARGEST = 500_000_000


class Orders(msgspec.Struct, tag=True):
    """Where the machine code is, and for how much memory to prepare."""

    compiled: str
    memory_mb: int


class Run(msgspec.Struct, tag=True):
    """Code to run; of the files that it may read only the sizes are given."""

    code: str
    files: dict[str, int]
    tools: dict[str, bytes]
    seconds: float
    memory_mb: int
    output_bytes: int
    disk_bytes: int
    most_files: int


class Content(msgspec.Struct, tag=True):
    """A part of a file's bytes, or nothing where it cannot be read; an empty part is the last."""

    data: bytes | None


class Ready(msgspec.Struct, tag=True):
    """The worker can run code now."""


class Begun(msgspec.Struct, tag=True):
    """The code runs from now on."""


class Output(msgspec.Struct, tag=True):
    """Bytes that the code printed."""

    stream: str
    data: bytes


class Wanted(msgspec.Struct, tag=True):
    """The code opens this file."""

    name: str


class ToolRead(msgspec.Struct, tag=True):
    """The code reads or imports this tool."""

    name: str


class Grid(msgspec.Struct):
    """A table of texts."""

    columns: list[str]
    rows: list[list[str]]
    rows_in_all: int


class Done(msgspec.Struct, tag=True):
    """How the run ended."""

    status: str
    error: str = ""
    value: str = ""
    table: Grid | None = None
    figures: list[bytes] = []
    tools: dict[str, bytes] = {}
    removed: list[str] = []


ToWorker = Orders | Run | Content
FromWorker = Ready | Begun | Output | Wanted | ToolRead | Done
to_worker = msgspec.msgpack.Decoder(ToWorker)
from_worker = msgspec.msgpack.Decoder(FromWorker)


def packed(message: ToWorker | FromWorker) -> bytes:
    """Return a message as it is sent."""
    body = msgspec.msgpack.encode(message)
    return LENGTH.pack(len(body)) + body


def heard(source: BinaryIO) -> ToWorker | None:
    """Return the next message for a worker, or None when nobody speaks any more."""
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(head)
    body = source.read(size)
    return to_worker.decode(body) if len(body) == size else None
