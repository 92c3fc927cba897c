"""The index of vectors on SQLite: a guess from bits in memory, then the exact likeness of the best."""

from collections.abc import Sequence

from tertulia.infra.db import Database, Tx, bound_list
from tertulia.retrieval import vector_rows
from tertulia.retrieval.sqlite.banks import Banks
from tertulia.retrieval.vector_index import QueryMeaning, VectorRow

#: How many guesses are looked at exactly, and in a large bank.
BANK_GUESSES_MAX = 300
LARGE_BANK_GUESSES_MAX = 800
LARGE_BANK_MIN_CHUNKS = 200_000
#: When so many of the chunks that were guessed are gone, the banks are read anew.
STALE_BANK_MISSING_SHARE = 0.2
# Left to itself, SQLite may read every vector of the embedder to find these few.
CHUNK_VECTORS_SQL = f"""SELECT chunk, scale, body FROM vectors INDEXED BY vectors_by_chunk
    WHERE chunk IN {bound_list("chunks", of="BIGINT")} AND embedder = :embedder"""


class BankIndex:
    """Finds chunks by their meaning, in banks of bits that this process holds."""

    def __init__(self) -> None:
        self._banks = Banks()

    async def prepare(self, db: Database, embedder: str, *, dimensions: int) -> None:
        """Do nothing: the table takes vectors of any embedder."""

    async def complete(self, db: Database) -> None:
        """Do nothing: a bank is read from the rows when it is needed."""

    def search(
        self, tx: Tx, meaning: QueryMeaning, banks: Sequence[str], *, among: frozenset[int] | None, limit: int
    ) -> dict[int, float]:
        """Return the chunks nearest to a query in some banks, with how alike they are, best first."""
        chunks = self._guess(tx, meaning, banks, among=among)
        alike = self.compute_similarities(tx, meaning, chunks)
        if len(chunks) - len(alike) > max(10, len(chunks) * STALE_BANK_MISSING_SHARE):
            for name in banks:
                self._banks.drop(meaning.embedder, name)
        best = sorted(alike, key=lambda chunk: alike[chunk], reverse=True)[:limit]
        return {chunk: alike[chunk] for chunk in best}

    def compute_similarities(self, tx: Tx, meaning: QueryMeaning, chunks: Sequence[int]) -> dict[int, float]:
        """Return how alike to a query some chunks are, from -1 to 1; those without a vector are left out."""
        stored = tx.rows(CHUNK_VECTORS_SQL, embedder=meaning.embedder, chunks=list(chunks))
        return vector_rows.compute_similarities(meaning.vector, stored)

    def add(self, tx: Tx, embedder: str, rows: Sequence[VectorRow]) -> None:
        """Write vectors of chunks that are still there, and have the banks in memory follow."""
        vector_rows.add_vectors(tx, embedder, rows)
        tx.after_commit(lambda: self._banks.add(embedder, rows))

    def release(self, embedder: str) -> None:
        """Give back the memory held for an embedder that serves no more."""
        self._banks.drop_all(embedder)

    def _guess(
        self, tx: Tx, meaning: QueryMeaning, banks: Sequence[str], *, among: frozenset[int] | None
    ) -> list[int]:
        """Return the chunks whose bits differ least from those of a query, the nearest first."""
        import numpy as np

        source_ids = None if among is None else np.fromiter(among, dtype=np.int64)
        opened = [self._banks.get(tx, meaning.embedder, name) for name in banks]
        is_large = sum(bank.size for bank in opened) > LARGE_BANK_MIN_CHUNKS
        most = LARGE_BANK_GUESSES_MAX if is_large else BANK_GUESSES_MAX
        guesses: list[tuple[int, int]] = []
        for bank in opened:
            guesses += bank.find_nearest(meaning.vector, max_chunks=most, source_ids=source_ids)
        return [chunk for _, chunk in sorted(guesses)[:most]]
