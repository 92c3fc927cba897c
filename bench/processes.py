"""The processes of a run: the provider, the server under test, and the load driver."""

import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from urllib.error import URLError
from urllib.request import ProxyHandler, Request, build_opener

import msgspec
import psutil
from tests.world import free_port

from bench.driver import Gets, Probe, Streams
from bench.plan import FIRST_TOKEN_SECONDS, MARK, MODEL, PAUSING_MODEL, TOKENS_PER_SECOND

T = TypeVar("T")
ROOT = Path(__file__).parent.parent
START_SECONDS = 60
DRIVE_SECONDS = 120
#: A server is idle when it uses less than this share of a core for so long.
IDLE_SHARE = 0.1
IDLE_LOOK_SECONDS = 0.5
IDLE_TIMEOUT_SECONDS = 60
#: How much those give way who would have cores of their own.
LOAD_NICENESS = 10
#: Nothing in the environment of whoever runs the benchmark may change what is measured.
CLEAN = {
    name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH") if name in os.environ
}
direct = build_opener(ProxyHandler({}))


def give_way(task_id: int) -> None:
    """Let the server have a core before this process or thread: in life that is on another machine."""
    os.setpriority(os.PRIO_PROCESS, task_id, LOAD_NICENESS)


@contextmanager
def provider(tokens: int, *, gives_way: bool = False) -> Generator[str]:
    """Run the scripted provider, at the pace of a real one; gives its address."""
    command = [sys.executable, "-m", "tests.scripted_provider"]
    process = subprocess.Popen(command, cwd=ROOT, env=CLEAN, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    if gives_way:
        give_way(process.pid)
    try:
        url = process.stdout.readline().strip()
        script = {
            "reply": [f" {MARK.decode()}"] * tokens,
            "first_token_seconds": FIRST_TOKEN_SECONDS,
            "tokens_per_second": TOKENS_PER_SECOND,
            "usage": {"input": 10, "output": tokens},
        }
        pausing = {
            "reply": [f" {MARK.decode()}", " end"],
            "first_token_seconds": FIRST_TOKEN_SECONDS,
            "pause_after": 1,
        }
        post(f"{url}/script", {"model": MODEL, "script": script})
        post(f"{url}/script", {"model": PAUSING_MODEL, "script": pausing})
        yield url
    finally:
        end(process)


@dataclass(slots=True)
class ServerUnderTest:
    """`tertulia serve` in a process of its own, on a data directory."""

    data_dir: Path
    provider_url: str
    module: str = "tertulia"
    env: dict[str, str] = field(default_factory=dict[str, str])
    #: Processes that share the work, below one that watches over them; one serves by itself.
    workers: int = 1
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> float:
        """Start it, and return the seconds until it first answered."""
        env = CLEAN | {
            "TERTULIA_DATA_DIR": str(self.data_dir),
            "TERTULIA_DISCOVER_LOCAL": "off",
            "TERTULIA_DRAIN_SECONDS": "1",
            # Its first start compiles for minutes, which is measured by itself and would disturb the rest.
            "TERTULIA_SANDBOX": "off",
            "OPENAI_API_KEY": "sk-bench",
            "OPENAI_BASE_URL": f"{self.provider_url}/v1",
        }
        command = [sys.executable, "-m", self.module, "serve", "--port", str(self.port)]
        if self.workers > 1:
            command += ["--workers", str(self.workers)]
        began = time.perf_counter()
        with (self.data_dir.parent / f"{self.data_dir.name}.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=env | self.env, stdout=log, stderr=log)
        while time.perf_counter() - began < START_SECONDS and self.process.poll() is None:
            if answers(f"{self.url}/health"):
                return time.perf_counter() - began
            time.sleep(0.005)
        raise RuntimeError(f"the server did not start: see {self.data_dir}.log")

    def stop(self) -> None:
        """Ask it to end, and wait."""
        if self.process is not None:
            end(self.process)

    def cpu_seconds(self) -> float:
        """Return the processor time it has used, its workers included."""
        times = [process.cpu_times() for process in self._serving()]
        return sum(time.user + time.system for time in times)

    def wait_until_idle(self) -> None:
        """Wait until what earlier loads left to do is done."""
        end_by = time.perf_counter() + IDLE_TIMEOUT_SECONDS
        while time.perf_counter() < end_by:
            before = self.cpu_seconds()
            time.sleep(IDLE_LOOK_SECONDS)
            if self.cpu_seconds() - before < IDLE_LOOK_SECONDS * IDLE_SHARE:
                return

    def memory_mb(self) -> float:
        """Return its resident memory, its workers' included."""
        return sum(process.memory_info().rss for process in self._serving()) / 1e6

    def peak_memory_mb(self) -> float:
        """Return the most resident memory that it has ever had."""
        status = Path(f"/proc/{self._watched().pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1000

    def _serving(self) -> list[psutil.Process]:
        """Return the processes that serve: with several workers, these and the one that watches over them."""
        watched = self._watched()
        return [watched, *(watched.children() if self.workers > 1 else ())]

    def _watched(self) -> psutil.Process:
        assert self.process is not None
        return psutil.Process(self.process.pid)


@contextmanager
def running(server: ServerUnderTest) -> Generator[ServerUnderTest]:
    """Serve while the block runs."""
    try:
        server.start()
        yield server
    finally:
        server.stop()


def begin_driving(order: Streams | Gets | Probe) -> subprocess.Popen[bytes]:
    """Start a load driver on its order."""
    command = [sys.executable, "-m", "bench.driver"]
    process = subprocess.Popen(command, cwd=ROOT, env=CLEAN, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(msgspec.json.encode(order))
    process.stdin.close()
    return process


def drive(order: Streams | Gets | Probe, answer: type[T]) -> T:
    """Let a load driver do its order, and return what it saw."""
    return driven(begin_driving(order), answer)


def driven(process: subprocess.Popen[bytes], answer: type[T]) -> T:
    """Wait for a load driver and return what it saw."""
    assert process.stdout is not None
    try:
        said = process.stdout.read()
        process.wait(DRIVE_SECONDS)
    finally:
        end(process)
    if process.returncode != 0:
        raise RuntimeError("the load driver failed: see above")
    return msgspec.json.decode(said, type=answer)


def answers(url: str) -> bool:
    """Tell whether an address answers with success."""
    try:
        with direct.open(url, timeout=1) as response:
            return response.status == 200
    except (URLError, ConnectionError, TimeoutError):
        return False


def post(url: str, body: object) -> None:
    """Send JSON, and expect success."""
    request = Request(url, data=msgspec.json.encode(body), method="POST")
    with direct.open(request, timeout=10):
        pass


def end(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    """End a process of ours that may still run."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
