"""A second wall around a worker, for the case that code breaks out of its interpreter.

Linux only, and as far as its kernel can: no files but a few to read and one
folder to write to (Landlock), no sockets and no other programs (seccomp),
bounded memory. Elsewhere the interpreter's own wall stands alone.
"""

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

WORKER_OPEN_FILES_MAX = 512
WORKER_MEMORY_MAX_BYTES = 4 << 30
NO_NEW_PRIVILEGES = 38

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PATH_BENEATH = 1
READ_FILE, READ_DIR, IOCTL = 1 << 2, 1 << 3, 1 << 15
READ_RIGHTS = READ_FILE | READ_DIR
#: By the kernel's Landlock version: every right over files that it knows.
FILE_RIGHTS_BY_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
#: Everything but starting programs and speaking to devices.
WRITE_RIGHTS = FILE_RIGHTS_BY_VERSION[3] & ~1
TCP, SCOPED = 0b11, 0b11
#: What a Python with compiled libraries reads after it has started.
SYSTEM_READ_PATHS = (
    "/lib",
    "/lib64",
    "/usr",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/dev/null",
    "/dev/urandom",
)

SECCOMP_FILTER, ALL_THREADS = 1, 1
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050001, 0x80000000
X32 = 0x40000000
#: socket, socketpair, execve, execveat, ptrace, process_vm_readv and -writev, unshare, setns, mount, bpf,
#: userfaultfd, perf_event_open, open_by_handle_at, io_uring_setup, pidfd_getfd; on x86 fork and vfork.
REFUSED_SYSTEM_CALLS = {
    "x86_64": (41, 53, 59, 322, 101, 310, 311, 272, 308, 165, 321, 323, 298, 304, 425, 438, 57, 58),
    "aarch64": (198, 199, 221, 281, 117, 270, 271, 97, 268, 40, 280, 282, 241, 265, 425, 438),
}
AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
SECCOMP_SYSTEM_CALLS = {"x86_64": 317, "aarch64": 277}


class SeccompProgram(ctypes.Structure):
    """A filter as the kernel takes it."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


if sys.platform == "linux":
    import resource

    def confine(*, readable: Iterable[Path], writable: Iterable[Path]) -> None:
        """Take from this process, and from every thread that it will start, what runs do not need."""
        most = {
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_NOFILE: WORKER_OPEN_FILES_MAX,
            resource.RLIMIT_DATA: WORKER_MEMORY_MAX_BYTES,
        }
        for kind, limit in most.items():
            hard = resource.getrlimit(kind)[1]
            lower = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(kind, (lower, lower))
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0:
            restrict_files(libc, readable, writable)
            refuse_system_calls(libc)

else:

    def confine(*, readable: Iterable[Path], writable: Iterable[Path]) -> None:
        """Leave the process as it is: this system has no such walls that we know."""
        del readable, writable


def restrict_files(libc: ctypes.CDLL, readable: Iterable[Path], writable: Iterable[Path]) -> None:
    """Allow these files only; TCP, other processes' signals and abstract sockets not at all."""
    version = libc.syscall(CREATE_RULESET, None, 0, 1)
    if version < 1:
        return
    handled = max(rights for known, rights in FILE_RIGHTS_BY_VERSION.items() if known <= version)
    attributes = struct.pack("=QQQ", handled, TCP, SCOPED)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = libc.syscall(CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        return
    own = [Path(__file__).parents[1], Path(sys.prefix), Path(sys.base_prefix)]
    for path in [*map(Path, SYSTEM_READ_PATHS), *map(Path, sys.path), *own, *readable]:
        allow_path(libc, ruleset, path, READ_RIGHTS)
    for path in writable:
        allow_path(libc, ruleset, path, WRITE_RIGHTS & handled)
    libc.syscall(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def allow_path(libc: ctypes.CDLL, ruleset: int, path: Path, rights: int) -> None:
    """Allow what is at and under a path, if there is anything."""
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not path.is_dir():
        rights &= READ_FILE
    libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", rights, handle), 0)
    os.close(handle)


def refuse_system_calls(libc: ctypes.CDLL) -> None:
    """Answer some system calls with "not permitted", in every thread."""
    machine = platform.machine()
    if machine not in REFUSED_SYSTEM_CALLS:
        return
    steps = seccomp_filter(AUDIT_ARCHITECTURES[machine], REFUSED_SYSTEM_CALLS[machine])
    body = b"".join(struct.pack("=HBBI", *step) for step in steps)
    program = SeccompProgram(len(steps), body)
    libc.syscall(SECCOMP_SYSTEM_CALLS[machine], SECCOMP_FILTER, ALL_THREADS, ctypes.byref(program))


def seccomp_filter(architecture: int, refused: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """Return a filter: each step is an operation, two jumps and a number."""
    count = len(refused)
    checks = [(EQUAL, count - place, 0, number) for place, number in enumerate(refused)]
    return [
        (LOAD, 0, 0, 4),
        (EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, 0),
        (AT_LEAST, count + 1, 0, X32),
        *checks,
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    ]
