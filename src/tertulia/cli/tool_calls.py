"""Calls of tools, as a terminal shows them: with nothing hidden in them, and their outcome in a line."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from tertulia.conversations.domain import ToolStatus
from tertulia.conversations.views import ToolCallView
from tertulia.core.plurals import count_noun

#: Counted as letters or marks, and yet not seen.
INVISIBLE_CHARACTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\U000e0100-\U000e01ef]"
)
CALL_OUTCOMES = {
    ToolStatus.DONE: "done",
    ToolStatus.FAILED: "failed",
    ToolStatus.DENIED: "denied",
    ToolStatus.EXPIRED: "nobody answered in time",
    ToolStatus.STOPPED: "stopped",
    ToolStatus.UNKNOWN: "nobody knows whether it ran",
}


@dataclass(frozen=True, slots=True)
class ToolCallState:
    """A tool that a model asked for, as far as was heard."""

    reply_id: str
    id: str
    name: str
    arguments: str
    status: ToolStatus
    ms: int | None = None
    #: What else it gave, each in a few words.
    output_summaries: tuple[str, ...] = ()

    @property
    def needs_approval(self) -> bool:
        """Tell whether it does not run before a person says yes."""
        return self.status is ToolStatus.WAITING

    @property
    def decision_path(self) -> str:
        """Return where the server takes the answer."""
        return f"/api/replies/{quote(self.reply_id, safe='')}/calls/{quote(self.id, safe='')}/decision"


def tool_call_state(reply_id: str, call: ToolCallView) -> ToolCallState:
    """Return a call as the server shows it."""
    return ToolCallState(
        reply_id=reply_id,
        id=call.id,
        name=call.name,
        arguments=call.arguments,
        status=call.status,
        ms=call.ms,
        output_summaries=tuple(summarise_outputs(call)),
    )


def summarise_outputs(call: ToolCallView) -> list[str]:
    """Say which tables, figures and files a call gave."""
    tables = [f"a table of {count_noun(table.rows_in_all, 'row')}" for table in call.tables]
    figures = [count_noun(len(call.attachments), "figure")] if call.attachments else []
    saved = [f"saved {file.path}, version {file.version}" for file in call.saved]
    return [*tables, *figures, *saved]


def describe_outcome(call: ToolCallState) -> str:
    """Say in one line what became of a call that is over."""
    took = "" if call.ms is None else f" in {call.ms} ms" if call.ms < 1000 else f" in {call.ms / 1000:.1f} s"
    return escape_invisible(
        " · ".join((f"{call.name}: {CALL_OUTCOMES[call.status]}{took}", *call.output_summaries))
    )


def format_arguments(call: ToolCallState) -> str:
    """Return a call with its arguments as they will be used, set in so that they look like nothing else."""
    lines = escape_invisible(call.arguments).split("\n")
    return "\n".join((f"  {escape_invisible(call.name)}", *(f"    {line}" for line in lines)))


def escape_invisible(text: str) -> str:
    """Return a text in which all that is not seen stands as JSON writes it, which means the same."""
    return "".join(character if is_visible(character) else escape_character(character) for character in text)


def is_visible(character: str) -> bool:
    """Tell whether a character is seen as what it is."""
    return character == "\n" or (character.isprintable() and not INVISIBLE_CHARACTERS.match(character))


def escape_character(character: str) -> str:
    """Write a character as JSON does."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
