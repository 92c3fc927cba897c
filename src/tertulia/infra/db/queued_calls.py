"""Functions that wait for a thread of the database, and how each hears what came of it."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from tertulia.core.principal import Principal
from tertulia.infra.db.tx import Tx


@dataclass(slots=True)
class QueuedCall:
    """One function waiting to be run by a reader or a writer, and where its outcome goes."""

    call: Callable[[Tx], Any]
    by: Principal | None
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    concurrent: bool = False
    queued_at: float = field(default_factory=monotonic)
    result: Any = None
    error: BaseException | None = None
    after_commit_calls: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    @classmethod
    def make(
        cls, call: Callable[[Tx], Any], by: Principal | None, *, concurrent: bool = False
    ) -> "QueuedCall":
        """Return a function that waits, asked for on the event loop that runs now."""
        loop = asyncio.get_running_loop()
        return cls(call, by, loop, loop.create_future(), concurrent)

    def run(self, transaction: Callable[["QueuedCall"], None]) -> None:
        """Have the function run by `transaction`, and keep what it raises for whoever waits."""
        try:
            transaction(self)
        except Exception as error:  # noqa: BLE001 - whatever it was, the one who waits must hear of it
            self.error = error

    def settle(self) -> None:
        """Hand the outcome to whoever waits, and publish what was promised for after the commit."""
        if self.error is None:
            for publish in self.after_commit_calls:
                publish()
        if self.future.done():
            return
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


def settle_all(group: list[QueuedCall]) -> None:
    """Tell everyone of a group, in order, each on their own event loop, with one wake-up a loop."""
    loops: dict[asyncio.AbstractEventLoop, list[QueuedCall]] = {}
    for write in group:
        loops.setdefault(write.loop, []).append(write)
    for loop, writes in loops.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(lambda writes=writes: [write.settle() for write in writes])


def start_thread(name: str, target: Callable[[], None]) -> threading.Thread:
    """Start a thread; a process that fails to start, and so never closes the database, can still end."""
    thread = threading.Thread(target=target, name=name, daemon=True)
    thread.start()
    return thread
