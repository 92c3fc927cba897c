"""Tertulia with a sampling profiler inside: `python -m bench.sampling serve …`.

A thread looks at what every other thread is doing, many times a second, and
every second writes what it saw so far to `BENCH_SAMPLES`: a signal may end the
process at any time.
"""

import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from types import FrameType

import msgspec

EVERY = 0.002
SAVED_EVERY = 250
#: Where a thread is when it has nothing to do.
IDLE = {
    "wait",
    "get",
    "_worker",
    "run",
    "select",
    "_next_group",
    "_watch",
    "run_until_complete",
    "run_forever",
}


class Samples(msgspec.Struct):
    """How often each function was seen: working itself, or waiting for what it called."""

    looks: int
    itself: dict[str, int]
    within: dict[str, int]


class Sampler:
    """Looks, and counts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._looks = 0
        self._itself: Counter[str] = Counter()
        self._within: Counter[str] = Counter()
        self._thread = threading.Thread(target=self._watch, name="sampler", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def _watch(self) -> None:
        own = threading.get_ident()
        while True:
            time.sleep(EVERY)
            self._looks += 1
            # There is no public way to see the frames of other threads.
            for ident, frame in sys._current_frames().items():  # noqa: SLF001 - the one way to see threads
                if ident != own and frame.f_code.co_name not in IDLE:
                    self._count(frame)
            if self._looks % SAVED_EVERY == 0:
                self._path.write_bytes(msgspec.json.encode(Samples(self._looks, self._itself, self._within)))

    def _count(self, frame: FrameType) -> None:
        self._itself[named(frame)] += 1
        seen: set[str] = set()
        at: FrameType | None = frame
        while at is not None:
            seen.add(named(at))
            at = at.f_back
        self._within.update(seen)


def named(frame: FrameType) -> str:
    """Return a function's place, short enough to read."""
    place = Path(frame.f_code.co_filename)
    return f"{'/'.join(place.parts[-3:])}:{frame.f_code.co_qualname}"


def main() -> None:
    """Run the command line under the sampler."""
    Sampler(Path(os.environ["BENCH_SAMPLES"])).start()
    from tertulia.cli import main as tertulia  # noqa: PLC0415 - its import is part of what is looked at

    tertulia()


if __name__ == "__main__":
    main()
