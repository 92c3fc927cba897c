"""Replies side by side on a terminal; one above the other where it is narrow."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tertulia.cli.calls import ENDED as CALLS_ENDED
from tertulia.cli.calls import outcome
from tertulia.cli.hearing import Hearing, Lane
from tertulia.cli.output import harmless
from tertulia.cli.plain import reason
from tertulia.conversations.domain import ReplyStatus

#: A column that is narrower cannot be read.
NARROWEST = 36
WAITING = {
    ReplyStatus.QUEUED: "waits",
    ReplyStatus.RUNNING: "writes",
    ReplyStatus.WAITING: "waits for your yes",
}
ENDED = {
    ReplyStatus.DONE: "",
    ReplyStatus.STOPPED: "stopped",
    ReplyStatus.INTERRUPTED: "interrupted",
    ReplyStatus.FAILED: "failed",
}


def side_by_side(count: int, width: int) -> bool:
    """Tell whether so many columns fit."""
    return count > 1 and width // count >= NARROWEST


@dataclass(frozen=True, slots=True)
class LiveView:
    """The ends of the replies, as much of each as the screen has room for; laid out only when drawn."""

    hearing: Hearing

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lanes, width = self.hearing.lanes, options.max_width
        beside = side_by_side(len(lanes), width)
        room = console.height - 2 if beside else (console.height - 2) // max(1, len(lanes)) - 2
        column = width // len(lanes) - 2 if beside else width
        yield arranged([live_lane(lane, width=column, room=max(2, room)) for lane in lanes], beside=beside)


def whole_view(hearing: Hearing, *, width: int) -> RenderableType:
    """Draw the replies whole."""
    beside = side_by_side(len(hearing.lanes), width)
    return arranged([whole_lane(lane) for lane in hearing.lanes], beside=beside)


def arranged(cells: Sequence[RenderableType], *, beside: bool) -> RenderableType:
    """Put cells beside or below one another."""
    if not beside:
        return Group(*(Padding(cell, (0, 0, 1, 0)) for cell in cells))
    grid = Table.grid(padding=(0, 2), expand=True)
    for _ in cells:
        grid.add_column(ratio=1)
    grid.add_row(*cells)
    return grid


def live_lane(lane: Lane, *, width: int, room: int) -> RenderableType:
    """Draw the last lines of one reply under its name."""
    return Group(heading(lane), Text("\n".join(last_rows(harmless(lane.text), width=width, room=room))))


def last_rows(text: str, *, width: int, room: int) -> list[str]:
    """Return the end of a text, folded to rows that fit."""
    rows: list[str] = []
    for line in text[-width * room :].split("\n"):
        rows += textwrap.wrap(line, width, drop_whitespace=False, replace_whitespace=False) or [""]
    return rows[-room:]


def whole_lane(lane: Lane) -> RenderableType:
    """Draw one reply under its name and what its tools did, and why it ended if it did not end well."""
    over = [call for call in lane.calls if call.status in CALLS_ENDED]
    parts: list[RenderableType] = [heading(lane), *(Text(outcome(call), style="dim") for call in over)]
    if lane.text.strip():
        parts.append(Markdown(harmless(lane.text), hyperlinks=False))
    if lane.failed:
        parts.append(Text(harmless(reason(lane)), style="red"))
    return Group(*parts)


def heading(lane: Lane) -> Text:
    """Return a lane's name and where it stands."""
    title = Text(harmless(lane.name), style="bold cyan")
    if state := state_of(lane):
        title.append(f"  {harmless(state)}", style="dim")
    return title


def state_of(lane: Lane) -> str:
    """Say in a word or two where a reply stands; what it cost once it is done."""
    if not lane.is_final:
        return lane.note or ("thinks" if lane.thinking else WAITING[lane.status])
    kind = "" if lane.kind == "answer" else lane.kind
    about = "about " if lane.cost_is_estimate else ""
    cost = f"{about}${lane.cost:.4f}" if lane.cost else ""
    return ", ".join(part for part in (kind, ENDED[lane.status], cost) if part)
