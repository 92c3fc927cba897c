"""The process that reads a large import: `python -m tertulia.conversations.import_process`.

It limits itself, writes each round that is sound as one line of JSON, and tells at
the end what is around them, or what is wrong.
"""

from pathlib import Path

import msgspec

from tertulia.conversations.errors import ImportUnreadable
from tertulia.conversations.import_reader import ImportReader, RoundOutline, outline_round
from tertulia.files.extract.confinement import confine
from tertulia.files.extract.limits import ExtractionLimits
from tertulia.infra.child.server_pipe import ServerPipe

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
    """Read the file that the server names, and tell what came of it."""
    pipe = ServerPipe()
    request = pipe.receive(msgspec.msgpack.Decoder(ImportRequest))
    pipe.exit_with_server()
    text = Path(request.source).stat().st_size * 2
    confine(ExtractionLimits(seconds=request.seconds, memory_bytes=request.memory, text_bytes=text))
    pipe.send(check_import(request))


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
