"""Replies as plain text: one alone as it is, several under their names, each written once."""

from collections.abc import Callable
from dataclasses import replace

from tertulia.cli.round_state import LaneState, RoundState
from tertulia.cli.tool_calls import CALL_OUTCOMES, describe_outcome

WriteText = Callable[[str], object]


class PlainWriter:
    """Writes a round as it grows: the first lane as it comes, then the next, so that nothing mixes."""

    def __init__(self, write: WriteText, *, stream: bool) -> None:
        self._write = write
        self._stream = stream
        self._lane = 0
        self._written = 0
        self._labelled = False
        self._ends_line = True

    def write_new(self, round_state: RoundState) -> None:
        """Write what is new."""
        while self._lane < len(round_state.lanes):
            lane = round_state.lanes[self._lane]
            over = lane.is_final or round_state.closed
            if over or self._stream:
                self._write_lane(lane, labelled=len(round_state.lanes) > 1)
            if not over:
                return
            self._end_lane()

    def write_whole(self, round_state: RoundState) -> None:
        """Write what is new of a round that nobody listens to any longer."""
        self.write_new(replace(round_state, closed=True))

    def _write_lane(self, lane: LaneState, *, labelled: bool) -> None:
        new = lane.text[self._written :]
        if labelled and not self._labelled and (new or lane.is_final):
            self._put(f"## {lane.name}\n\n" if self._lane == 0 else f"\n## {lane.name}\n\n")
            self._labelled = True
        self._put(new)
        self._written += len(new)

    def end_line(self) -> None:
        """Let what follows begin on a new line."""
        if not self._ends_line:
            self._put("\n")

    def _end_lane(self) -> None:
        self.end_line()
        self._lane += 1
        self._written = 0
        self._labelled = False

    def _put(self, text: str) -> None:
        if text:
            self._write(text)
            self._ends_line = text.endswith("\n")


def tool_outcome_lines(round_state: RoundState) -> list[str]:
    """Return a line for each tool that was used."""
    over = [(lane, call) for lane in round_state.lanes for call in lane.calls if call.status in CALL_OUTCOMES]
    return [f"{lane.name}: {describe_outcome(call)}" for lane, call in over]


def failure_lines(round_state: RoundState) -> list[str]:
    """Return a sentence for each lane that failed or was cut short."""
    return [f"{lane.name}: {failure_reason(lane)}" for lane in round_state.lanes if lane.has_failed]


def failure_reason(lane: LaneState) -> str:
    """Say why a lane has no whole reply."""
    return lane.error or f"The reply was {lane.status.value}."
