"""Vectors in their table, which both engines have, and how alike they are to a query's."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tertulia.infra.db import Tx
from tertulia.infra.db.statements import Row
from tertulia.retrieval.vector_index import VectorRow
from tertulia.retrieval.vectors import dequantise_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def add_vectors(tx: Tx, embedder: str, rows: Sequence[VectorRow]) -> None:
    """Add the vectors of chunks that are still there, in the place of earlier ones."""
    tx.run_many(
        """INSERT INTO vectors (embedder, bank, chunk, source, scale, body)
           SELECT :embedder, :bank, :chunk, :source, :scale, :body
           WHERE EXISTS (SELECT 1 FROM chunks WHERE id = :chunk)
           ON CONFLICT (embedder, bank, chunk) DO UPDATE SET scale = :scale, body = :body""",
        (
            {
                "embedder": embedder,
                "bank": row.bank,
                "chunk": row.chunk,
                "source": row.source,
                "scale": row.scale,
                "body": row.body,
            }
            for row in rows
        ),
    )


def compute_similarities(vector: "NDArray[np.float32]", stored: Sequence[Row]) -> dict[int, float]:
    """Return how alike to a vector stored ones of its length are, which come as chunk, scale and body."""
    whole = [(chunk, scale, body) for chunk, scale, body in stored if len(body) == len(vector)]
    if not whole:
        return {}
    found, scales, bodies = zip(*whole, strict=True)
    matrix = dequantise_vectors(bodies, scales, len(vector))
    # Rounding makes a vector a little longer than one, and no two meanings are more than the same.
    return dict(zip(found, (matrix @ vector).clip(-1, 1).tolist(), strict=True))
