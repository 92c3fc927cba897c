"""A group of workers: started anew when one dies, ended together, and never left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Generator
from pathlib import Path

import psutil
import pytest

WORKER = """
import asyncio, os, signal, sys
from pathlib import Path
from tertulia.infra.child.worker_group import GroupLine

async def main(line, folder, is_first):
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    (folder / f"{os.getpid()}.{'first' if is_first else 'further'}").touch()
    if (folder / "broken").exists():
        sys.exit(7)
    GroupLine(line).tell_started()
    await stop.wait()
    (folder / f"{os.getpid()}.ended").touch()

asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "True"))
"""
GROUP = """
import asyncio, sys
from tertulia.infra.child import worker_group
from tertulia.infra.child.worker_group import WorkerGroup

worker_group.WORKER_RESTART_MIN_SECONDS = 0.01
folder, program = sys.argv[1:]

def command(start):
    return [sys.executable, program, str(start.line), folder, str(start.is_first)]

sys.exit(asyncio.run(WorkerGroup(command, count=3).run()))
"""


class Group:
    """A group in a process of its own, and what its workers wrote down."""

    def __init__(self, folder: Path) -> None:
        (folder / "worker.py").write_text(textwrap.dedent(WORKER))
        (folder / "group.py").write_text(textwrap.dedent(GROUP))
        self.folder = folder / "workers"
        self.folder.mkdir()
        self._programs = folder
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        programs = [str(self._programs / name) for name in ("group.py", "worker.py")]
        self.process = subprocess.Popen([sys.executable, programs[0], str(self.folder), programs[1]])

    def pids(self, state: str) -> set[int]:
        return {int(path.stem) for path in self.folder.glob(f"*.{state}")}

    @property
    def alive(self) -> set[int]:
        """The workers that run."""
        return {pid for pid in self.pids("first") | self.pids("further") if is_alive(pid)}


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while True:
            if is_so():
                return
            await asyncio.sleep(0.02)


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.fixture
def group(tmp_path: Path) -> Generator[Group]:
    group = Group(tmp_path)
    yield group
    if group.process is not None and group.process.poll() is None:
        group.process.kill()
        group.process.wait()
    for pid in group.alive:
        os.kill(pid, signal.SIGKILL)


async def test_a_worker_that_dies_is_started_again(group: Group) -> None:
    group.start()
    await until(lambda: len(group.alive) == 3)
    victim = group.alive.pop()
    os.kill(victim, signal.SIGKILL)
    await until(lambda: len(group.alive - {victim}) == 3)
    assert len(group.pids("first")) == 1, "what is done once is done by one"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
async def test_all_workers_end_in_good_order_with_the_group(group: Group, number: signal.Signals) -> None:
    group.start()
    assert group.process
    await until(lambda: len(group.alive) == 3)
    workers = group.alive
    group.process.send_signal(number)
    code = await asyncio.to_thread(group.process.wait)
    await until(lambda: not group.alive)
    assert group.pids("ended") == workers
    assert code == (-number if number == signal.SIGKILL else 0)


async def test_where_the_first_cannot_start_no_other_is_tried(group: Group) -> None:
    (group.folder / "broken").touch()
    group.start()
    assert group.process
    assert await asyncio.to_thread(group.process.wait) == 7
    assert (len(group.pids("first")), len(group.pids("further"))) == (1, 0)
