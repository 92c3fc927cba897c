"""The process that reads a large import: `python -m tertulia.conversations.import_process`.

It reads its orders from standard input, limits itself, writes each round that is
sound as one line of JSON, and tells at the end what is around them, or what is wrong.
"""

import sys
from pathlib import Path

import msgspec

from tertulia.conversations.errors import ImportUnreadable
from tertulia.conversations.import_reader import ImportReader, RoundOutline, outline_round
from tertulia.files.extract.confinement import confine
from tertulia.files.extract.domain import ExtractionLimits

#: Line breaks of JSON stand between its parts alone, never in a string.
JSON_LINE_BREAKS = str.maketrans("\r\n", "  ")


class ImportRequest(msgspec.Struct, frozen=True):
    """What to read, where to write its rounds, and how much that may take."""

    source: str
    into: str
    memory: int
    seconds: float


class ImportVerdict(msgspec.Struct, frozen=True):
    """What is around the rounds as JSON, and their names; or what is wrong, and where."""

    document: str = ""
    outlines: list[RoundOutline] = []
    problem: str = ""
    where: str = ""


def main() -> None:
    """Read the file that the orders name, and tell what came of it."""
    request = msgspec.json.decode(sys.stdin.readline(), type=ImportRequest)
    text = Path(request.source).stat().st_size * 2
    confine(ExtractionLimits(seconds=request.seconds, memory=request.memory, text=text))
    sys.stdout.buffer.write(msgspec.json.encode(check_import(request)))


def check_import(request: ImportRequest) -> ImportVerdict:
    """Check a file, and write its rounds."""
    outlines: list[RoundOutline] = []
    try:
        reader = ImportReader(Path(request.source).read_bytes())
        with Path(request.into).open("w", encoding="utf-8") as into:
            for written, round_ in reader.rounds():
                into.write(f"{written.translate(JSON_LINE_BREAKS)}\n")
                outlines.append(outline_round(round_))
    except ImportUnreadable as error:
        return ImportVerdict(problem=error.message, where=str(error.data.get("where", "")))
    except MemoryError:
        return ImportVerdict(problem="The file cannot be imported: one of its rounds needs too much memory.")
    document = reader.document.model_dump_json() if reader.document else ""
    return ImportVerdict(document, outlines)


if __name__ == "__main__":
    main()
