"""How many runs there are at once on a machine, whichever of its processes they belong to."""

import asyncio
import fcntl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO

#: How often it is looked whether another process has ended a run.
SLOT_POLL_SECONDS = 0.05


class MachineSlots:
    """Files of which each run locks one: the system frees those of a process that dies."""

    def __init__(self, folder: Path, count: int) -> None:
        self._folder = folder
        self._count = count

    @asynccontextmanager
    async def hold(self, stop: asyncio.Event) -> AsyncGenerator[bool]:
        """Wait for a slot and keep it for as long as the block lasts; False when stopped before."""
        slot = self._try_all()
        while slot is None and not stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), SLOT_POLL_SECONDS)
            slot = self._try_all()
        if slot is None:
            yield False
            return
        with slot:
            yield True

    def _try_all(self) -> IO[str] | None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for number in range(self._count):
            slot = (self._folder / f"{number}.lock").open("a")
            try:
                fcntl.flock(slot, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                slot.close()
            else:
                return slot
        return None
