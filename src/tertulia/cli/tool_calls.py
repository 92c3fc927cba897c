"""Calls of tools, as a terminal shows them: with nothing hidden in them, and their outcome in a line."""

from dataclasses import dataclass
from urllib.parse import quote

from tertulia.conversations.domain import ToolStatus
from tertulia.conversations.views import ToolCallView
from tertulia.core.invisible_characters import escape_invisible
from tertulia.core.plurals import count_noun

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
    #: What the arguments come to, as a person reads them.
    summary: str = ""
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
        summary=call.summary,
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
    lines = [
        line for text in (call.summary, call.arguments) if text for line in escape_invisible(text).split("\n")
    ]
    return "\n".join((f"  {escape_invisible(call.name)}", *(f"    {line}" for line in lines)))
