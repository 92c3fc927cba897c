"""How much there is to find, and how large the index of it is."""

from dataclasses import dataclass

from tertulia.infra.db import Tx
from tertulia.retrieval.full_text_index import FullTextIndex
from tertulia.retrieval.sources import VISIBLE_SOURCES_SQL


@dataclass(frozen=True, slots=True)
class IndexStats:
    """Counts, and sizes in bytes, of what the caller may find."""

    messages: int
    conversations: int
    #: Versions of summaries of which a point can be found that no version before them told.
    summaries: int
    files: int
    chunks: int
    vectors: int
    #: The text of messages, and that of files as it was cut.
    message_bytes: int
    file_bytes: int
    summary_bytes: int
    words_bytes: int
    vector_bytes: int


#: The chunks `c` that the caller may find.
VISIBLE_CHUNKS_SQL = (
    f"c.workspace_id = :workspace AND c.source IN (SELECT s.id FROM sources AS s WHERE {VISIBLE_SOURCES_SQL})"
)


def count_chunks(tx: Tx) -> int:
    """Return how many chunks there are in all workspaces."""
    return int(tx.value("SELECT count(*) FROM chunks"))


def visible_share(tx: Tx, words: FullTextIndex) -> float:
    """Return the share of all that is indexed by words which the caller may find."""
    own = tx.value(f"SELECT count(*) FROM chunks AS c WHERE {VISIBLE_CHUNKS_SQL}")
    # While the index is made anew, it has fewer chunks than the caller.
    return own / max(words.count_chunks(tx), own, 1)


def read_index_stats(tx: Tx, words: FullTextIndex) -> IndexStats:
    """Return what is known of the index, as far as the caller may look into it."""
    counted = f"""SELECT count(*) FILTER (WHERE kind = 'message') AS messages,
        count(DISTINCT conversation_id) AS conversations, count(*) FILTER (WHERE kind = 'file') AS files,
        count(*) FILTER (WHERE kind = 'summary') AS summaries,
        coalesce(sum(chunk_count), 0) AS chunks,
        coalesce(sum(chunk_count) FILTER (WHERE embedder <> ''), 0) AS vectors,
        0 AS message_bytes, 0 AS file_bytes, 0 AS summary_bytes, 0 AS words_bytes, 0 AS vector_bytes
        FROM sources AS s WHERE {VISIBLE_SOURCES_SQL}"""
    found = tx.only(IndexStats, counted)
    said = f"""SELECT coalesce(sum(octet_length(m.content)), 0) FROM message_contexts AS m WHERE m.id IN
        (SELECT s.source_id FROM sources AS s WHERE s.kind = 'message' AND {VISIBLE_SOURCES_SQL})"""
    written = f"""SELECT coalesce(sum(octet_length(c.content)), 0) FROM chunks AS c
        JOIN sources AS s ON s.id = c.source WHERE s.kind = 'file' AND {VISIBLE_SOURCES_SQL}"""
    summed_up = f"""SELECT coalesce(sum(octet_length(unpacked(c.content))), 0) FROM chunks AS c
        JOIN sources AS s ON s.id = c.source WHERE s.kind = 'summary' AND {VISIBLE_SOURCES_SQL}"""
    vectors = f"""SELECT coalesce(sum(length(v.body)), 0) FROM vectors AS v JOIN chunks AS c ON c.id = v.chunk
        WHERE {VISIBLE_CHUNKS_SQL}"""
    return IndexStats(
        messages=found.messages,
        conversations=found.conversations,
        summaries=found.summaries,
        files=found.files,
        chunks=found.chunks,
        vectors=found.vectors,
        message_bytes=int(tx.value(said)),
        file_bytes=int(tx.value(written)),
        summary_bytes=int(tx.value(summed_up)),
        words_bytes=int(words.measure_bytes(tx) * visible_share(tx, words)),
        vector_bytes=int(tx.value(vectors)),
    )
