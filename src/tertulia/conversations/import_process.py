"""The process that reads a large import: `python -m tertulia.conversations.import_process`.

It reads its orders from standard input, limits itself, writes each round that is
sound as one line of JSON, and tells at the end what is around them, or what is wrong.
"""

import sys
from pathlib import Path

import msgspec

from tertulia.conversations.errors import ImportUnreadable
from tertulia.conversations.import_reading import ImportReader, RoundOutline, outline_of
from tertulia.files.extract.confine import confine
from tertulia.files.extract.domain import Limits

#: Line breaks of JSON stand between its parts alone, never in a string.
LINE_BREAKS = str.maketrans("\r\n", "  ")


class ImportOrders(msgspec.Struct, frozen=True):
    """What to read, where to write its rounds, and how much that may take."""

    source: str
    into: str
    memory: int
    seconds: float


class Verdict(msgspec.Struct, frozen=True):
    """What is around the rounds as JSON, and their names; or what is wrong, and where."""

    document: str = ""
    outlines: list[RoundOutline] = []
    problem: str = ""
    where: str = ""


def main() -> None:
    """Read the file that the orders name, and tell what came of it."""
    orders = msgspec.json.decode(sys.stdin.readline(), type=ImportOrders)
    text = Path(orders.source).stat().st_size * 2
    confine(Limits(seconds=orders.seconds, memory=orders.memory, text=text))
    sys.stdout.buffer.write(msgspec.json.encode(read(orders)))


def read(orders: ImportOrders) -> Verdict:
    """Check a file, and write its rounds."""
    outlines: list[RoundOutline] = []
    try:
        reader = ImportReader(Path(orders.source).read_bytes())
        with Path(orders.into).open("w", encoding="utf-8") as into:
            for written, round_ in reader.rounds():
                into.write(f"{written.translate(LINE_BREAKS)}\n")
                outlines.append(outline_of(round_))
    except ImportUnreadable as error:
        return Verdict(problem=error.message, where=str(error.data.get("where", "")))
    except MemoryError:
        return Verdict(problem="The file cannot be imported: one of its rounds needs too much memory.")
    document = reader.document.model_dump_json() if reader.document else ""
    return Verdict(document, outlines)


if __name__ == "__main__":
    main()
