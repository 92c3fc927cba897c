"""Two versions of a text, compared line by line."""

from difflib import SequenceMatcher, unified_diff
from typing import Any, BinaryIO, cast

from tertulia.files.errors import DiffTooLarge

LARGEST = 1_000_000
#: How many pairs of equal lines are looked at: the time it takes grows with them.
MOST_PAIRS = 500_000
NO_LINE_END = "\n\\ No newline at end of file\n"


def read_whole(text: BinaryIO) -> list[str]:
    """Return the lines of a text that is small enough to be compared, or raise."""
    data = text.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise DiffTooLarge
    return data.decode(errors="replace").splitlines(keepends=True)


def unified(old: list[str], new: list[str], *, old_name: str, new_name: str) -> str:
    """Return the changes in the unified form, empty where there are none."""
    # Where each line of `new` stands, without lines that are everywhere; the library's stubs leave it out.
    known: dict[str, list[int]] = cast("Any", SequenceMatcher(None, old, new)).b2j
    if sum(len(known.get(line, ())) for line in old) > MOST_PAIRS:
        raise DiffTooLarge
    lines = unified_diff(old, new, fromfile=old_name, tofile=new_name)
    return "".join(line if line.endswith("\n") else line + NO_LINE_END for line in lines)
