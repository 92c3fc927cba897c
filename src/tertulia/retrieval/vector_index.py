"""What every index of vectors gives, whichever engine holds it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tertulia.infra.db import Database, Tx

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class VectorRow:
    """A chunk's vector as it is stored, the source it belongs to, and the bank it lies in."""

    bank: str
    chunk: int
    source: int
    scale: float
    body: bytes


@dataclass(frozen=True, slots=True)
class QueryMeaning:
    """The vector of a query, and the embedder that made it."""

    vector: "NDArray[np.float32]"
    embedder: str


class VectorIndex(Protocol):
    """Finds chunks by their meaning; only vectors of one embedder are compared with each other."""

    async def prepare(self, db: Database, embedder: str, *, dimensions: int) -> None:
        """Make ready for vectors of an embedder, before the first of them is written."""
        ...

    async def complete(self, db: Database) -> None:
        """Make what is missing of the index where vectors came from another database."""
        ...

    def search(
        self, tx: Tx, meaning: QueryMeaning, banks: Sequence[str], *, among: frozenset[int] | None, limit: int
    ) -> dict[int, float]:
        """Return the chunks nearest to a query in some banks, with how alike they are, best first.

        Where `among` is given, only chunks of these sources count.
        """
        ...

    def compute_similarities(self, tx: Tx, meaning: QueryMeaning, chunks: Sequence[int]) -> dict[int, float]:
        """Return how alike to a query some chunks are, from -1 to 1; those without a vector are left out."""
        ...

    def add(self, tx: Tx, embedder: str, rows: Sequence[VectorRow]) -> None:
        """Write vectors of chunks that are still there, in the place of earlier ones."""
        ...

    def release(self, embedder: str) -> None:
        """Give back the memory held for an embedder that serves no more."""
        ...
