"""How fast things are found as a project grows, how large its index is, and how soon talk is found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, sleep
from typing import Any
from urllib.request import Request

import apsw
import msgspec
import psutil

from bench.figures import Measure, Point, milliseconds, single
from bench.plan import MODEL
from bench.processes import ServerUnderTest, direct, running
from bench.retrieval_seeding import Corpus, seed_corpus
from bench.retrieval_text import Writer
from bench.storing import CHUNK_BYTES_SQL
from tertulia.retrieval.chunking.file_chunks import chunk_file
from tertulia.retrieval.index_words import list_name_parts
from tertulia.retrieval.sqlite.fts5 import CREATE_FULL_TEXT_INDEX_SQL

ROOT = Path(__file__).resolve().parent.parent
ABOUT = "Retrieval (made-up vectors, real query embedding)"
P95_AIMS = {100_000: 50.0, 1_000_000: 150.0}
SAID_AIM = 2.0
WORDS_AIM = 50.0
WAIT_SECONDS = 60
#: Some 300 tokens, with a word that stands nowhere else.
SAID = "The keeper of quixotrellis winds the clockwork of the lamp before the night begins. " * 18


@dataclass(frozen=True, slots=True)
class Seen:
    """What was measured at one size."""

    chunks: int
    written_seconds: float
    cold: float
    seconds: list[float]
    said_seconds: float
    server_mb: float
    embedder_mb: float
    text: int
    words: int
    vectors: int
    database: int


def measure(
    place: Path, provider_url: str, *, sizes: Sequence[int], queries: int, say: Callable[[str], None]
) -> list[Measure]:
    """Build a project of each size and search it through the server's door."""
    return figures([measure_size(place, provider_url, size, queries, say) for size in sizes])


def measure_size(
    place: Path, provider_url: str, chunks: int, queries: int, say: Callable[[str], None]
) -> Seen:
    """Build one project, search it, and take its index apart."""
    data_dir = place / f"retrieval{chunks}"
    began = perf_counter()
    corpus = seed_corpus(data_dir, chunks, say)
    written = perf_counter() - began
    say(f"retrieval: searching {chunks:,} chunks")
    with running(ServerUnderTest(data_dir, provider_url)) as server:
        asked = Writer.seeded(77).queries(queries + 1)
        cold, *seconds = [search_seconds(server, corpus, query) for query in asked]
        said = said_seconds(server, corpus)
        server_mb, embedder_mb = memory(server)
    text, words, vectors = sizes_of(data_dir)
    database = (data_dir / "tertulia.db").stat().st_size
    return Seen(chunks, written, cold, seconds, said, server_mb, embedder_mb, text, words, vectors, database)


def ask(server: ServerUnderTest, corpus: Corpus, path: str, body: object) -> Any:
    """Post JSON as the corpus's owner and return the answer."""
    headers = {"Authorization": f"Bearer {corpus.seeded.token}", "Content-Type": "application/json"}
    request = Request(f"{server.url}{path}", data=msgspec.json.encode(body), headers=headers)
    with direct.open(request, timeout=WAIT_SECONDS) as answer:
        return msgspec.json.decode(answer.read())


def search(server: ServerUnderTest, corpus: Corpus, query: str) -> Any:
    """Search the project."""
    return ask(server, corpus, f"/api/projects/{corpus.project_id}/search", {"query": query})


def search_seconds(server: ServerUnderTest, corpus: Corpus, query: str) -> float:
    """Return how long a search takes."""
    began = perf_counter()
    search(server, corpus, query)
    return perf_counter() - began


def said_seconds(server: ServerUnderTest, corpus: Corpus) -> float:
    """Say something, and return how long it takes until it is found."""
    body = {"message": SAID, "models": [MODEL], "project_id": corpus.project_id}
    ask(server, corpus, "/api/turn", body)
    began = perf_counter()
    while perf_counter() - began < WAIT_SECONDS:
        hits = search(server, corpus, "quixotrellis")["hits"]
        if any("quixotrellis" in hit["content"] for hit in hits):
            return perf_counter() - began
        sleep(0.02)
    raise RuntimeError("what was said was not found")


