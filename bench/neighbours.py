"""What others wait for while one person loads the server as hard as one request can.

Sent one a second, a load is what a person does: for that others may wait twice as long at most. Sent
without a pause it also takes a share of the cores, which no server gives back: that is shown, and has no
aim.

Who sends the load and the provider that answers it give way to the server and to the one who waits, as
they would have machines of their own. What they take all the same, of cores, caches and the disk, shows
where the load is sent to another server meanwhile: only what is over that comes of sharing one.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from statistics import median, quantiles
from threading import Event, Thread, get_native_id
from typing import Any
from urllib.parse import urlsplit

import msgspec

from bench.doors import ROUND_CLOSED
from bench.driver import Probe, ProbeSeen
from bench.figures import Measure, Point, single
from bench.plan import MODEL
from bench.processes import ServerUnderTest, begin_driving, driven, give_way, post, provider, running
from bench.seeding import ANSWER, QUESTION, Seeded, seed_person

#: The load begins when the probe has warmed up.
HEAD_START_SECONDS = 0.5
BODY_BYTES = 20_000_000
QUESTION_CHARS = 1_000_000
REPLY_BYTES = 5_000_000
#: The most by which one person's load may raise what others wait for.
RATIO_AIM = 2.0
#: The most for which long work keeps others waiting at once: no ratio counts below it.
FLOOR_MS = 5.0
#: Between the beginnings of two loads: what a person does, and what a program can.
PERSON_SECONDS, PROGRAM_SECONDS = 1.0, 0.0
WRITTEN = "2026-01-01T00:00:00Z"
LONG_MODEL = "scripted-smart"
REPLY_PIECE = "A clockwork turns the lens. " * 40


@dataclass(frozen=True, slots=True)
class Load:
    """One way to load a server: a request, and if it asks a model, all that comes of it."""

    name: str
    path: str
    body: bytes
    signed_in: bool = True
    is_question: bool = False


def loads(*, strangers: int) -> list[Load]:
    """Return every load; somebody who is not signed in tries so many routes."""
    size = BODY_BYTES
    nothing = b'{"message": [' + b"{}," * (size // 3) + b"{}]}"
    wrong = b'{"rounds": [' + b"{}," * (size // 3) + b"{}]}"
    long_question = {"message": QUESTION * (QUESTION_CHARS // len(QUESTION)), "models": [MODEL]}
    long_reply = {"message": "At length, please.", "models": [LONG_MODEL]}
    return [
        *(Load(f"anonymous, to {path}", path, nothing, signed_in=False) for path in ANONYMOUS[:strangers]),
        Load("an import of nothing but wrong rounds", "/api/conversations/import", wrong),
        Load("an import", "/api/conversations/import", exported(size)),
        asking("a question of a million characters", long_question),
        asking("a reply of 5 MB", long_reply),
    ]


def asking(name: str, question: Mapping[str, object]) -> Load:
    """Return a load that asks a model and hears it out."""
    return Load(name, "/api/turn", msgspec.json.encode(question), is_question=True)


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
def loading(server: ServerUnderTest, load: Load, token: str, *, every: float) -> Generator[list[float]]:
    """Send a load while the block runs, one every so many seconds at most; gives how long each took."""
    took: list[float] = []
    over = Event()

    def send() -> None:
        give_way(get_native_id())
        time.sleep(HEAD_START_SECONDS)
        while not over.is_set():
            began = time.perf_counter()
            send_once(server.url, load, token)
            took.append(time.perf_counter() - began)
            over.wait(every - took[-1])

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
        answer = connection.getresponse().read()
        if load.is_question:
            hear_out(connection, msgspec.json.decode(answer), headers)
    except ConnectionError:
        pass
    finally:
        connection.close()


def hear_out(connection: HTTPConnection, turn: dict[str, Any], headers: dict[str, str]) -> None:
    """Follow the events of a round until it is closed."""
    path = f"/api/conversations/{turn['conversation']['id']}/events"
    connection.request("GET", path, headers=headers | {"last-event-id": str(turn["last_event_id"])})
    for line in connection.getresponse():
        if ROUND_CLOSED in line:
            return


@dataclass(frozen=True, slots=True)
class Waited:
    """What somebody else waited for, in milliseconds."""

    p99: float
    longest: float


def waited(seconds: list[float]) -> Waited:
    """Return the 99th percentile and the longest of some waits."""
    return Waited(quantiles(seconds, n=100, method="inclusive")[-1] * 1000, max(seconds) * 1000)


def measure(
    place: Path,
    *,
    seconds: float,
    every: Sequence[float],
    strangers: int,
    say: Callable[[str], None],
) -> Iterator[Measure]:
    """Measure what somebody waits for alone, and beside each load."""
    with talking_provider() as provider_url:
        for load in loads(strangers=strangers):
            say(f"neighbours: beside {load.name}")
            yield from measure_beside(place, provider_url, load, seconds=seconds, every=every)


@contextmanager
def talking_provider() -> Generator[str]:
    """Run a provider that gives way, and one of whose models says very much."""
    with provider(10, gives_way=True) as provider_url:
        script_long_reply(provider_url)
        yield provider_url


def script_long_reply(provider_url: str) -> None:
    """Have one model say very much."""
    reply = [REPLY_PIECE] * (REPLY_BYTES // len(REPLY_PIECE))
    post(f"{provider_url}/script", {"model": LONG_MODEL, "script": {"reply": reply}})


def measure_beside(
    place: Path, provider_url: str, load: Load, *, seconds: float, every: Sequence[float]
) -> list[Measure]:
    """Measure one load on a server of its own, at each pace, and on another one."""
    data_dir, other_dir = (Path(tempfile.mkdtemp(dir=place)) for _ in range(2))
    seeded, stranger = (asyncio.run(seed_person(folder)) for folder in (data_dir, other_dir))
    with running(ServerUnderTest(data_dir, provider_url)) as server:
        probe(server, seeded, 1.0)
        alone = probe(server, seeded, seconds / 2)
        with (
            running(ServerUnderTest(other_dir, provider_url)) as other,
            loading(other, load, stranger.token, every=PERSON_SECONDS),
        ):
            elsewhere = probe(server, seeded, seconds)
        before = server.memory_mb()
        beside: dict[float, ProbeSeen] = {}
        counts: list[str] = []
        for pace in every:
            with loading(server, load, seeded.token, every=pace) as took:
                beside[pace] = probe(server, seeded, seconds)
            counts.append(f"{len(took)} times, median {median(took):.2f} s")
        grown = server.peak_memory_mb() - before
    about, note = f"Beside {load.name}", "; ".join(counts)
    reads = {pace: seen.reads for pace, seen in beside.items()}
    writes = {pace: seen.writes for pace, seen in beside.items()}
    return [
        compare(about, "a read, p99", alone=alone.reads, elsewhere=elsewhere.reads, beside=reads, note=note),
        compare(
            about, "a write, p99", alone=alone.writes, elsewhere=elsewhere.writes, beside=writes, note=note
        ),
        single(about, "memory at its highest", "MB more", grown, digits=0),
    ]


def compare(
    about: str,
    what: str,
    *,
    alone: list[float],
    elsewhere: list[float],
    beside: Mapping[float, list[float]],
    note: str,
) -> Measure:
    """Say what somebody waits for alone, with the load on another server, and beside it at each pace."""
    quiet = waited(alone)
    points = [Point("alone", quiet.p99), Point("one a second elsewhere", waited(elsewhere).p99)]
    for pace, seconds in beside.items():
        busy = waited(seconds)
        aim = RATIO_AIM * max(quiet.p99, FLOOR_MS) if pace else None
        points += [Point("one a second" if pace else "without a pause", busy.p99, aim)]
        points += [Point("longest", busy.longest)]
    return Measure(about, what, "ms", points, note)


def probe(server: ServerUnderTest, seeded: Seeded, seconds: float) -> ProbeSeen:
    """Be somebody else for a while."""
    return driven(begin_driving(Probe(server.url, seeded.token, seconds)), ProbeSeen)


def main() -> None:
    """Measure this alone: `python -m bench.neighbours [part of a load's name]`."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    every = (PERSON_SECONDS, PROGRAM_SECONDS)
    with tempfile.TemporaryDirectory(prefix="tertulia-bench-") as folder, talking_provider() as provider_url:
        for load in loads(strangers=len(ANONYMOUS)):
            if wanted in load.name:
                show(measure_beside(Path(folder), provider_url, load, seconds=6.0, every=every))


def show(measures: Sequence[Measure]) -> None:
    """Print figures line by line, as soon as they are there."""
    for measured in measures:
        points = "  ".join(f"{point.at} {point.value:.1f}" for point in measured.points)
        figures = f"{points} {measured.unit} {measured.verdict}"
        sys.stdout.write(f"{measured.about}: {measured.what}: {figures} {measured.note}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
