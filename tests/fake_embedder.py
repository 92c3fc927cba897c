"""An embedder for tests: the same words give the same vector, at once, and every call is counted."""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from tertulia.embedding.domain import EmbedderUnavailable
from tertulia.settings import Settings

#: Words that mean the same to the fake, so that meaning can be told from words.
ALIKE = {"automobile": "car", "vehicle": "car", "feline": "cat", "kitten": "cat"}


@dataclass
class FakeEmbedder:
    """Vectors are sums of hashed words: texts with the same words are alike."""

    name: str = "fake/one"
    dimensions: int = 256
    is_local: bool = True
    #: Every text that was embedded, in order; queries are kept apart.
    texts: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    broken: bool = False
    started: bool = False
    closed: bool = False
    #: Cleared, embedding texts waits: queries do not.
    open: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.open.set()

    async def start(self) -> None:
        self.started = True

    async def embed(self, texts: Sequence[str], *, urgent: bool = False) -> NDArray[np.float32]:
        if not urgent:
            await self.open.wait()
        if self.broken:
            raise EmbedderUnavailable("The fake is broken: mend it.")
        (self.queries if urgent else self.texts).extend(texts)
        return np.stack([self.vector(text) for text in texts])

    def vector(self, text: str) -> NDArray[np.float32]:
        """Return the sum of the directions of a text's words, of length one."""
        words: list[str] = re.findall(r"\w+", text.lower()) or [""]
        whole = np.sum([self._direction(ALIKE.get(word, word)) for word in words], axis=0)
        return (whole / (np.linalg.norm(whole) or 1.0)).astype(np.float32)

    def _direction(self, word: str) -> NDArray[np.float64]:
        seed = int.from_bytes(hashlib.sha256(f"{self.dimensions}{word}".encode()).digest()[:4], "big")
        return np.random.default_rng(seed).standard_normal(self.dimensions)

    async def close(self) -> None:
        self.closed = True


def use(monkeypatch: pytest.MonkeyPatch, *fakes: FakeEmbedder) -> None:
    """Let servers find these embedders under their names, and the first one where none is named."""
    known = {fake.name: fake for fake in fakes}

    def embedder_for(settings: Settings, _models: object, *, client: object) -> FakeEmbedder | None:
        del client
        return known.get(settings.embedder, fakes[0] if settings.embedder == "off" else None)

    monkeypatch.setattr("tertulia.search.factory.embedder_for", embedder_for)
