"""How much there is to find, and how large the index is."""

from dataclasses import dataclass

from tertulia.infra.db import Tx


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts, and sizes in bytes."""

    messages: int
    conversations: int
    files: int
    chunks: int
    vectors: int
    text_bytes: int
    words_bytes: int
    vector_bytes: int


VECTORS = """SELECT coalesce(sum(length(v.body)), 0) FROM vectors AS v JOIN chunks AS c ON c.id = v.chunk
    WHERE c.workspace_id = :workspace"""


def share(tx: Tx) -> float:
    """Return the workspace's share of all that is indexed by words."""
    own = tx.value("SELECT count(*) FROM chunks WHERE workspace_id = :workspace")
    return own / (tx.value("SELECT count(*) FROM chunk_words_docsize") or 1)


def stats(tx: Tx) -> Stats:
    """Return what is known of the index."""
    counted = """SELECT count(*) FILTER (WHERE kind = 'message') AS messages,
        count(DISTINCT conversation_id) AS conversations, count(*) FILTER (WHERE kind = 'file') AS files,
        coalesce(sum(chunk_count), 0) AS chunks,
        coalesce(sum(chunk_count) FILTER (WHERE embedder <> ''), 0) AS vectors,
        0 AS text_bytes, 0 AS words_bytes, 0 AS vector_bytes
        FROM sources WHERE workspace_id = :workspace"""
    found = tx.one(Stats, counted)
    assert found is not None  # noqa: S101 - an aggregate always has its row
    text = "SELECT coalesce(sum(length(content)), 0) FROM chunks WHERE workspace_id = :workspace"
    return Stats(
        messages=found.messages,
        conversations=found.conversations,
        files=found.files,
        chunks=found.chunks,
        vectors=found.vectors,
        text_bytes=int(tx.value(text)),
        words_bytes=int(tx.value("SELECT coalesce(sum(length(block)), 0) FROM chunk_words_data") * share(tx)),
        vector_bytes=int(tx.value(VECTORS)),
    )
