"""The process that reads one file that nobody vouches for: `python -m tertulia.files.extract.process`.

It limits itself and tells of a page as soon as its text is on disk, and at the
end a verdict. When it dies before that, whoever started it keeps what was written
until then.
"""

import importlib
import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from tertulia.files.extract.confinement import confine
from tertulia.files.extract.domain import PageStart
from tertulia.files.extract.errors import FileTextCut, TextUnreadable
from tertulia.files.extract.file_kinds import Media
from tertulia.files.extract.frames import ExtractedPage, ExtractionRequest, ExtractionVerdict
from tertulia.files.extract.text_sink import TextSink, format_bytes, to_one_line
from tertulia.infra.child.server_pipe import ServerPipe

FileReader = Callable[..., None]
READER_FUNCTIONS = {
    Media.PDF: ("pdf", "read_pdf"),
    Media.DOCUMENT: ("word", "read_document"),
    Media.SLIDES: ("slides", "read_slides"),
    Media.SHEET: ("sheets", "read_sheets"),
    Media.HTML: ("webpage", "read_webpage"),
}


def main() -> None:
    """Read the file that the server names, and tell what came of it."""
    pipe = ServerPipe()
    request = pipe.receive(msgspec.msgpack.Decoder(ExtractionRequest))
    pipe.exit_with_server()
    confine(request.limits)
    pipe.send(extract_text(request, lambda page: pipe.send(ExtractedPage(page.label, page.start_line))))
    # Libraries need not clean up after a file that may have hurt them.
    os._exit(0)


def extract_text(request: ExtractionRequest, report_page: Callable[[PageStart], None]) -> ExtractionVerdict:
    """Write the file's text; return its title and what went wrong."""
    limits, reader = request.limits, load_reader(request.media)
    problem, sink = "", TextSink(Path(request.into), limits=limits, report_page=report_page)
    try:
        with sink:
            reader(Path(request.source), sink, limits=limits)
    except (FileTextCut, TextUnreadable) as error:
        problem = error.message
    except (MemoryError, RecursionError):
        problem = (
            f"The file needs more than {format_bytes(limits.memory_bytes)} of memory,"
            " so not all of it was read."
        )
    return ExtractionVerdict(to_one_line(sink.title), problem)


def load_reader(media: Media) -> FileReader:
    """Return what reads this kind of file; only that is imported, so that the start is quick."""
    module, name = READER_FUNCTIONS[media]
    return getattr(importlib.import_module(f"tertulia.files.extract.{module}"), name)


if __name__ == "__main__":
    main()
