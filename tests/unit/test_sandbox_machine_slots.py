"""Runs of all processes of a machine share its slots, and its scratch folders know whose they are."""

import asyncio
from pathlib import Path

from tertulia.sandbox.machine_slots import MachineSlots
from tertulia.sandbox.scratch import Scratch, remove_orphaned_scratch


async def test_no_more_run_at_once_than_there_are_slots_whoever_asks(tmp_path: Path) -> None:
    processes = [MachineSlots(tmp_path / "slots", 2) for _ in range(3)]
    running, most = 0, 0

    async def run(slots: MachineSlots) -> None:
        nonlocal running, most
        async with slots.hold(asyncio.Event()) as has_slot:
            assert has_slot
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.01)
            running -= 1

    await asyncio.gather(*(run(slots) for slots in processes for _ in range(3)))
    assert most == 2


async def test_a_run_that_is_stopped_waits_for_no_slot(tmp_path: Path) -> None:
    here, there = (MachineSlots(tmp_path / "slots", 1) for _ in range(2))
    stop = asyncio.Event()
    async with here.hold(asyncio.Event()), asyncio.timeout(5):
        asyncio.get_running_loop().call_later(0.02, stop.set)
        async with there.hold(stop) as has_slot:
            assert not has_slot


def test_the_scratch_of_a_process_that_lives_is_left_alone(tmp_path: Path) -> None:
    living, gone = Scratch(tmp_path), Scratch(tmp_path)
    used, orphaned = living.make_folder(), gone.make_folder()
    assert gone._held
    gone._held[1].close()  # as the system does when a process dies
    remove_orphaned_scratch(tmp_path)
    assert used.is_dir()
    assert not orphaned.exists()

    living.close()
    assert list(tmp_path.iterdir()) == []
