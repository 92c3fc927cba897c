"""Keeping long work off the event loop."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from time import sleep
from typing import TypeVar

T = TypeVar("T")
#: Counting the tokens of a text of this length takes some milliseconds, many times as long as a thread costs.
LONG_TEXT_MIN_CHARS = 20_000


async def run_in_thread_if_long(call: Callable[[], T], *, chars: int) -> T:
    """Return what `call` gives for a text of so many characters: in a thread where that takes long."""
    return call() if chars < LONG_TEXT_MIN_CHARS else await asyncio.to_thread(call)


def yield_interpreter_between(items: Iterable[T], *, batch_size: int) -> Iterator[T]:
    """Yield items, in a thread: after every so many whoever waits for the interpreter has it.

    Python itself takes it from a thread only after a while, which `server.py` sets.
    """
    for number, item in enumerate(items, start=1):
        yield item
        if number % batch_size == 0:
            sleep(0)
