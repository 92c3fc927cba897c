"""Saying how far a long run has come: one line that changes in a terminal, a line now and then elsewhere."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TextIO, TypeVar

T = TypeVar("T")
#: How often something is said, to a person who watches and to a file.
WATCHED_SECONDS, WRITTEN_SECONDS = 0.1, 10.0
WIDTH = 24


@dataclass(slots=True)
class Progress:
    """Tells of one step after the other. Goes to standard error, so that results can be piped."""

    out: TextIO = field(default_factory=lambda: sys.stderr)
    _step: str = ""
    _began: float = 0.0
    _said: float = 0.0

    def tell(self, step: str, done: int, total: int) -> None:
        """Say how far a step has come; its end is always said."""
        now = monotonic()
        if step != self._step:
            self._step, self._began, self._said = step, now, 0.0
        watched = self.out.isatty()
        if done < total and now - self._said < (WATCHED_SECONDS if watched else WRITTEN_SECONDS):
            return
        self._said = now
        filled = WIDTH * done // max(total, 1)
        line = f"{step:<26} {'█' * filled:<{WIDTH}} {done:>6} of {total} {now - self._began:6.0f} s"
        self.out.write(f"\r{line}" + ("" if watched and done < total else "\n"))
        self.out.flush()

    def track(self, items: Sequence[T], step: str) -> Iterator[T]:
        """Yield items, telling how many are done."""
        for done, one in enumerate(items):
            self.tell(step, done, len(items))
            yield one
        self.tell(step, len(items), len(items))
