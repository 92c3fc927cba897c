"""A result that is too long for a prompt: its beginning and its end, and where to read the rest."""

from dataclasses import replace

from tertulia.models.prompt_frames import truncate_at_line_end
from tertulia.tools.domain import ToolOutput

#: Characters of one result that a model is given, and that are kept.
TOOL_OUTPUT_MAX_CHARS = 20_000
STORED_TOOL_OUTPUT_MAX_CHARS = 20_000_000


def truncate_output(result: ToolOutput, rest: str, *, max_chars: int = TOOL_OUTPUT_MAX_CHARS) -> ToolOutput:
    """Return a result of which a model is given no more than it may be; `rest` says how to get the rest."""
    text = result.text
    if len(text) <= max_chars:
        return result
    head, tail = truncate_at_line_end(text, max_chars * 2 // 3), last_lines(text, max_chars // 4)
    note = (
        f"[Cut: of {len(text):,} characters ({text.count(chr(10)) + 1:,} lines) these are the first "
        f"{len(head):,}, and after this note the last {len(tail):,}. {rest}]"
    )
    return replace(
        result, text=f"{head}\n{note}\n{tail}", whole=result.whole or text[:STORED_TOOL_OUTPUT_MAX_CHARS]
    )


def last_lines(text: str, max_chars: int) -> str:
    """Return the whole lines at the end of a text that fit; where a line is very long, what fits."""
    lines = text[-max_chars:].partition("\n")[2]
    return lines if len(lines) > max_chars // 2 else text[-max_chars:]
