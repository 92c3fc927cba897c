"""Calls of tools, as a terminal shows them: with nothing hidden in them, and their outcome in a line."""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tertulia.conversations.domain import ToolStatus
from tertulia.core.wording import counted

#: Counted as letters or marks, and yet not seen.
BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\U000e0100-\U000e01ef]")
ENDED = {
    ToolStatus.DONE: "done",
    ToolStatus.FAILED: "failed",
    ToolStatus.DENIED: "denied",
    ToolStatus.EXPIRED: "nobody answered in time",
    ToolStatus.STOPPED: "stopped",
    ToolStatus.UNKNOWN: "nobody knows whether it ran",
}


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that a model asked for, as far as was heard."""

    reply_id: str
    id: str
    name: str
    arguments: str
    status: ToolStatus
    ms: int | None = None
    #: What else it gave, each in a few words.
    gave: tuple[str, ...] = ()

    @property
    def waits(self) -> bool:
        """Tell whether it does not run before a person says yes."""
        return self.status is ToolStatus.WAITING

    @property
    def place(self) -> str:
        """Return where the server takes the answer."""
        return f"/api/replies/{quote(self.reply_id, safe='')}/calls/{quote(self.id, safe='')}/decision"


def call_of(reply_id: str, view: dict[str, Any]) -> Call:
    """Return a call as the server shows it."""
    return Call(
        reply_id=reply_id,
        id=view["id"],
        name=view["name"],
        arguments=view["arguments"],
        status=ToolStatus(view.get("status", "done")),
        ms=view.get("ms"),
        gave=tuple(given(view)),
    )


def given(view: dict[str, Any]) -> list[str]:
    """Say which tables, figures and files a call gave."""
    tables = [f"a table of {counted(table['rows_in_all'], 'row')}" for table in view.get("tables", ())]
    figures = [counted(len(drawn), "figure")] if (drawn := view.get("attachments")) else []
    saved = [f"saved {file['path']}, version {file['version']}" for file in view.get("saved", ())]
    return [*tables, *figures, *saved]


def outcome(call: Call) -> str:
    """Say in one line what became of a call that is over."""
    took = "" if call.ms is None else f" in {call.ms} ms" if call.ms < 1000 else f" in {call.ms / 1000:.1f} s"
    return visible(" · ".join((f"{call.name}: {ENDED[call.status]}{took}", *call.gave)))


def exactly(call: Call) -> str:
    """Return a call with its arguments as they will be used, set in so that they look like nothing else."""
    lines = visible(call.arguments).split("\n")
    return "\n".join((f"  {visible(call.name)}", *(f"    {line}" for line in lines)))


def visible(text: str) -> str:
    """Return a text in which all that is not seen stands as JSON writes it, which means the same."""
    return "".join(one if is_seen(one) else escaped(one) for one in text)


def is_seen(character: str) -> bool:
    """Tell whether a character is seen as what it is."""
    return character == "\n" or (character.isprintable() and not BLANK.match(character))


def escaped(character: str) -> str:
    """Write a character as JSON does."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
