"""People take turns where many wait for a few slots."""

import asyncio

import pytest

from tertulia.core.fair_slots import FairSlots


class Workers:
    """Work that holds a slot until it is let go."""

    def __init__(self, slots: int) -> None:
        self._slots = FairSlots(slots)
        self.begun: list[str] = []
        self.released = asyncio.Event()

    async def work(self, person: str, number: int) -> None:
        async with self._slots.slot(person):
            self.begun.append(f"{person}{number}")
            await self.released.wait()


async def test_nobodys_rush_holds_up_another_and_each_ones_own_stay_in_order() -> None:
    workers = Workers(1)
    async with asyncio.TaskGroup() as group:
        for person, number in (*(("ada", number) for number in range(5)), ("bob", 0), ("bob", 1)):
            group.create_task(workers.work(person, number))
        await asyncio.sleep(0)
        assert workers.begun == ["ada0"]
        workers.released.set()
    assert workers.begun == ["ada0", "ada1", "bob0", "ada2", "bob1", "ada3", "ada4"]


@pytest.mark.parametrize("waits", [1, 3])
async def test_whoever_gives_up_leaves_the_slot_to_others(waits: int) -> None:
    workers = Workers(1)
    async with asyncio.TaskGroup() as group:
        group.create_task(workers.work("ada", 0))
        waiting = [group.create_task(workers.work("ada", number)) for number in range(1, waits + 1)]
        await asyncio.sleep(0)
        last = group.create_task(workers.work("bob", 0))
        await asyncio.sleep(0)
        workers.released.set()
        # The first who waits is let in at this very moment, and gives up before noticing.
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
    assert last.done()
    assert workers.begun[-1] == "bob0"
