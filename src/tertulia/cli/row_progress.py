"""How far a copy of rows has come: how many a second, and how long it may still take."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from tertulia.cli.output import ProgressCallback, console, print_to_stderr, progress_bar

#: How often a line is written where there is no terminal to draw on.
PROGRESS_LINE_SECONDS = 10.0


class RowProgressReporter:
    """Adds speed and time left to what is shown, and writes a line now and then to a log."""

    def __init__(
        self, show: ProgressCallback, *, is_drawn: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._show = show
        self._is_drawn = is_drawn
        self._clock = clock
        self._began_at = self._said_at = clock()

    def __call__(self, step: str, done: int, total: int) -> None:
        """Show that `done` of `total` rows are done."""
        now = self._clock()
        text = describe_speed(step, done, total, seconds=now - self._began_at)
        self._show(text, done, total)
        if not self._is_drawn and now - self._said_at >= PROGRESS_LINE_SECONDS:
            self._said_at = now
            print_to_stderr(f"{text}: {done:,} of {total:,} rows")


def describe_speed(step: str, done: int, total: int, *, seconds: float) -> str:
    """Return a step with its speed and the time left; the step alone until there is a speed."""
    if not done or seconds <= 0:
        return step
    speed = done / seconds
    return f"{step}, {speed:,.0f} rows/s, {describe_duration((total - done) / speed)} left"


def describe_duration(seconds: float) -> str:
    """Return a time in the unit in which people would say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


@contextmanager
def row_progress() -> Generator[RowProgressReporter]:
    """Draw the progress of rows on a terminal, or write a line of it every few seconds."""
    with progress_bar() as show:
        yield RowProgressReporter(show, is_drawn=console(err=True).is_terminal)
