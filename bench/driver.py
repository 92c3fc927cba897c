"""The load driver, a process of its own: reads what to do as JSON, answers with what it saw as JSON."""

import asyncio
import sys
from time import perf_counter

import msgspec
import uvloop

from bench.doors import LISTEN, Door, Heard
from bench.wire import Asked, Connection, Refused

#: A stream that takes longer has failed.
STREAM_SECONDS = 20
#: Between two requests of a probe.
PROBE_PAUSE_SECONDS = 0.005


class Streams(msgspec.Struct, tag="streams"):
    """Keep `clients` streams open, `each` one after the other, the first begun within `spread` seconds.

    Who asks takes turns: one person may only have so many streams open.
    """

    url: str
    tokens_of_people: list[str]
    door: Door
    clients: int
    each: int
    spread: float
    tokens: int


class StreamsSeen(msgspec.Struct):
    """What came of them; times in seconds."""

    asked: int
    first_token: list[float]
    tokens: int
    pieces: int
    seconds: float
    failed: list[str]


class Gets(msgspec.Struct, tag="gets"):
    """Get each path `times` times, in turn, over one connection."""

    url: str
    token: str
    paths: list[str]
    times: int


class GetsSeen(msgspec.Struct):
    """The seconds that each path took, and how many bytes it answered."""

    seconds: list[list[float]]
    sizes: list[int]


class Probe(msgspec.Struct, tag="probe"):
    """Read and write something small in turn, for so many seconds, as somebody else would."""

    url: str
    token: str
    seconds: float


class ProbeSeen(msgspec.Struct):
    """The seconds that each read and each write took."""

    reads: list[float]
    writes: list[float]


async def streams(order: Streams) -> StreamsSeen:
    """Play all clients and gather what they heard."""
    heard: list[Heard] = []
    failed: list[str] = []
    began = perf_counter()

    async def client(number: int) -> None:
        await asyncio.sleep(order.spread * number / order.clients)
        token = order.tokens_of_people[number % len(order.tokens_of_people)]
        for _ in range(order.each):
            one = Heard(perf_counter())
            heard.append(one)
            try:
                async with asyncio.timeout(STREAM_SECONDS):
                    await LISTEN[order.door](order.url, token, one)
            except (Refused, OSError) as error:  # a timeout is an OSError, too
                failed.append(f"{type(error).__name__} {error}, {said(one)}"[:200])
            else:
                if one.tokens != order.tokens:
                    failed.append(said(one))

    await asyncio.gather(*(client(number) for number in range(order.clients)))
    return StreamsSeen(
        asked=len(heard),
        first_token=[one.first - one.began for one in heard if one.tokens],
        tokens=sum(one.tokens for one in heard),
        pieces=sum(one.pieces for one in heard),
        seconds=perf_counter() - began,
        failed=failed,
    )


def said(heard: Heard) -> str:
    """Say how far a stream came."""
    return f"{heard.tokens} tokens came" if heard.accepted else "it was not accepted"


async def gets(order: Gets) -> GetsSeen:
    """Get every path in turn, so that noise falls on all alike."""
    connection = await Connection.to(order.url)
    seconds: list[list[float]] = [[] for _ in order.paths]
    sizes = [0 for _ in order.paths]
    for _ in range(order.times):
        for number, path in enumerate(order.paths):
            began = perf_counter()
            body = await connection.ask(Asked(path, order.token))
            seconds[number].append(perf_counter() - began)
            sizes[number] = len(body)
    connection.close()
    return GetsSeen(seconds, sizes)


async def probe(order: Probe) -> ProbeSeen:
    """Read and write until the time is over; each request is begun once the one before was answered."""
    connection = await Connection.to(order.url)
    seen = ProbeSeen([], [])
    requests = (
        (Asked("/api/me", order.token), seen.reads),
        (Asked("/api/projects", order.token, {"name": "Probe"}), seen.writes),
    )
    end = perf_counter() + order.seconds
    while perf_counter() < end:
        for asked, seconds in requests:
            began = perf_counter()
            await connection.ask(asked)
            seconds.append(perf_counter() - began)
            await asyncio.sleep(PROBE_PAUSE_SECONDS)
    connection.close()
    return seen


async def do(order: Streams | Gets | Probe) -> StreamsSeen | GetsSeen | ProbeSeen:
    """Do what an order asks for."""
    match order:
        case Streams():
            return await streams(order)
        case Gets():
            return await gets(order)
        case Probe():
            return await probe(order)


async def main() -> None:
    """Do the one thing that standard input asks for."""
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Streams | Gets | Probe)
    sys.stdout.buffer.write(msgspec.json.encode(await do(order)))


if __name__ == "__main__":
    uvloop.run(main())
