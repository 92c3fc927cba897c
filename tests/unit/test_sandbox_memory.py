"""Before the sandbox is prepared, the memory that is free for it is read off its machine and container."""

from pathlib import Path

import pytest

from tertulia.sandbox.compilation import check_memory
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.free_memory import read_free_bytes

GB = 1_000_000_000


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder that tells of a machine with 16 GB free."""
    (tmp_path / "meminfo").write_text("MemTotal: 32000000 kB\nMemAvailable:   15625000 kB\n")
    return tmp_path


def limit_container(folder: Path, limit: str, *, used: int, cached: int) -> None:
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon {used - cached}\ninactive_file {cached}\n")


def free_bytes(folder: Path) -> int | None:
    return read_free_bytes(meminfo=folder / "meminfo", control_group=folder)


def test_a_machine_without_a_limit_has_what_is_available(machine: Path) -> None:
    assert free_bytes(machine) == 16 * GB
    limit_container(machine, "max", used=GB, cached=0)
    assert free_bytes(machine) == 16 * GB


def test_a_container_has_what_its_limit_leaves_and_its_cache(machine: Path) -> None:
    limit_container(machine, str(4 * GB), used=3 * GB, cached=GB)
    assert free_bytes(machine) == 2 * GB


def test_a_container_has_no_more_than_its_machine(machine: Path) -> None:
    limit_container(machine, str(64 * GB), used=GB, cached=0)
    assert free_bytes(machine) == 16 * GB


def test_nothing_is_known_where_the_system_does_not_tell(tmp_path: Path) -> None:
    assert free_bytes(tmp_path) is None


def test_too_little_memory_is_told_before_it_runs_out() -> None:
    check_memory(3 * GB)
    check_memory(None)
    with pytest.raises(SandboxUnavailable, match=r"2\.0 GB of memory are free"):
        check_memory(2 * GB)
