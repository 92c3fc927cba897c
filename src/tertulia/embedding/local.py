"""The built-in embedder: offline, on the server's own processor."""

import asyncio
import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tertulia.embedding import weights
from tertulia.embedding.child import start_embedder
from tertulia.embedding.domain import EmbedderUnavailable
from tertulia.embedding.graph import EMBEDDING_DIMENSIONS
from tertulia.infra.child.process import ChildGone
from tertulia.infra.child.supervisor import CHILD_IDLE_SECONDS, ChildSupervisor
from tertulia.settings import Settings

if TYPE_CHECKING:
    from tertulia.embedding.domain import Vectors

#: How many texts go to the process at once: few, so that several who ask are served in turn.
LOCAL_BATCH_TEXTS = 4
#: How many groups that are not urgent may wait in the process.
LOCAL_PENDING_BATCHES_MAX = 2
#: The model reads 256 pieces of words, which fill only a part of so many characters.
LOCAL_TEXT_MAX_CHARS = 16_384


class LocalEmbedder:
    """Asks the process that runs the built-in model, and starts it when it is needed."""

    name = weights.EMBEDDER_NAME
    dimensions = EMBEDDING_DIMENSIONS
    is_local = True

    def __init__(self, settings: Settings, *, idle_seconds: float = CHILD_IDLE_SECONDS) -> None:
        self._supervisor = ChildSupervisor(
            "The built-in embedder", lambda: start_embedder(weights.get(settings)), idle_seconds=idle_seconds
        )
        self._batch_slots = asyncio.Semaphore(LOCAL_PENDING_BATCHES_MAX)
        self._closed = False

    async def embed(self, texts: Sequence[str], *, urgent: bool = False) -> "Vectors":
        """Return one row of length one for each text; an urgent request does not wait for the others."""
        import numpy as np

        rows: list[bytes] = []
        for first in range(0, len(texts), LOCAL_BATCH_TEXTS):
            group = [prepare_local_text(text) for text in texts[first : first + LOCAL_BATCH_TEXTS]]
            rows.append(await self._embed_batch(group, urgent=urgent))
        return np.frombuffer(bytearray().join(rows), dtype="<f4").reshape(len(texts), EMBEDDING_DIMENSIONS)

    async def start(self) -> None:
        """Start the process, unless it runs, and load what reads its vectors."""
        if not self._closed:
            await asyncio.to_thread(importlib.import_module, "numpy")
            async with self._supervisor.running():
                pass

    @property
    def pid(self) -> int | None:
        """Return the process's number while it runs."""
        return self._supervisor.pid

    async def close(self) -> None:
        """Stop the process for good."""
        self._closed = True
        await self._supervisor.close()

    async def _embed_batch(self, texts: list[str], *, urgent: bool) -> bytes:
        if urgent:
            return await self._embed_with_retry(texts, urgent=True)
        async with self._batch_slots:
            return await self._embed_with_retry(texts, urgent=False)

    async def _embed_with_retry(self, texts: list[str], *, urgent: bool) -> bytes:
        """Ask, and ask once more when the process died over it."""
        try:
            return await self._embed_once(texts, urgent=urgent)
        except ChildGone:
            pass
        try:
            return await self._embed_once(texts, urgent=urgent)
        except ChildGone:
            raise EmbedderUnavailable("The built-in embedder stopped twice in a row: try again.") from None

    async def _embed_once(self, texts: list[str], *, urgent: bool) -> bytes:
        if self._closed:
            raise EmbedderUnavailable("The server is stopping: try again in a moment.")
        async with self._supervisor.running() as link:
            return await link.embed(texts, urgent=urgent)


def prepare_local_text(text: str) -> str:
    """Return the part of a text that is read, with half characters replaced."""
    return text.lstrip()[:LOCAL_TEXT_MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
