"""The rows of the full-text index: what is written into it for a chunk."""

import re
from collections.abc import Iterable, Mapping

from tertulia.infra.db import Tx
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN, list_name_parts
from tertulia.retrieval.lexical_search import scope_terms
from tertulia.retrieval.sources import IndexedSource

#: A capital letter or digit inside a word: without one, no word has parts.
INNER_CAPITAL_PATTERN = re.compile(r"[A-Z0-9](?<=[A-Za-z0-9].)")


def last_indexed_chunk(tx: Tx) -> int:
    """Return the highest number of a chunk that the index has or had; 0 when it is empty."""
    return int(tx.value("SELECT coalesce(max(id), 0) FROM chunk_words_docsize"))


def count_indexed_chunks(tx: Tx) -> int:
    """Return how many chunks the index has, in all workspaces."""
    return int(tx.value("SELECT count(*) FROM chunk_words_docsize"))


def measure_full_text_bytes(tx: Tx) -> int:
    """Return how large the index is, in all workspaces."""
    return int(tx.value("SELECT coalesce(sum(length(block)), 0) FROM chunk_words_data"))


def insert_full_text_rows(tx: Tx, rows: Iterable[Mapping[str, object]]) -> None:
    """Enter chunks into the index, each as its `full_text_row`."""
    tx.run_many(
        "INSERT INTO chunk_words (rowid, content, keys, place) VALUES (:id, :content, :keys, :place)", rows
    )


def full_text_row(source: IndexedSource, chunk: int, *, context: str, content: str) -> dict[str, object]:
    """Return the row of a chunk in the full-text index."""
    place = scope_terms(
        workspace_id=source.workspace_id,
        project_id=source.project_id,
        conversation_id=source.conversation_id,
        owner_id=source.owner_id,
        kind=source.kind,
    )
    return {"id": chunk, "content": content, "keys": search_keys(source, context, content), "place": place}


def search_keys(source: IndexedSource, context: str, content: str) -> str:
    """Return further words under which a chunk is found: path, headings, speaker, parts of names."""
    path = " ".join(INDEX_WORD_PATTERN.findall(source.path))
    keys = [path, " ".join(list_name_parts(path)), context, source.speaker.removeprefix("agent:")]
    # Most text has no such word, and one look at all of it is quicker than one at each word.
    parts = list_name_parts(content) if INNER_CAPITAL_PATTERN.search(content) else []
    return " ".join([key for key in keys if key] + parts)
