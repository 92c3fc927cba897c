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

from tertulia.files.extract.confine import confine
from tertulia.files.extract.domain import Limits, Page
from tertulia.files.extract.errors import Cut, Unreadable
from tertulia.files.extract.media import Media
from tertulia.files.extract.sink import Sink, one_line, size_of

Reader = Callable[..., None]
READERS = {
    Media.PDF: ("pdf", "read_pdf"),
    Media.DOCUMENT: ("word", "read_document"),
    Media.SLIDES: ("slides", "read_slides"),
    Media.SHEET: ("sheets", "read_sheets"),
    Media.HTML: ("webpage", "read_webpage"),
}


def main() -> None:
    """Read the file that the orders name, and tell what came of it."""
    orders = json.loads(sys.stdin.readline())
    limits = Limits(**orders["limits"])
    answers = take_over_output()
    confine(limits)

    def tell(answer: dict[str, Any]) -> None:
        os.write(answers, f"{json.dumps(answer)}\n".encode())

    tell(read(orders, limits, lambda page: tell(asdict(page))))
    # Libraries need not clean up after a file that may have hurt them.
    os._exit(0)


def take_over_output() -> int:
    """Return a way to answer, and silence the libraries, which write where they like."""
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return answers


def read(orders: dict[str, Any], limits: Limits, told: Callable[[Page], None]) -> dict[str, str]:
    """Write the file's text; return its title and what went wrong."""
    reader = reader_for(Media(orders["media"]))
    problem, sink = "", Sink(Path(orders["into"]), limits=limits, told=told)
    try:
        with sink:
            reader(Path(orders["source"]), sink, limits=limits)
    except (Cut, Unreadable) as error:
        problem = error.message
    except (MemoryError, RecursionError):
        problem = f"The file needs more than {size_of(limits.memory)} of memory, so not all of it was read."
    return {"title": one_line(sink.title), "problem": problem}


def reader_for(media: Media) -> Reader:
    """Return what reads this kind of file; only that is imported, so that the start is quick."""
    module, name = READERS[media]
    return getattr(importlib.import_module(f"tertulia.files.extract.{module}"), name)


if __name__ == "__main__":
    main()
