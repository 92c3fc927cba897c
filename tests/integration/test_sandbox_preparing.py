"""Before its first use the sandbox is compiled, checked, and then trusted for as long as nothing changes."""

import asyncio
import os
import shutil
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.sandbox_world import run

from tertulia.sandbox import wasi
from tertulia.sandbox.compiling import compile_in_child, is_compiled, places, versions
from tertulia.sandbox.domain import Event, Job, State
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.probes import PROBES
from tertulia.sandbox.service import Sandbox
from tertulia.sandbox.wasi import WasiBackend
from tertulia.settings import Settings


@pytest.fixture
def half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A server without the machine code beside its program; most of the work is copied, to save minutes."""
    settings = Settings(data_dir=tmp_path / "data")
    ready, folder = places(settings)
    folder.mkdir(parents=True, mode=0o700)
    for path in ready.glob("*.cwasm"):
        shutil.copy(path, folder)
    monkeypatch.setattr(wasi, "places", lambda _: [tmp_path / "nothing", folder])
    return settings


async def test_the_first_start_compiles_and_checks_and_the_next_does_neither(half_done: Settings) -> None:
    tried = list[Job]()

    class Watched(WasiBackend):
        async def run(self, job: Job, *, stop: asyncio.Event) -> AsyncGenerator[Event]:
            tried.append(job)
            async for event in super().run(job, stop=stop):
                yield event

    first = Sandbox(half_done, backend=Watched(half_done))
    with pytest.raises(SandboxUnavailable, match="being prepared for its first use"):
        await run(first, "1")
    assert first.status().state is State.PREPARING
    assert first._preparing is not None
    await first._preparing
    assert first.status().state is State.READY
    assert len(tried) == len(PROBES)
    assert (await run(first, "1")).outcome.value == "1"
    await first.close()

    tried.clear()
    second = Sandbox(half_done, backend=Watched(half_done))
    assert (await run(second, "2")).outcome.value == "2"
    assert len(tried) == 1
    await second.close()

    folder = half_done.data_dir / "sandbox" / "compiled"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())


async def test_what_cannot_be_compiled_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(SandboxUnavailable, match=r"2\.5 GB of free memory.*NotADirectoryError"):
        await compile_in_child(tmp_path / "file" / "compiled", lambda _: None)


def test_machine_code_that_others_could_have_written_is_not_trusted(tmp_path: Path) -> None:
    folder = tmp_path / "compiled"
    folder.mkdir(mode=0o700)
    assert not is_compiled(folder)
    (folder / f"{versions()}.done").touch()
    assert is_compiled(folder)
    folder.chmod(0o755)
    assert not is_compiled(folder)
    folder.chmod(0o700)
    if os.geteuid() == 0:
        os.chown(folder / f"{versions()}.done", 12345, 12345)
        assert not is_compiled(folder)


def test_scratch_of_servers_that_are_gone_is_removed(tmp_path: Path) -> None:
    gone, mine = tmp_path / "4194305-1-0", tmp_path / f"{os.getpid()}-{time.time_ns()}-0"
    for folder in (gone, mine):
        (folder / "left").mkdir(parents=True)

    wasi.remove_dead(tmp_path)

    assert (gone.exists(), mine.exists()) == (False, True)
