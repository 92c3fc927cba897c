"""The built-in embedder: offline, on the server's own processor."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tertulia.models.child import IDLE_SECONDS, Keeper
from tertulia.models.embedding import weights
from tertulia.models.embedding.domain import EmbedderUnavailable
from tertulia.models.embedding.graph import WIDTH
from tertulia.models.embedding.runner import ProcessGone, start
from tertulia.settings import Settings

if TYPE_CHECKING:
    from tertulia.models.embedding.domain import Vectors

#: How many texts go to the process at once: few, so that several who ask are served in turn.
GROUP = 4
#: How many groups that are not urgent may wait in the process.
MOST_WAITING = 2
#: The model reads 256 pieces of words, which fill only a part of so many characters.
LONGEST = 16_384


class LocalEmbedder:
    """Asks the process that runs the built-in model, and starts it when it is needed."""

    name = weights.NAME
    dimensions = WIDTH
    is_local = True

    def __init__(self, settings: Settings, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._keeper = Keeper(
            "The built-in embedder", lambda: start(weights.get(settings)), idle_seconds=idle_seconds
        )
        self._turns = asyncio.Semaphore(MOST_WAITING)
        self._closed = False

    async def embed(self, texts: Sequence[str], *, urgent: bool = False) -> "Vectors":
        """Return one row of length one for each text; an urgent request does not wait for the others."""
        import numpy as np  # noqa: PLC0415 - heavy, and not needed where nothing is searched

        rows: list[bytes] = []
        for first in range(0, len(texts), GROUP):
            group = [readable(text) for text in texts[first : first + GROUP]]
            rows.append(await self._embed_group(group, urgent=urgent))
        return np.frombuffer(bytearray().join(rows), dtype="<f4").reshape(len(texts), WIDTH)

    @property
    def pid(self) -> int | None:
        """Return the process's number while it runs."""
        return self._keeper.pid

    async def close(self) -> None:
        """Stop the process for good."""
        self._closed = True
        await self._keeper.close()

    async def _embed_group(self, texts: list[str], *, urgent: bool) -> bytes:
        if urgent:
            return await self._ask(texts, urgent=True)
        async with self._turns:
            return await self._ask(texts, urgent=False)

    async def _ask(self, texts: list[str], *, urgent: bool) -> bytes:
        """Ask, and ask once more when the process died over it."""
        try:
            return await self._ask_once(texts, urgent=urgent)
        except ProcessGone:
            pass
        try:
            return await self._ask_once(texts, urgent=urgent)
        except ProcessGone:
            raise EmbedderUnavailable("The built-in embedder stopped twice in a row: try again.") from None

    async def _ask_once(self, texts: list[str], *, urgent: bool) -> bytes:
        if self._closed:
            raise EmbedderUnavailable("The server is stopping: try again in a moment.")
        async with self._keeper.running() as link:
            return await link.ask(texts, urgent=urgent)


def readable(text: str) -> str:
    """Return the part of a text that is read, with half characters replaced."""
    return text.lstrip()[:LONGEST].encode("utf-8", "replace").decode("utf-8")
