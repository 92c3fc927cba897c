"""The index of vectors on PostgreSQL: pgvector, looked through whole where there are few, else by HNSW."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from tertulia.infra.db import Database, Tx, bound_list
from tertulia.infra.db.postgres.dialect import UNPREPARED_MARK
from tertulia.retrieval.vector_index import QueryMeaning, VectorRow
from tertulia.retrieval.vectors import dequantise_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Up to so many vectors in reach, all are compared: that is quick, and misses nothing.
EXACT_SEARCH_MAX_VECTORS = 10_000
#: So many dimensions HNSW takes; of longer vectors it is given the first ones.
HNSW_DIMENSIONS_MAX = 4_000
#: How many neighbours HNSW keeps in view while it looks.
HNSW_CANDIDATES = 100
#: Vectors whose form for pgvector is made in one transaction.
COMPLETE_BATCH_VECTORS = 500
# Neighbours that lie elsewhere, or that filters exclude, are passed by until enough are found. The plan is
# made for the values of each search.
HNSW_SETTINGS_SQL = f"""SELECT set_config('hnsw.ef_search', '{HNSW_CANDIDATES}', true),
    set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('plan_cache_mode', 'auto', true)"""
REACH_SQL = f"v.bank IN {bound_list('banks')}"
FILTERED_REACH_SQL = f"{REACH_SQL} AND v.source IN {bound_list('among', of='BIGINT')}"
ADD_SQL = """INSERT INTO vectors (embedder, bank, chunk, source, scale, body, meaning)
    SELECT CAST(:embedder AS text), CAST(:bank AS text), c.id, CAST(:source AS bigint),
      CAST(:scale AS double precision), CAST(:body AS bytea), CAST(:meaning AS halfvec)
    FROM chunks AS c WHERE c.id = :chunk
    ON CONFLICT (embedder, bank, chunk) DO UPDATE
    SET scale = excluded.scale, body = excluded.body, meaning = excluded.meaning"""
COUNT_SQL = f"""SELECT count(*) FROM
    (SELECT 1 FROM vectors AS v WHERE v.embedder = :embedder AND {REACH_SQL} LIMIT :most) AS found"""
SIMILARITIES_SQL = f"""SELECT v.chunk, -(v.meaning <#> CAST(:vector AS halfvec)) FROM vectors AS v
    WHERE v.chunk IN {bound_list("chunks", of="BIGINT")} AND v.embedder = :embedder
      AND vector_dims(v.meaning) = :dimensions"""
INCOMPLETE_SQL = """SELECT embedder, bank, chunk, scale, body FROM vectors
    WHERE meaning IS NULL LIMIT :limit"""
SERVED_VECTORS_SQL = """SELECT v.embedder, octet_length(v.body) FROM vectors AS v
    JOIN serving_embedder AS s ON s.name = v.embedder LIMIT 1"""
COMPLETE_SQL = """UPDATE vectors SET meaning = CAST(:meaning AS halfvec)
    WHERE embedder = :embedder AND bank = :bank AND chunk = :chunk"""


class PgvectorIndex:
    """Finds chunks by their meaning, in the database itself: what one process writes, all find."""

    def __init__(self) -> None:
        self._prepared: set[tuple[str, int]] = set()

    async def prepare(self, db: Database, embedder: str, *, dimensions: int) -> None:
        """Have the vectors of an embedder indexed from the first one on."""
        if (embedder, dimensions) not in self._prepared:
            await db.write(lambda tx: create_hnsw_index(tx, embedder, dimensions), by=None)
            self._prepared.add((embedder, dimensions))

    async def complete(self, db: Database) -> None:
        """Make what pgvector needs of vectors that came from another database."""
        while await db.write(complete_vectors, by=None):
            pass  # in steps, so that others may write in between
        for embedder, dimensions in await db.read(lambda tx: tx.rows(SERVED_VECTORS_SQL), by=None):
            await self.prepare(db, embedder, dimensions=dimensions)

    def search(
        self, tx: Tx, meaning: QueryMeaning, banks: Sequence[str], *, among: frozenset[int] | None, limit: int
    ) -> dict[int, float]:
        """Return the chunks nearest to a query in some banks, with how alike they are, best first."""
        most = EXACT_SEARCH_MAX_VECTORS + 1
        reached = tx.value(COUNT_SQL, embedder=meaning.embedder, banks=list(banks), most=most)
        is_exact = reached < most
        if not is_exact:
            tx.value(HNSW_SETTINGS_SQL)
        rows = tx.rows(
            nearest_sql(meaning, is_exact=is_exact, is_filtered=among is not None, limit=limit),
            vector=vector_text(meaning.vector),
            banks=list(banks),
            among=sorted(among or ()),
        )
        return dict(sorted(rows, key=lambda row: row[1], reverse=True))

    def compute_similarities(self, tx: Tx, meaning: QueryMeaning, chunks: Sequence[int]) -> dict[int, float]:
        """Return how alike to a query some chunks are, from -1 to 1; those without a vector are left out."""
        rows = tx.rows(
            SIMILARITIES_SQL,
            vector=vector_text(meaning.vector),
            chunks=list(chunks),
            embedder=meaning.embedder,
            dimensions=len(meaning.vector),
        )
        return dict(rows)

    def add(self, tx: Tx, embedder: str, rows: Sequence[VectorRow]) -> None:
        """Write vectors of chunks that are still there, in the place of earlier ones."""
        tx.run_many(
            ADD_SQL,
            (
                {
                    "embedder": embedder,
                    "bank": row.bank,
                    "chunk": row.chunk,
                    "source": row.source,
                    "scale": row.scale,
                    "body": row.body,
                    "meaning": stored_vector_text(row.body, row.scale),
                }
                for row in rows
            ),
        )

    def release(self, embedder: str) -> None:
        """Do nothing: no memory is held."""


def nearest_sql(meaning: QueryMeaning, *, is_exact: bool, is_filtered: bool, limit: int) -> str:
    """Return the statement that finds the nearest vectors.

    The index of an embedder is used only where its condition and its expression stand in the statement.
    """
    dimensions = len(meaning.vector)
    sides = ("v.meaning", "CAST(:vector AS halfvec)")
    compared = sides if is_exact else [indexed_vector(side, dimensions) for side in sides]
    return f"""{UNPREPARED_MARK} SELECT v.chunk, -({" <#> ".join(sides)}) FROM vectors AS v
        WHERE {index_condition(meaning.embedder, dimensions)}
          AND {FILTERED_REACH_SQL if is_filtered else REACH_SQL}
        ORDER BY {" <#> ".join(compared)} LIMIT {limit}"""


def complete_vectors(tx: Tx) -> int:
    """Make the form for pgvector of some vectors that lack it, and return how many."""
    rows = tx.rows(INCOMPLETE_SQL, limit=COMPLETE_BATCH_VECTORS)
    tx.run_many(
        COMPLETE_SQL,
        (
            {
                "embedder": embedder,
                "bank": bank,
                "chunk": chunk,
                "meaning": stored_vector_text(bytes(body), scale),
            }
            for embedder, bank, chunk, scale, body in rows
        ),
    )
    return len(rows)


def create_hnsw_index(tx: Tx, embedder: str, dimensions: int) -> None:
    """Make the index of an embedder's vectors, unless it is there."""
    name = f"vectors_near_{sha256(f'{embedder} {dimensions}'.encode()).hexdigest()[:12]}"
    if tx.value("SELECT CAST(to_regclass(:name) AS text)", name=name) is None:
        tx.run(
            f"""CREATE INDEX {name} ON vectors
                USING hnsw (({indexed_vector("meaning", dimensions)}) halfvec_ip_ops)
                WHERE {index_condition(embedder, dimensions)}"""
        )


def indexed_vector(vector: str, dimensions: int) -> str:
    """Return SQL for what the index of an embedder has of a vector."""
    if dimensions <= HNSW_DIMENSIONS_MAX:
        return f"CAST({vector} AS halfvec({dimensions}))"
    return f"CAST(subvector({vector}, 1, {HNSW_DIMENSIONS_MAX}) AS halfvec({HNSW_DIMENSIONS_MAX}))"


def index_condition(embedder: str, dimensions: int) -> str:
    """Return which vectors can be compared with those of an embedder."""
    quoted = embedder.replace("'", "''")
    return f"embedder = '{quoted}' AND vector_dims(meaning) = {int(dimensions)}"


def stored_vector_text(body: bytes, scale: float) -> str:
    """Return a stored vector as pgvector reads it."""
    return vector_text(dequantise_vectors([body], [scale], len(body))[0])


def vector_text(vector: "NDArray[np.float32]") -> str:
    """Return a vector as pgvector reads it."""
    return "[" + ",".join(f"{number:.5g}" for number in vector.tolist()) + "]"
