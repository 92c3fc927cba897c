"""The index in the database: what is to be done, and what was found out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tertulia.core.clock import now
from tertulia.infra.db import Packed, Tx, bound_list
from tertulia.retrieval.chunking.domain import Chunk
from tertulia.retrieval.claims import hold_claims
from tertulia.retrieval.full_text_rows import full_text_row
from tertulia.retrieval.indexes import SearchIndexes
from tertulia.retrieval.message_texts import CHUNK_TEXT_COLUMNS, complete_context, without_message_texts
from tertulia.retrieval.sources import IndexedSource, SourceKind
from tertulia.retrieval.vector_index import VectorRow

INDEX_ATTEMPTS_MAX = 3
#: The number of a text that was deleted is given to the next one: only both ids say which text it is.
SAME_SOURCE_SQL = "id = :id AND source_id = :source_id AND revision = :revision"
#: Characters of a chunk that its vector is made of, besides its context.
EMBEDDED_TEXT_MAX_CHARS = 2_000
UNEMBEDDED_CHUNK_COLUMNS = f"""c.id, c.source, s.workspace_id, s.project_id, s.owner_id,
    {CHUNK_TEXT_COLUMNS}"""


@dataclass(frozen=True, slots=True)
class UnembeddedChunk:
    """A chunk that has no vector yet."""

    id: int
    source: int
    workspace_id: str
    project_id: str | None
    owner_id: str | None
    kind: SourceKind
    text: str


@dataclass(frozen=True, slots=True)
class UnembeddedChunkRow:
    """A chunk that has no vector yet, as it is stored."""

    id: int
    source: int
    workspace_id: str
    project_id: str | None
    owner_id: str | None
    kind: SourceKind
    said_at: datetime
    context: str
    content: str
    title: str | None
    asked: str | None

    def complete(self) -> UnembeddedChunk:
        """Return the chunk with what its vector is made of."""
        context = complete_context(
            self.kind, self.context, title=self.title, asked=self.asked, said_at=self.said_at
        )
        return UnembeddedChunk(
            id=self.id,
            source=self.source,
            workspace_id=self.workspace_id,
            project_id=self.project_id,
            owner_id=self.owner_id,
            kind=self.kind,
            text=f"{context}\n{self.content[:EMBEDDED_TEXT_MAX_CHARS]}".lstrip("\n"),
        )


@dataclass(frozen=True, slots=True)
class KeptVector:
    """A vector that a text had before it was cut anew."""

    scale: float
    body: bytes
    kind: SourceKind
    said_at: datetime
    context: str
    content: str
    title: str | None
    asked: str | None

    @property
    def embedded_text(self) -> tuple[str, str]:
        """Return what it is the vector of: a context and a text."""
        context = complete_context(
            self.kind, self.context, title=self.title, asked=self.asked, said_at=self.said_at
        )
        return context, self.content


def hold_source(tx: Tx, source: IndexedSource, *, worker: str) -> bool:
    """Tell whether a text is still as it was when work on it began, and ours until this transaction ends."""
    sql = f"SELECT 1 FROM sources WHERE {SAME_SOURCE_SQL}"
    return bool(hold_claims(tx, [source.id], worker=worker) and tx.value(sql, **identity_of(source)))


def identity_of(source: IndexedSource) -> dict[str, object]:
    """Return the values of `SAME_SOURCE_SQL`."""
    return {"id": source.id, "source_id": source.source_id, "revision": source.revision}


def read_kept_vectors(tx: Tx, source: IndexedSource) -> dict[tuple[str, str], KeptVector]:
    """Return the vectors that a text's chunks have now, by what they are the vectors of."""
    kept = tx.all(
        KeptVector,
        f"""SELECT v.scale, v.body, {CHUNK_TEXT_COLUMNS} FROM chunks AS c JOIN sources AS s ON s.id = c.source
            JOIN vectors AS v ON v.chunk = c.id WHERE c.source = :source AND v.embedder = :embedder""",
        source=source.id,
        embedder=source.embedder,
    )
    return {kept_vector.embedded_text: kept_vector for kept_vector in kept}


def delete_chunks(tx: Tx, source: IndexedSource) -> None:
    """Remove a text's chunks, with their words and vectors."""
    tx.run("DELETE FROM chunks WHERE source = :id", id=source.id)


def add_chunks(
    tx: Tx,
    source: IndexedSource,
    chunks: list[Chunk],
    kept: dict[tuple[str, str], KeptVector] | None = None,
    *,
    indexes: SearchIndexes,
) -> None:
    """Add chunks of a text, with their words, and with the vectors that they had before."""
    numbered = list(zip(indexes.words.take_chunk_ids(tx, len(chunks)), chunks, strict=True))
    tx.run_many(
        """INSERT INTO chunks (id, workspace_id, source, number, kind, language, start_line, end_line,
             start_char, end_char, tokens, context, summary, content)
           VALUES (:id, :workspace_id, :source, :number, :kind, :language, :start_line, :end_line,
             :start_char, :end_char, :tokens, :context, :summary, :content)""",
        [
            chunk_row(source, chunk_id, chunk)
            for (chunk_id, _), chunk in zip(numbered, without_message_texts(tx, source, chunks), strict=True)
        ],
    )
    indexes.words.add(
        tx,
        (
            full_text_row(source, chunk_id, context=chunk.context, content=chunk.content)
            for chunk_id, chunk in numbered
        ),
    )
    vectors = [
        VectorRow(source.bank, chunk_id, source.id, vector.scale, vector.body)
        for chunk_id, chunk in numbered
        if (vector := (kept or {}).get((chunk.context, chunk.content)))
    ]
    if vectors:
        indexes.vectors.add(tx, source.embedder, vectors)


