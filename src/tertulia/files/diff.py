"""Two versions of a text, compared line by line."""

from difflib import SequenceMatcher, unified_diff
from typing import Any, BinaryIO, cast

from tertulia.files.errors import DiffTooLarge

DIFF_MAX_BYTES = 1_000_000
#: How many pairs of equal lines are looked at: the time it takes grows with them.
DIFF_EQUAL_LINE_PAIRS_MAX = 500_000
NO_LINE_END = "\n\\ No newline at end of file\n"


def read_diff_lines(text: BinaryIO) -> list[str]:
    """Return the lines of a text that is small enough to be compared, or raise."""
    data = text.read(DIFF_MAX_BYTES + 1)
    if len(data) > DIFF_MAX_BYTES:
        raise DiffTooLarge
    return data.decode(errors="replace").splitlines(keepends=True)


def diff_lines(old: list[str], new: list[str], *, old_name: str, new_name: str) -> str:
    """Return the changes in the unified form, empty where there are none."""
    # Where each line of `new` stands, without lines that are everywhere; the library's stubs leave it out.
    known: dict[str, list[int]] = cast("Any", SequenceMatcher(None, old, new)).b2j
    if sum(len(known.get(line, ())) for line in old) > DIFF_EQUAL_LINE_PAIRS_MAX:
        raise DiffTooLarge
    lines = unified_diff(old, new, fromfile=old_name, tofile=new_name)
    return "".join(line if line.endswith("\n") else line + NO_LINE_END for line in lines)
