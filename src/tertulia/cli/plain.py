"""Replies as plain text: one alone as it is, several under their names, each written once."""

from collections.abc import Callable

from tertulia.cli.calls import ENDED, outcome
from tertulia.cli.hearing import Hearing, Lane

Write = Callable[[str], object]


class PlainWriter:
    """Writes a hearing as it grows: the first lane as it comes, then the next, so that nothing mixes."""

    def __init__(self, write: Write, *, stream: bool) -> None:
        self._write = write
        self._stream = stream
        self._lane = 0
        self._written = 0
        self._labelled = False
        self._ends_line = True

    def show(self, hearing: Hearing) -> None:
        """Write what is new."""
        while self._lane < len(hearing.lanes):
            lane = hearing.lanes[self._lane]
            over = lane.is_final or hearing.closed
            if over or self._stream:
                self._write_lane(lane, labelled=len(hearing.lanes) > 1)
            if not over:
                return
            self._end_lane()

    def _write_lane(self, lane: Lane, *, labelled: bool) -> None:
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


def outcomes(hearing: Hearing) -> list[str]:
    """Return a line for each tool that was used."""
    over = [(lane, call) for lane in hearing.lanes for call in lane.calls if call.status in ENDED]
    return [f"{lane.name}: {outcome(call)}" for lane, call in over]


def problems(hearing: Hearing) -> list[str]:
    """Return a sentence for each lane that failed or was cut short."""
    return [f"{lane.name}: {reason(lane)}" for lane in hearing.lanes if lane.failed]


def reason(lane: Lane) -> str:
    """Say why a lane has no whole reply."""
    return lane.error or f"The reply was {lane.status.value}."
