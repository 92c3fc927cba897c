"""How much memory this process may still take: the machine's, or less where its container has a limit."""

from pathlib import Path

MEMINFO = Path("/proc/meminfo")
CONTROL_GROUP = Path("/sys/fs/cgroup")


def read_free_bytes(*, meminfo: Path = MEMINFO, control_group: Path = CONTROL_GROUP) -> int | None:
    """Return how many bytes of memory are free for this process; None where the system does not tell."""
    figures = (read_machine_bytes(meminfo), read_container_bytes(control_group))
    return min((figure for figure in figures if figure is not None), default=None)


def read_machine_bytes(meminfo: Path) -> int | None:
    """Return what Linux calls available on the machine."""
    try:
        lines = dict(line.split(":", 1) for line in meminfo.read_text("ascii").splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError, IndexError):
        return None  # only Linux tells


def read_container_bytes(control_group: Path) -> int | None:
    """Return what the limit of the control group leaves; its cache of files can be had too."""
    try:
        limit = int((control_group / "memory.max").read_text("ascii"))
        used = int((control_group / "memory.current").read_text("ascii"))
        stat = dict(line.split() for line in (control_group / "memory.stat").read_text("ascii").splitlines())
        return max(limit - used + int(stat["inactive_file"]), 0)
    except (OSError, KeyError, ValueError):
        return None  # no limit, or none that we can read
