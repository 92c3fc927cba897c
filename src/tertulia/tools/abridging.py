"""A result that is too long for a prompt: its beginning and its end, and where to read the rest."""

from dataclasses import replace

from tertulia.models.quoting import up_to_line
from tertulia.tools.domain import Result

#: Characters of one result that a model is given, and that are kept.
LARGEST = 20_000
MOST_KEPT = 20_000_000


def abridged(result: Result, rest: str, *, most: int = LARGEST) -> Result:
    """Return a result of which a model is given no more than it may be; `rest` says how to get the rest."""
    text = result.text
    if len(text) <= most:
        return result
    head, tail = up_to_line(text, most * 2 // 3), from_line(text, most // 4)
    note = (
        f"[Cut: of {len(text):,} characters ({text.count(chr(10)) + 1:,} lines) these are the first "
        f"{len(head):,}, and after this note the last {len(tail):,}. {rest}]"
    )
    return replace(result, text=f"{head}\n{note}\n{tail}", whole=result.whole or text[:MOST_KEPT])


def from_line(text: str, most: int) -> str:
    """Return the whole lines at the end of a text that fit; where a line is very long, what fits."""
    lines = text[-most:].partition("\n")[2]
    return lines if len(lines) > most // 2 else text[-most:]
