"""How far indexing has come, and how large the index is."""

from dataclasses import dataclass

from tertulia.infra.db import Tx
from tertulia.retrieval.sources import VISIBLE_SOURCES_SQL

INDEX_PROBLEMS_MAX = 50


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How many texts stand where."""

    waiting: int
    chunked: int
    ready: int
    failed: int
    chunks: int

    @property
    def total(self) -> int:
        """Return how many texts there are."""
        return self.waiting + self.chunked + self.ready + self.failed


@dataclass(frozen=True, slots=True)
class IndexProblem:
    """A text that could not be read, or not whole."""

    source_id: str
    path: str
    problem: str


def read_index_progress(tx: Tx, project_id: str | None, *, dense: bool) -> IndexProgress:
    """Return how far what the caller may find of a project, or of the workspace, has come.

    Without an embedder words are all there is.
    """
    found = tx.one(
        IndexProgress,
        f"""SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting,
             count(*) FILTER (WHERE state = 'ready' AND embedder = '' AND :dense = 1) AS chunked,
             count(*) FILTER (WHERE state = 'ready' AND (embedder <> '' OR :dense = 0)) AS ready,
             count(*) FILTER (WHERE state = 'failed') AS failed, coalesce(sum(chunk_count), 0) AS chunks
           FROM sources AS s WHERE {VISIBLE_SOURCES_SQL}
             AND (CAST(:project_id AS TEXT) IS NULL OR project_id = :project_id)""",
        project_id=project_id,
        dense=dense,
    )
    assert found is not None  # noqa: S101 - an aggregate always has its row
    return found


def list_index_problems(tx: Tx, project_id: str | None) -> list[IndexProblem]:
    """Return the texts that could not be read, or not whole."""
    return tx.all(
        IndexProblem,
        f"""SELECT source_id, path, problem FROM sources AS s WHERE {VISIBLE_SOURCES_SQL} AND problem <> ''
           AND (CAST(:project_id AS TEXT) IS NULL OR project_id = :project_id) ORDER BY path LIMIT :most""",
        project_id=project_id,
        most=INDEX_PROBLEMS_MAX,
    )
