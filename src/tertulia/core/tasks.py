"""Ending tasks that run beside others, so that none outlives the part that started it."""

import asyncio
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


async def finish_tasks(tasks: Iterable[asyncio.Future[T]]) -> None:
    """Wait until tasks have ended, however they do."""
    await asyncio.gather(*tasks, return_exceptions=True)


async def cancel_tasks(tasks: Iterable[asyncio.Future[T]]) -> None:
    """Cancel tasks and wait until they have ended."""
    under_way = list(tasks)
    for task in under_way:
        task.cancel()
    await finish_tasks(under_way)
