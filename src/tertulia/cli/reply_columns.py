"""Replies side by side on a terminal; one above the other where it is narrow."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tertulia.cli.output import strip_control_characters
from tertulia.cli.plain_output import failure_reason
from tertulia.cli.round_state import LaneState, RoundState
from tertulia.cli.tool_calls import CALL_OUTCOMES as CALLS_ENDED
from tertulia.cli.tool_calls import describe_outcome
from tertulia.conversations.domain import ReplyStatus

#: A column that is narrower cannot be read.
COLUMN_MIN_WIDTH = 36
PENDING_LABELS = {
    ReplyStatus.QUEUED: "waits",
    ReplyStatus.RUNNING: "writes",
    ReplyStatus.WAITING: "waits for your yes",
}
FINAL_LABELS = {
    ReplyStatus.DONE: "",
    ReplyStatus.STOPPED: "stopped",
    ReplyStatus.INTERRUPTED: "interrupted",
    ReplyStatus.FAILED: "failed",
}


def fits_side_by_side(count: int, width: int) -> bool:
    """Tell whether so many columns fit."""
    return count > 1 and width // count >= COLUMN_MIN_WIDTH


@dataclass(frozen=True, slots=True)
class LiveView:
    """The ends of the replies, as much of each as the screen has room for; laid out only when drawn."""

    round_state: RoundState

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lanes, width = self.round_state.lanes, options.max_width
        beside = fits_side_by_side(len(lanes), width)
        room = console.height - 2 if beside else (console.height - 2) // max(1, len(lanes)) - 2
        column = width // len(lanes) - 2 if beside else width
        yield arrange_cells(
            [live_lane(lane, width=column, max_rows=max(2, room)) for lane in lanes], is_side_by_side=beside
        )


def final_view(round_state: RoundState, *, width: int) -> RenderableType:
    """Draw the replies whole."""
    beside = fits_side_by_side(len(round_state.lanes), width)
    return arrange_cells([final_lane(lane) for lane in round_state.lanes], is_side_by_side=beside)


def arrange_cells(cells: Sequence[RenderableType], *, is_side_by_side: bool) -> RenderableType:
    """Put cells beside or below one another."""
    if not is_side_by_side:
        return Group(*(Padding(cell, (0, 0, 1, 0)) for cell in cells))
    grid = Table.grid(padding=(0, 2), expand=True)
    for _ in cells:
        grid.add_column(ratio=1)
    grid.add_row(*cells)
    return grid


def live_lane(lane: LaneState, *, width: int, max_rows: int) -> RenderableType:
    """Draw the last lines of one reply under its name."""
    return Group(
        lane_title(lane),
        Text("\n".join(last_rows(strip_control_characters(lane.text), width=width, max_rows=max_rows))),
    )


def last_rows(text: str, *, width: int, max_rows: int) -> list[str]:
    """Return the end of a text, folded to rows that fit."""
    rows: list[str] = []
    for line in text[-width * max_rows :].split("\n"):
        rows += textwrap.wrap(line, width, drop_whitespace=False, replace_whitespace=False) or [""]
    return rows[-max_rows:]


def final_lane(lane: LaneState) -> RenderableType:
    """Draw one reply under its name and what its tools did, and why it ended if it did not end well."""
    over = [call for call in lane.calls if call.status in CALLS_ENDED]
    parts: list[RenderableType] = [
        lane_title(lane),
        *(Text(describe_outcome(call), style="dim") for call in over),
    ]
    if lane.text.strip():
        parts.append(Markdown(strip_control_characters(lane.text), hyperlinks=False))
    if lane.has_failed:
        parts.append(Text(strip_control_characters(failure_reason(lane)), style="red"))
    return Group(*parts)


def lane_title(lane: LaneState) -> Text:
    """Return a lane's name and where it stands."""
    title = Text(strip_control_characters(lane.name), style="bold cyan")
    if state := lane_status_text(lane):
        title.append(f"  {strip_control_characters(state)}", style="dim")
    return title


def lane_status_text(lane: LaneState) -> str:
    """Say in a word or two where a reply stands; what it cost once it is done."""
    if not lane.is_final:
        return lane.note or ("thinks" if lane.thinking else PENDING_LABELS[lane.status])
    kind = "" if lane.kind == "answer" else lane.kind
    about = "about " if lane.cost_is_estimate else ""
    cost = f"{about}${lane.cost:.4f}" if lane.cost else ""
    return ", ".join(part for part in (kind, FINAL_LABELS[lane.status], cost) if part)