def chunk_row(source: IndexedSource, chunk_id: int, chunk: Chunk) -> dict[str, object]:
    """Return the row of a chunk."""
    return {
        "id": chunk_id,
        "workspace_id": source.workspace_id,
        "source": source.id,
        "number": chunk.index,
        "kind": chunk.kind,
        "language": chunk.language,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        "start_char": chunk.start_char,
        "end_char": chunk.end_char,
        "tokens": chunk.tokens,
        "context": chunk.context,
        "summary": chunk.summary,
        # It stands in messages too, and is read now and then.
        "content": Packed(chunk.content) if source.kind is SourceKind.SUMMARY else chunk.content,
    }


def mark_chunked(tx: Tx, source: IndexedSource, *, chunks: int, problem: str = "") -> None:
    """Note that a text is found by its words from now on; its meaning follows."""
    tx.run(
        f"""UPDATE sources SET state = 'ready', problem = :problem, chunk_count = :chunks, indexed_at = :now,
              embedder = '', worker = NULL WHERE {SAME_SOURCE_SQL}""",
        **identity_of(source),
        chunks=chunks,
        problem=problem,
        now=now(),
    )


def mark_failed(tx: Tx, source: IndexedSource, problem: str) -> None:
    """Note that a text could not be indexed; it is tried a few times."""
    tx.run(
        f"""UPDATE sources SET attempts = attempts + 1, problem = :problem,
              state = CASE WHEN attempts + 1 >= :most THEN 'failed' ELSE state END, worker = NULL
            WHERE {SAME_SOURCE_SQL}""",
        **identity_of(source),
        problem=problem[:300],
        most=INDEX_ATTEMPTS_MAX,
    )


def delete_source(tx: Tx, source: IndexedSource) -> None:
    """Forget a text that is gone."""
    tx.run(f"DELETE FROM sources WHERE {SAME_SOURCE_SQL}", **identity_of(source))


def list_unembedded(tx: Tx, embedder: str, sources: Sequence[int], *, limit: int) -> list[UnembeddedChunk]:
    """Return chunks of some texts that lack a vector: what was said first, and of that the latest."""
    found = tx.all(
        UnembeddedChunkRow,
        f"""SELECT {UNEMBEDDED_CHUNK_COLUMNS} FROM sources AS s JOIN chunks AS c ON c.source = s.id
            WHERE s.id IN {bound_list("sources", of="BIGINT")}
              AND NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.chunk = c.id AND v.embedder = :embedder)
            ORDER BY s.kind DESC, s.id DESC, c.number LIMIT :limit""",
        embedder=embedder,
        sources=list(sources),
        limit=limit,
    )
    return [chunk.complete() for chunk in found]


def filter_unchanged(tx: Tx, chunks: list[UnembeddedChunk]) -> set[UnembeddedChunk]:
    """Return those chunks that are still there as they were read: the number of one may be another's now."""
    found = tx.all(
        UnembeddedChunkRow,
        f"""SELECT {UNEMBEDDED_CHUNK_COLUMNS} FROM chunks AS c JOIN sources AS s ON s.id = c.source
            WHERE c.id IN {bound_list("ids", of="BIGINT")}""",
        ids=[chunk.id for chunk in chunks],
    )
    return set(chunks).intersection(chunk.complete() for chunk in found)


def mark_embedded(tx: Tx, embedder: str, sources: Sequence[int], *, is_local: bool = True) -> None:
    """Note which of these texts have a vector for each of their chunks, or may not have any."""
    tx.run(
        f"""UPDATE sources SET embedder = :embedder, worker = NULL
            WHERE id IN {bound_list("sources", of="BIGINT")} AND state = 'ready'
            AND (local_only = 1 AND :local = 0 OR NOT EXISTS
              (SELECT 1 FROM chunks AS c WHERE c.source = sources.id AND NOT EXISTS
                (SELECT 1 FROM vectors AS v WHERE v.chunk = c.id AND v.embedder = :embedder)))""",
        embedder=embedder,
        sources=list(sources),
        local=is_local,
    )


def mark_rest_embedded(tx: Tx, embedder: str, *, is_local: bool) -> None:
    """Note those texts without an embedder's name that need no more vectors."""
    left = tx.column("SELECT id FROM sources WHERE state = 'ready' AND embedder = '' LIMIT 1000")
    mark_embedded(tx, embedder, left, is_local=is_local)


def has_unmarked(tx: Tx) -> bool:
    """Tell whether it is not yet noted of some text that it has all its vectors."""
    return bool(tx.value("SELECT 1 FROM sources WHERE state = 'ready' AND embedder = '' LIMIT 1"))


def is_embedded_by(tx: Tx, embedder: str) -> bool:
    """Tell whether every text that can be found has the vectors of an embedder."""
    sql = "SELECT 1 FROM sources WHERE state = 'ready' AND embedder <> :embedder LIMIT 1"
    return not tx.value(sql, embedder=embedder)
