"""What others wait for while one person loads the server as hard as one request can."""

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from statistics import median, quantiles
from threading import Event, Thread
from urllib.parse import urlsplit

import msgspec

from bench.driver import Probe, ProbeSeen
from bench.figures import Measure, Point, single
from bench.plan import MODEL
from bench.processes import ServerUnderTest, begin_driving, driven, post, provider, running
from bench.seeding import ANSWER, QUESTION, Seeded, seed_person

PROBE_SECONDS = 6.0
#: The load begins when the probe has warmed up.
HEAD_START_SECONDS = 0.5
BODY_BYTES = 20_000_000
QUESTION_CHARS = 1_000_000
REPLY_BYTES = 5_000_000
#: The most by which one person's load may raise what others wait for.
RATIO_AIM = 2.0
#: What is quicker than this is not noticed: no ratio counts below it.
FLOOR_MS = 10.0
WRITTEN = "2026-01-01T00:00:00Z"
LONG_MODEL = "scripted-smart"
REPLY_PIECE = "A clockwork turns the lens. " * 40


@dataclass(frozen=True, slots=True)
class Load:
    """One way to load a server: a request, sent again as soon as it is answered."""

    name: str
    path: str
    body: bytes
    signed_in: bool = True


def loads() -> list[Load]:
    """Return every load."""
    size = BODY_BYTES
    nothing = b'{"message": [' + b"{}," * (size // 3) + b"{}]}"
    wrong = b'{"rounds": [' + b"{}," * (size // 3) + b"{}]}"
    long_question = {"message": QUESTION * (QUESTION_CHARS // len(QUESTION)), "models": [MODEL]}
    long_reply = {"message": "At length, please.", "models": [LONG_MODEL]}
    return [
        *(Load(f"anonymous, to {path}", path, nothing, signed_in=False) for path in ANONYMOUS),
        Load("an import of nothing but wrong rounds", "/api/conversations/import", wrong),
        Load("an import", "/api/conversations/import", exported(size)),
        Load("a question of a million characters", "/api/turn", msgspec.json.encode(long_question)),
        Load("a reply of 5 MB", "/api/turn", msgspec.json.encode(long_reply)),
    ]


ANONYMOUS = ("/api/turn", "/api/session", "/api/setup", "/v1/chat/completions")


def exported(size: int) -> bytes:
    """Return an exported conversation of about so many bytes."""
    rounds = size // (len(QUESTION) + len(ANSWER) + 500)
    document = {
        "format": "tertulia.conversation",
        "version": 1,
        "title": "Long",
        "title_by": "person",
        "anchor": {"kind": "workspace"},
        "visibility": "private",
        "created_at": WRITTEN,
        "updated_at": WRITTEN,
        "head": f"r{rounds}",
        "rounds": [exported_round(number) for number in range(1, rounds + 1)],
    }
    return msgspec.json.encode(document)


def exported_round(number: int) -> dict[str, object]:
    """Return one round of an export, which follows the one before."""
    reply: dict[str, object] = {
        "ref": f"m{2 * number}",
        "lane": MODEL,
        "model": MODEL,
        "kind": "answer",
        "attempt": 1,
    }
    reply |= {
        "status": "done",
        "content": f"{number}. {ANSWER}",
        "created_at": WRITTEN,
        "finished_at": WRITTEN,
    }
    return {
        "ref": f"r{number}",
        "parent": f"m{2 * number - 2}" if number > 1 else None,
        "policy": "everyone",
        "created_at": WRITTEN,
        "question": {"ref": f"m{2 * number - 1}", "content": f"{number}. {QUESTION}"},
        "replies": [reply],
    }


@contextmanager
def loading(server: ServerUnderTest, load: Load, token: str) -> Iterator[list[float]]:
    """Send a load again and again while the block runs; gives how long each took."""
    took: list[float] = []
    over = Event()

    def send() -> None:
        time.sleep(HEAD_START_SECONDS)
        while not over.is_set():
            began = time.perf_counter()
            send_once(server.url, load, token)
            took.append(time.perf_counter() - began)

    thread = Thread(target=send)
    thread.start()
    try:
        yield took
    finally:
        over.set()
        thread.join()


def send_once(url: str, load: Load, token: str) -> None:
    """Send a load and read the answer; a server that will not hear it out is as good."""
    address = urlsplit(url)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=120)
    headers = {"content-type": "application/json"}
    if load.signed_in:
        headers["authorization"] = f"Bearer {token}"
    try:
        connection.request("POST", load.path, load.body, headers)
        connection.getresponse().read()
    except ConnectionError:
        pass
    finally:
        connection.close()


@dataclass(frozen=True, slots=True)
class Waited:
    """What somebody else waited for, in milliseconds, and what the server grew by."""

    p99: float
    longest: float


def waited(seconds: list[float]) -> Waited:
    """Return the 99th percentile and the longest of some waits."""
    return Waited(quantiles(seconds, n=100, method="inclusive")[-1] * 1000, max(seconds) * 1000)


def measure(place: Path, provider_url: str, *, wanted: str = "") -> Iterator[Measure]:
    """Measure what somebody waits for alone, and beside each load whose name is wanted."""
    reply = [REPLY_PIECE] * (REPLY_BYTES // len(REPLY_PIECE))
    post(f"{provider_url}/script", {"model": LONG_MODEL, "script": {"reply": reply}})
    for load in loads():
        if wanted in load.name:
            yield from measure_one(place, provider_url, load)


def measure_one(place: Path, provider_url: str, load: Load) -> list[Measure]:
    """Measure one load on a server of its own."""
    data_dir = Path(tempfile.mkdtemp(dir=place))
    seeded = asyncio.run(seed_person(data_dir))
    with running(ServerUnderTest(data_dir, provider_url)) as server:
        probe(server, seeded, 1.0)
        alone = probe(server, seeded, PROBE_SECONDS / 2)
        before = server.memory_mb()
        with loading(server, load, seeded.token) as took:
            beside = probe(server, seeded, PROBE_SECONDS)
        grown = server.peak_memory_mb() - before
    reads, writes = (waited(alone.reads), waited(beside.reads)), (waited(alone.writes), waited(beside.writes))
    note = f"{len(took)} times, median {median(took):.2f} s" if took else ""
    return [
        *(
            Measure(
                "Beside " + load.name,
                f"{kind}, p99",
                "ms",
                [
                    Point("alone", quiet.p99),
                    Point("beside", busy.p99, RATIO_AIM * max(quiet.p99, FLOOR_MS)),
                    Point("longest", busy.longest),
                ],
                note,
            )
            for kind, (quiet, busy) in (("a read", reads), ("a write", writes))
        ),
        single("Beside " + load.name, "memory at its highest", "MB more", grown, digits=0),
    ]


def probe(server: ServerUnderTest, seeded: Seeded, seconds: float) -> ProbeSeen:
    """Be somebody else for a while."""
    return driven(begin_driving(Probe(server.url, seeded.token, seconds)), ProbeSeen)


def main() -> None:
    """Measure this alone: `python -m bench.neighbours [part of a load's name]`."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    with tempfile.TemporaryDirectory(prefix="tertulia-bench-") as folder, provider(10) as provider_url:
        for one in measure(Path(folder), provider_url, wanted=wanted):
            points = "  ".join(f"{point.at} {point.value:.1f}" for point in one.points)
            sys.stdout.write(f"{one.about}: {one.what}: {points} {one.unit} {one.note}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
