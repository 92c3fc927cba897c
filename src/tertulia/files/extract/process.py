"""The process that reads one file that nobody vouches for: `python -m tertulia.files.extract.process`.

It reads its orders from standard input, limits itself, and answers in lines of
JSON: a page as soon as its text is on disk, and at the end a verdict. When it
dies before that, whoever started it keeps what was written until then.
"""

import importlib
import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tertulia.files.extract.confinement import confine
from tertulia.files.extract.domain import ExtractionLimits, PageStart
from tertulia.files.extract.errors import FileTextCut, TextUnreadable
from tertulia.files.extract.file_kinds import Media
from tertulia.files.extract.text_sink import TextSink, format_bytes, to_one_line

FileReader = Callable[..., None]
READER_FUNCTIONS = {
    Media.PDF: ("pdf", "read_pdf"),
    Media.DOCUMENT: ("word", "read_document"),
    Media.SLIDES: ("slides", "read_slides"),
    Media.SHEET: ("sheets", "read_sheets"),
    Media.HTML: ("webpage", "read_webpage"),
}


def main() -> None:
    """Read the file that the orders name, and tell what came of it."""
    orders = json.loads(sys.stdin.readline())
    limits = ExtractionLimits(**orders["limits"])
    answers = redirect_output()
    confine(limits)

    def tell(answer: dict[str, Any]) -> None:
        os.write(answers, f"{json.dumps(answer)}\n".encode())

    tell(extract_text(orders, limits, lambda page: tell(asdict(page))))
    # Libraries need not clean up after a file that may have hurt them.
    os._exit(0)


def redirect_output() -> int:
    """Return a way to answer, and silence the libraries, which write where they like."""
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return answers


def extract_text(
    orders: dict[str, Any], limits: ExtractionLimits, report_page: Callable[[PageStart], None]
) -> dict[str, str]:
    """Write the file's text; return its title and what went wrong."""
    reader = load_reader(Media(orders["media"]))
    problem, sink = "", TextSink(Path(orders["into"]), limits=limits, report_page=report_page)
    try:
        with sink:
            reader(Path(orders["source"]), sink, limits=limits)
    except (FileTextCut, TextUnreadable) as error:
        problem = error.message
    except (MemoryError, RecursionError):
        problem = (
            f"The file needs more than {format_bytes(limits.memory)} of memory, so not all of it was read."
        )
    return {"title": to_one_line(sink.title), "problem": problem}


def load_reader(media: Media) -> FileReader:
    """Return what reads this kind of file; only that is imported, so that the start is quick."""
    module, name = READER_FUNCTIONS[media]
    return getattr(importlib.import_module(f"tertulia.files.extract.{module}"), name)


if __name__ == "__main__":
    main()
