"""What an embedder promises."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from tertulia.core.errors import Unavailable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors; those of one name can be compared with each other."""

    @property
    def name(self) -> str:
        """Return what is stored with each vector."""
        ...

    @property
    def dimensions(self) -> int:
        """Return how long a vector is; zero while only its server knows."""
        ...

    @property
    def is_local(self) -> bool:
        """Tell whether texts stay on this machine."""
        ...

    async def start(self) -> None:
        """Get ready, so that the first texts need not wait for it."""
        ...

    async def embed(self, texts: Sequence[str], *, urgent: bool = False) -> "Vectors":
        """Return one row of length one for each text; an urgent request does not wait for the others."""
        ...

    async def close(self) -> None:
        """Give back what the embedder holds."""
        ...


class EmbedderUnavailable(Unavailable):
    """No vectors can be made just now; the sentence says what to do."""

    code = "embedder_unavailable"
