"""Files that appear only once they are whole."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def write_atomically(target: Path) -> Generator[BinaryIO]:
    """Open a file beside the target: it takes the target's place at the end, or is removed."""
    draft = target.with_name(f".{target.name}.part")
    try:
        with draft.open("wb") as into:
            yield into
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
