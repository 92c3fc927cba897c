"""Time: always UTC, kept to the millisecond, and stored as milliseconds since 1970.

The machine's clock may be set back or ahead at any time. `now` is for moments that are stored and
shown: it does not go back with a clock that is set back by up to two days, but goes on at half the
speed until that clock has caught up, so that what happened later also bears the later moment.
`uptime` is for leases and for waiting: it knows nothing of the machine's clock, and is the same in all its
processes. Where processes of several machines share a database server, `now` follows its clock instead of the
machine's own: they would disagree on what happened first.
"""

import threading
import time
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
#: A clock that is set back by more was wrong before, and is followed.
CLOCK_SET_BACK_MAX_MS = 48 * 3600 * 1000
#: How fast time goes on while the machine's clock is behind.
CLOCK_CATCH_UP_SPEED = 0.5
#: Of what a shared clock said in the last one or two spans of so long, the answer that was quickest counts.
SHARED_CLOCK_SPAN_MS = 60_000
#: A lease that ends later than this was taken before the machine was last started.
LEASE_MAX = timedelta(hours=2)


class SharedClock:
    """The clock of a server that several machines share, as the uptime of this one tells it."""

    def __init__(self, ahead_ms: float, began_ms: float) -> None:
        #: How far it was ahead of the uptime by the quickest answer of this span, and of the one before.
        self._ahead_ms = self._ahead_before_ms = ahead_ms
        self._began_ms = began_ms

    def hear(self, shared_ms: float, uptime: float) -> None:
        """Take in what it said: an answer that was long on its way makes it seem to be behind."""
        ahead = shared_ms - uptime
        if uptime - self._began_ms > SHARED_CLOCK_SPAN_MS:
            self._ahead_before_ms, self._ahead_ms, self._began_ms = self._ahead_ms, ahead, uptime
        self._ahead_ms = max(self._ahead_ms, ahead)

    def tell_ms(self, uptime: float) -> float:
        """Return what it says now."""
        return uptime + max(self._ahead_ms, self._ahead_before_ms)


class SteadyClock:
    """The last moment that was given, and how it follows from the machine's clock, or from a shared one."""

    def __init__(self) -> None:
        self._last_ms = 0.0
        self._last_uptime_ms = 0.0
        self._shared: SharedClock | None = None
        self._lock = threading.Lock()

    def follow(self, shared_ms: float) -> None:
        """Follow a clock that several machines share, which says this just now, instead of the machine's."""
        with self._lock:
            uptime = uptime_ms()
            if self._shared is None:
                self._shared = SharedClock(shared_ms - uptime, uptime)
            self._shared.hear(shared_ms, uptime)

    def now_ms(self) -> int:
        """Return the present moment: never before one given earlier, unless that was far from true."""
        with self._lock:
            uptime = uptime_ms()
            wall = wall_ms() if self._shared is None else self._shared.tell_ms(uptime)
            slowly = self._last_ms + CLOCK_CATCH_UP_SPEED * max(0.0, uptime - self._last_uptime_ms)
            is_behind = 0 < slowly - wall <= CLOCK_SET_BACK_MAX_MS
            self._last_ms = slowly if is_behind else float(wall)
            self._last_uptime_ms = uptime
            return int(self._last_ms)

    def resume_after(self, milliseconds: int) -> None:
        """Count a moment as given that an earlier process stored."""
        with self._lock:
            self._last_ms = max(self._last_ms, float(milliseconds))
            self._last_uptime_ms = uptime_ms()


steady = SteadyClock()


def now() -> datetime:
    """Return the present moment, cut to the precision that storage keeps."""
    return from_ms(steady.now_ms())


def uptime() -> datetime:
    """Return how long the machine has been running, as a moment after 1970 so that it can be stored."""
    return from_ms(int(uptime_ms()))


def time_left(until: datetime, *, uptime: datetime, span: timedelta) -> timedelta:
    """Return how long it is until an uptime that lay `span` ahead when it was stored; zero once it is past.

    One that lies further ahead than that was stored before the machine was last started: it is past too.
    """
    ahead = until - uptime
    return ahead if timedelta() < ahead <= span else timedelta()


def wall_ms() -> int:
    """Return what the machine's clock says."""
    return time.time_ns() // 1_000_000


def uptime_ms() -> float:
    """Return the milliseconds since the machine was started, those included in which it slept."""
    return time.clock_gettime_ns(BOOT_CLOCK) / 1_000_000


def to_ms(moment: datetime) -> int:
    """Return the milliseconds since 1970 of a moment that knows its time zone."""
    return (moment - EPOCH) // MILLISECOND


def from_ms(milliseconds: int) -> datetime:
    """Return the moment so many milliseconds after 1970."""
    return EPOCH + milliseconds * MILLISECOND


#: Linux counts sleep in a clock of its own; elsewhere the usual one has to do.
BOOT_CLOCK: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def to_iso(moment: datetime) -> str:
    """Write a moment as ISO 8601 in UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
