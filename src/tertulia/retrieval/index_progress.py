"""How far indexing has come, and which files search does not find yet."""

from dataclasses import dataclass
from datetime import datetime

from tertulia.infra.db import Tx
from tertulia.retrieval.sources import VISIBLE_SOURCES_SQL

INDEX_PROBLEMS_MAX = 50
#: Of the files that wait for vectors so many are looked at: after a change of embedder all of them wait.
UNEMBEDDED_FILES_MAX = 50


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


@dataclass(frozen=True, slots=True)
class UnindexedFile:
    """A file that search does not find as it is now, or not by its meaning."""

    file_id: str
    project_id: str
    path: str
    local_only: bool
    written_at: datetime
    #: Its words are found already.
    has_words: bool


@dataclass(frozen=True, slots=True)
class FilesAtHand:
    """The files of a project, and those attached to a conversation."""

    project_id: str | None
    conversation_id: str | None


UNINDEXED_COLUMNS = """s.source_id AS file_id, coalesce(s.project_id, '') AS project_id, s.path, s.local_only,
    s.said_at AS written_at"""
FILES_AT_HAND_SQL = f"""{VISIBLE_SOURCES_SQL} AND s.kind = 'file' AND (s.conversation_id = :conversation_id
    OR (s.conversation_id IS NULL AND s.project_id = :project_id))"""


def list_uncut_files(tx: Tx, place: FilesAtHand, *, limit: int) -> list[UnindexedFile]:
    """Return the latest files at hand that are not found as they are now.

    What is only indexed anew is found as before.
    """
    return tx.all(
        UnindexedFile,
        f"""SELECT {UNINDEXED_COLUMNS}, 0 AS has_words FROM sources AS s WHERE s.state = 'waiting'
              AND (s.indexed_at IS NULL OR s.indexed_at < s.said_at) AND {FILES_AT_HAND_SQL}
            ORDER BY s.id DESC LIMIT :limit""",
        project_id=place.project_id,
        conversation_id=place.conversation_id,
        limit=limit,
    )


def list_unembedded_files(tx: Tx, place: FilesAtHand, *, embedder: str, limit: int) -> list[UnindexedFile]:
    """Return the latest files at hand that are found by their words alone."""
    # Chunks get their vectors in order: with the last one, all have theirs.
    return tx.all(
        UnindexedFile,
        f"""SELECT {UNINDEXED_COLUMNS}, 1 AS has_words FROM
              (SELECT * FROM sources WHERE state = 'ready' AND embedder = '' AND kind = 'file'
               AND workspace_id = :workspace AND chunk_count > 0 ORDER BY id DESC LIMIT :newest) AS s
            WHERE {FILES_AT_HAND_SQL} AND NOT EXISTS
              (SELECT 1 FROM chunks AS c JOIN vectors AS v ON v.chunk = c.id AND v.embedder = :embedder
               WHERE c.source = s.id AND c.number = s.chunk_count - 1)
            ORDER BY s.id DESC LIMIT :limit""",
        project_id=place.project_id,
        conversation_id=place.conversation_id,
        embedder=embedder,
        newest=UNEMBEDDED_FILES_MAX,
        limit=limit,
    )


def read_index_progress(tx: Tx, project_id: str | None, *, dense: bool) -> IndexProgress:
    """Return how far what the caller may find of a project, or of the workspace, has come.

    Without an embedder words are all there is.
    """
    return tx.only(
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


def list_index_problems(tx: Tx, project_id: str | None) -> list[IndexProblem]:
    """Return the texts that could not be read, or not whole."""
    return tx.all(
        IndexProblem,
        f"""SELECT source_id, path, problem FROM sources AS s WHERE {VISIBLE_SOURCES_SQL} AND problem <> ''
           AND (CAST(:project_id AS TEXT) IS NULL OR project_id = :project_id) ORDER BY path LIMIT :most""",
        project_id=project_id,
        most=INDEX_PROBLEMS_MAX,
    )