def memory(server: ServerUnderTest) -> tuple[float, float]:
    """Return the resident memory of the server and of the embedder it started."""
    assert server.process is not None
    children = psutil.Process(server.process.pid).children(recursive=True)
    return server.memory_mb(), sum(child.memory_info().rss for child in children) / 1e6


def sizes_of(data_dir: Path) -> tuple[int, int, int]:
    """Return the bytes of the text, of the index of words and of the vectors."""
    connection = apsw.Connection(str(data_dir / "tertulia.db"))
    try:
        text = connection.execute(CHUNK_BYTES_SQL).get
        words = connection.execute(
            """SELECT (SELECT coalesce(sum(length(block)), 0) FROM chunk_words_data)
                 + (SELECT coalesce(sum(length(sz)), 0) FROM chunk_words_docsize)"""
        ).get
        vectors = connection.execute("SELECT sum(length(body) + 8) FROM vectors").get
    finally:
        connection.close()
    return int(text), int(words), int(vectors)


def real_words_share() -> float:
    """Return how large the index of our own text and code is, in percent: made-up words pack worse."""
    connection = apsw.Connection(":memory:")
    connection.execute(CREATE_FULL_TEXT_INDEX_SQL)
    size = 0
    for path in sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("src/tertulia/**/*.py")]):
        pieces = [path.read_text("utf-8")]
        for chunk in chunk_file(
            iter(pieces), path=path.name, media="markdown" if path.suffix == ".md" else "code"
        ):
            size += len(chunk.content.encode())
            keys = " ".join([path.name, chunk.context, *list_name_parts(chunk.content)])
            connection.execute(
                "INSERT INTO chunk_words (content, keys, place) VALUES (?, ?, 'wone kfile oall pone')",
                (chunk.content, keys),
            )
    stored = connection.execute("SELECT sum(length(block)) FROM chunk_words_data").get
    return 100 * stored / size


def figures(seen: Sequence[Seen]) -> list[Measure]:
    """Return the figures of all sizes side by side."""

    def points(value: Callable[[Seen], float], aims: dict[int, float] | None = None) -> list[Point]:
        return [Point(f"{one.chunks:,}", value(one), (aims or {}).get(one.chunks)) for one in seen]

    every = {one.chunks: SAID_AIM for one in seen}
    return [
        Measure(ABOUT, "a search, median", "ms", points(lambda one: milliseconds(one.seconds)[0])),
        Measure(ABOUT, "a search, p95", "ms", points(lambda one: milliseconds(one.seconds)[1], P95_AIMS)),
        Measure(ABOUT, "the first search after a start", "ms", points(lambda one: one.cold * 1000), digits=0),
        Measure(
            ABOUT, "until what was said is found", "s", points(lambda one: one.said_seconds, every), digits=2
        ),
        Measure(ABOUT, "memory of the server", "MB", points(lambda one: one.server_mb), digits=0),
        Measure(ABOUT, "memory of the embedder", "MB", points(lambda one: one.embedder_mb), digits=0),
        Measure(
            ABOUT,
            "the index of words, of the text",
            "%",
            points(lambda one: 100 * one.words / one.text, {one.chunks: WORDS_AIM for one in seen}),
        ),
        Measure(ABOUT, "the vectors, of the text", "%", points(lambda one: 100 * one.vectors / one.text)),
        Measure(
            ABOUT,
            "chunks written a second, vectors drawn and not embedded",
            "",
            points(lambda one: one.chunks / one.written_seconds),
            digits=0,
        ),
        Measure(
            ABOUT,
            "the whole database, for 100,000 chunks",
            "MB",
            points(lambda one: one.database / one.chunks / 10, {one.chunks: 1000.0 for one in seen}),
            digits=0,
        ),
        single(ABOUT, "the index of words, of our own text and code", "%", real_words_share(), aim=WORDS_AIM),
        single(ABOUT, "queries at each size", "", len(seen[0].seconds), digits=0),
    ]
