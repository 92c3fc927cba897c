"""Which files a text names."""

import re
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar


class WithPath(Protocol):
    """Something that lies at a path."""

    @property
    def path(self) -> str:
        """Return where it lies."""
        ...


F = TypeVar("F", bound=WithPath)


def find_mentions(text: str, files: Iterable[F]) -> Iterator[F]:
    """Yield the files whose names stand in a text, with their folders or without."""
    for file in files:
        name = file.path.rpartition("/")[2]
        # Looking for plain text first is what makes this fast where there are thousands of files.
        if name in text and is_standalone(name, text):
            yield file


def is_standalone(file_name: str, text: str) -> bool:
    """Tell whether a name is more than a part of a longer word; a line end may be written as `\\n`."""
    return re.search(rf"(?:(?<!\w)|(?<=\\[nrt])){re.escape(file_name)}(?!\w)", text) is not None
