"""Before its first use the sandbox is compiled, checked, and then trusted for as long as nothing changes."""

import asyncio
import os
import shutil
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox_world import Unwilling, run

from tertulia.sandbox import service, wasi
from tertulia.sandbox.compilation import compile_in_child, compiled_folders, is_compiled, runtime_versions
from tertulia.sandbox.domain import Readiness, RunEvent, SandboxJob, State
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.probes import SANDBOX_PROBES
from tertulia.sandbox.service import Sandbox
from tertulia.sandbox.wasi import WasiBackend
from tertulia.settings import Settings

Unwillingly = Callable[..., tuple[Sandbox, Unwilling]]


@pytest.fixture
def half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A server without the machine code beside its program; most of the work is copied, to save minutes."""
    settings = Settings(data_dir=tmp_path / "data")
    ready, folder = compiled_folders(settings)
    folder.mkdir(parents=True, mode=0o700)
    for path in ready.glob("*.cwasm"):
        shutil.copy(path, folder)
    monkeypatch.setattr(wasi, "compiled_folders", lambda _: [tmp_path / "nothing", folder])
    return settings


async def test_the_first_run_compiles_and_checks_and_the_next_start_does_neither(half_done: Settings) -> None:
    tried = list[SandboxJob]()

    class Watched(WasiBackend):
        async def run(self, job: SandboxJob, *, stop: asyncio.Event) -> AsyncGenerator[RunEvent]:
            tried.append(job)
            async for event in super().run(job, stop=stop):
                yield event

    first = Sandbox(half_done, backend=Watched(half_done))
    first.start()
    assert first.readiness().state is State.UNPREPARED
    told = list[float | None]()
    assert (await run(first, "1", report=lambda _, share: told.append(share))).outcome.value == "1"
    assert first.readiness().state is State.READY
    assert len(tried) == len(SANDBOX_PROBES) + 1
    assert told
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


@pytest.fixture
async def unwilling(tmp_path: Path) -> AsyncGenerator[Unwillingly]:
    """Makes sandboxes that fail some times to get ready."""
    made = list[Sandbox]()

    def make(*, pauses: Sequence[float], **how: Any) -> tuple[Sandbox, Unwilling]:
        settings = Settings(data_dir=tmp_path / "data")
        backend = Unwilling(settings, **how)
        made.append(Sandbox(settings, backend=backend, retry_seconds=pauses))
        return made[-1], backend

    yield make
    for sandbox in made:
        await sandbox.close()


async def test_what_failed_is_tried_again_after_a_pause(unwilling: Unwillingly) -> None:
    sandbox, backend = unwilling(failures=2, pauses=(0.01, 0.01, 0.01))
    sandbox.start()
    assert sandbox._preparing is not None
    await sandbox._preparing

    assert (sandbox.readiness().state, backend.attempts) == (State.READY, 3)
    assert (await run(sandbox, "1")).outcome.value == "1"


async def test_what_fails_every_time_is_not_tried_for_ever(unwilling: Unwillingly) -> None:
    sandbox, backend = unwilling(failures=99, pauses=(0.01, 0.01))
    sandbox.start()
    assert sandbox._preparing is not None
    await sandbox._preparing

    assert sandbox.readiness() == Readiness(State.OFF, "There is no memory for it.", can_try_again=True)
    with pytest.raises(SandboxUnavailable, match="no memory"):
        await run(sandbox, "1")
    assert backend.attempts == 3


async def test_while_it_pauses_runs_are_told_why_at_once_and_somebody_can_have_it_tried(
    unwilling: Unwillingly,
) -> None:
    sandbox, backend = unwilling(failures=1, pauses=(3600,))
    for _ in range(2):
        async with asyncio.timeout(10):
            with pytest.raises(SandboxUnavailable, match="no memory"):
                await run(sandbox, "1")

    sandbox.prepare()
    sandbox.prepare()
    assert sandbox.readiness() == Readiness(State.PREPARING)
    assert (await run(sandbox, "1")).outcome.value == "1"
    sandbox.prepare()
    assert (sandbox.readiness().state, backend.attempts) == (State.READY, 2)


async def test_a_sandbox_that_was_closed_tries_nothing_any_more(unwilling: Unwillingly) -> None:
    sandbox, backend = unwilling(failures=99, pauses=(0.01, 3600))
    with pytest.raises(SandboxUnavailable):
        await run(sandbox, "1")
    await sandbox.close()
    tried = backend.attempts
    sandbox.prepare()
    await asyncio.sleep(0.03)

    assert (sandbox.readiness().state, backend.attempts) == (State.OFF, tried)


async def test_a_failure_that_nobody_foresaw_is_told_too(
    unwilling: Unwillingly, caplog: pytest.LogCaptureFixture
) -> None:
    sandbox, _ = unwilling(failures=1, pauses=(), error=ZeroDivisionError("of ours"))

    with pytest.raises(SandboxUnavailable, match=r"could not be prepared \(ZeroDivisionError\)"):
        await run(sandbox, "1")
    assert "of ours" in caplog.text


async def test_the_names_of_many_files_are_checked_beside_the_event_loop(
    unwilling: Unwillingly, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set[int]()

    def watched(name: str) -> str:
        threads.add(threading.get_ident())
        return name

    monkeypatch.setattr(service, "normalise", watched)
    sandbox, _ = unwilling(failures=1, pauses=())
    with pytest.raises(SandboxUnavailable):
        await run(sandbox, "1", files={"a.txt": b"", "b.txt": b""})
    assert threads
    assert threading.get_ident() not in threads


def test_machine_code_that_others_could_have_written_is_not_trusted(tmp_path: Path) -> None:
    folder = tmp_path / "compiled"
    folder.mkdir(mode=0o700)
    assert not is_compiled(folder)
    (folder / f"{runtime_versions()}.done").touch()
    assert is_compiled(folder)
    folder.chmod(0o755)
    assert not is_compiled(folder)
    folder.chmod(0o700)
    if os.geteuid() == 0:
        os.chown(folder / f"{runtime_versions()}.done", 12345, 12345)
        assert not is_compiled(folder)
