"""Finding chunks by their meaning: a guess from bits, then the exact likeness of the best."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tertulia.infra.db import Tx, bound_list
from tertulia.retrieval.banks import Banks
from tertulia.retrieval.lexical_search import SearchScope
from tertulia.retrieval.vectors import dequantise_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: How many guesses are looked at exactly, and in a large bank.
BANK_GUESSES_MAX = 300
LARGE_BANK_GUESSES_MAX = 800
LARGE_BANK_MIN_CHUNKS = 200_000
#: When so many of the chunks that were guessed are gone, the banks are read anew.
STALE_BANK_MISSING_SHARE = 0.2


def search_vectors(
    tx: Tx,
    vector: "NDArray[np.float32]",
    bank_names: Sequence[str],
    scope: SearchScope,
    *,
    banks: Banks,
    limit: int,
) -> dict[int, float]:
    """Return the chunks nearest to a vector in some banks, with how alike they are, best first."""
    import numpy as np  # noqa: PLC0415 - heavy, and not needed to start

    among = None if scope.among is None else np.fromiter(scope.among, dtype=np.int64)
    guesses: list[tuple[int, int]] = []
    opened = [banks.get(tx, name) for name in bank_names]
    most = (
        LARGE_BANK_GUESSES_MAX
        if sum(bank.size for bank in opened) > LARGE_BANK_MIN_CHUNKS
        else BANK_GUESSES_MAX
    )
    for bank in opened:
        guesses += bank.find_nearest(vector, max_chunks=most, source_ids=among)
    chunks = [chunk for _, chunk in sorted(guesses)[:most]]
    alike = compute_similarities(tx, vector, chunks, banks=banks)
    if len(chunks) - len(alike) > max(10, len(chunks) * STALE_BANK_MISSING_SHARE):
        for name in bank_names:
            banks.drop(name)
    best = sorted(alike, key=lambda chunk: alike[chunk], reverse=True)[:limit]
    return {chunk: alike[chunk] for chunk in best}


def compute_similarities(
    tx: Tx, vector: "NDArray[np.float32]", chunks: Sequence[int], *, banks: Banks
) -> dict[int, float]:
    """Return how alike to a vector some chunks are, from -1 to 1; those without a vector are left out."""
    stored = tx.rows(
        # Left to itself, SQLite may read every vector of the embedder to find these few.
        f"""SELECT chunk, scale, body FROM vectors INDEXED BY vectors_by_chunk
            WHERE chunk IN {bound_list("chunks")} AND embedder = :embedder""",
        embedder=banks.embedder,
        chunks=list(chunks),
    )
    whole = [(chunk, scale, body) for chunk, scale, body in stored if len(body) == len(vector)]
    if not whole:
        return {}
    found, scales, bodies = zip(*whole, strict=True)
    matrix = dequantise_vectors(bodies, scales, len(vector))
    return dict(zip(found, (matrix @ vector).tolist(), strict=True))
