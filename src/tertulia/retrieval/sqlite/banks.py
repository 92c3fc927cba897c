"""The bits of all vectors of a project, in memory, scanned whole: a first guess at what is near.

The rows are the truth. A bank is read from them when it is first needed, grows
with what is indexed, and may hold chunks that are gone: whoever looks them up
finds no row, and when that happens often the bank is read anew.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tertulia.infra.db import Tx
from tertulia.retrieval.vector_index import VectorRow
from tertulia.retrieval.vectors import pack_bits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Chunks that may be held in memory at once, about sixty bytes each; the banks used longest ago go first.
BANKS_CHUNKS_MAX = 4_000_000
#: Rows read at a time while a bank is loaded.
BANK_LOAD_BATCH_ROWS = 20_000


class Bank:
    """Bits in columns of 64 dimensions, which are quick to scan, with the chunk and the source of each."""

    def __init__(self) -> None:
        import numpy as np

        self.size = 0
        #: How long a vector is; known from the first one.
        self._dimensions = 0
        self._chunks = np.zeros(0, dtype=np.int64)
        self._sources = np.zeros(0, dtype=np.int64)
        self._bits = np.zeros((0, 0), dtype=np.uint64)
        self._lock = threading.Lock()

    def add(self, rows: Sequence[VectorRow]) -> None:
        """Add vectors; room doubles when it runs out."""
        self.add_columns(
            [row.chunk for row in rows], [row.source for row in rows], [row.body for row in rows]
        )

    def add_columns(self, chunks: Sequence[int], sources: Sequence[int], bodies: Sequence[bytes]) -> None:
        """Add vectors by their columns; one of another length than most is left out."""
        import numpy as np

        if not bodies:
            return
        self._dimensions = self._dimensions or Counter(map(len, bodies)).most_common(1)[0][0]
        if any(len(body) != self._dimensions for body in bodies):
            kept = [at for at, body in enumerate(bodies) if len(body) == self._dimensions]
            chunks, sources = [chunks[at] for at in kept], [sources[at] for at in kept]
            bodies = [bodies[at] for at in kept]
        whole = np.frombuffer(b"".join(bodies), dtype=np.int8).reshape(-1, self._dimensions)
        bits = pack_bits(whole)
        with self._lock:
            end = self.size + len(bodies)
            if end > len(self._chunks):
                self._grow(max(end, 2 * len(self._chunks), 256))
            self._bits[:, self.size : end] = bits.T
            self._chunks[self.size : end] = chunks
            self._sources[self.size : end] = sources
            self.size = end

    def _grow(self, capacity: int) -> None:
        import numpy as np

        more, width = capacity - len(self._chunks), (self._dimensions + 63) // 64
        new = np.zeros((width, more), dtype=np.uint64)
        self._bits = np.concatenate([self._bits.reshape(width, -1), new], axis=1)
        self._chunks = np.concatenate([self._chunks, np.zeros(more, dtype=np.int64)])
        self._sources = np.concatenate([self._sources, np.zeros(more, dtype=np.int64)])

    def find_nearest(
        self, vector: "NDArray[np.float32]", *, max_chunks: int, source_ids: "NDArray[np.int64] | None" = None
    ) -> list[tuple[int, int]]:
        """Return the chunks whose bits differ least from a vector's, each after how many bits differ."""
        import numpy as np

        if self._dimensions != len(vector):
            return []
        with self._lock:
            size, bits, chunks, sources = self.size, self._bits, self._chunks, self._sources
        bits, chunks = bits[:, :size], chunks[:size]
        if source_ids is not None:
            kept = np.isin(sources[:size], source_ids)
            bits, chunks = bits[:, kept], chunks[kept]
        differing = np.zeros(len(chunks), dtype=np.uint16)
        for column, wanted in zip(bits, pack_bits(vector[None, :])[0], strict=True):
            differing += np.bitwise_count(column ^ wanted)
        if len(chunks) > max_chunks:
            nearest = np.argpartition(differing, max_chunks)[:max_chunks]
            chunks, differing = chunks[nearest], differing[nearest]
        return list(zip(differing.tolist(), chunks.tolist(), strict=True))


class Banks:
    """The banks of every embedder, loaded when first asked for."""

    def __init__(self) -> None:
        self._banks: OrderedDict[tuple[str, str], Bank] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, tx: Tx, embedder: str, name: str) -> Bank:
        """Return a bank, read from the rows when it is not in memory."""
        with self._lock:
            if bank := self._banks.get((embedder, name)):
                self._banks.move_to_end((embedder, name))
                return bank
            bank = self._banks[embedder, name] = load_bank(tx, embedder, name)
            self._evict_oldest()
        return bank

    def add(self, embedder: str, rows: Sequence[VectorRow]) -> None:
        """Add new vectors to those banks that are in memory; one that is not will be read with them."""
        for row in rows:
            if bank := self._banks.get((embedder, row.bank)):
                bank.add([row])

    def drop(self, embedder: str, name: str) -> None:
        """Have a bank read anew when it is next needed."""
        with self._lock:
            self._banks.pop((embedder, name), None)

    def drop_all(self, embedder: str) -> None:
        """Forget the banks of an embedder."""
        with self._lock:
            for key in [key for key in self._banks if key[0] == embedder]:
                del self._banks[key]

    @property
    def vector_count(self) -> int:
        """Return how many vectors are in memory."""
        return sum(bank.size for bank in self._banks.values())

    def _evict_oldest(self) -> None:
        while len(self._banks) > 1 and self.vector_count > BANKS_CHUNKS_MAX:
            self._banks.popitem(last=False)


def load_bank(tx: Tx, embedder: str, name: str) -> Bank:
    """Return a bank as its rows are now."""
    bank = Bank()
    after = 0
    while chunks := read_column(tx, "chunk", embedder, name, after=after):
        sources, bodies = (
            read_column(tx, column, embedder, name, after=after) for column in ("source", "body")
        )
        bank.add_columns(chunks, sources, bodies)
        after = chunks[-1]
    return bank


def read_column(tx: Tx, column: str, embedder: str, bank: str, *, after: int) -> list[Any]:
    """Return a column of some vectors of a bank, in the order of their chunks: rows would take far longer."""
    return tx.column(
        f"""SELECT {column} FROM vectors WHERE embedder = :embedder AND bank = :bank
            AND chunk > :after ORDER BY chunk LIMIT :block""",
        embedder=embedder,
        bank=bank,
        after=after,
        block=BANK_LOAD_BATCH_ROWS,
    )
