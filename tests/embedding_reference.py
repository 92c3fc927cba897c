"""all-MiniLM-L6-v2 computed plainly, in full precision: what the built-in embedder is measured by."""

from dataclasses import dataclass
from math import erf

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
error_function = np.vectorize(erf, otypes=[np.float32])


@dataclass(frozen=True)
class Reference:
    """The network with its weights by name."""

    tensors: dict[str, Floats]
    layers: int = 6
    heads: int = 12

    def vector(self, ids: list[int]) -> Floats:
        """Return the vector of one text, given as the numbers of its word pieces."""
        hidden = self._tensor("embeddings.word_embeddings.weight")[ids]
        hidden = hidden + self._tensor("embeddings.position_embeddings.weight")[: len(ids)]
        hidden = hidden + self._tensor("embeddings.token_type_embeddings.weight")[0]
        hidden = self._normed(hidden, "embeddings.LayerNorm")
        for layer in range(self.layers):
            hidden = self._layer(hidden, f"encoder.layer.{layer}")
        mean = hidden.mean(axis=0)
        return mean / np.linalg.norm(mean)

    def _layer(self, hidden: Floats, name: str) -> Floats:
        attended = self._product(self._attended(hidden, name), f"{name}.attention.output.dense")
        hidden = self._normed(hidden + attended, f"{name}.attention.output.LayerNorm")
        inner = self._product(hidden, f"{name}.intermediate.dense")
        inner = inner * (1 + error_function(inner / np.sqrt(2))) / 2
        return self._normed(hidden + self._product(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attended(self, hidden: Floats, name: str) -> Floats:
        query, key, value = (
            self._product(hidden, f"{name}.attention.self.{part}")
            .reshape(len(hidden), self.heads, -1)
            .swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = query @ key.swapaxes(1, 2) / np.sqrt(query.shape[-1])
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        return (shares @ value).swapaxes(0, 1).reshape(hidden.shape)

    def _product(self, hidden: Floats, name: str) -> Floats:
        return hidden @ self._tensor(f"{name}.weight").T + self._tensor(f"{name}.bias")

    def _normed(self, hidden: Floats, name: str) -> Floats:
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt(hidden.var(axis=-1, keepdims=True) + 1e-12)
        return scaled * self._tensor(f"{name}.weight") + self._tensor(f"{name}.bias")

    def _tensor(self, name: str) -> Floats:
        return self.tensors[name]
