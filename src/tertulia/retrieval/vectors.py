"""Vectors as they are stored: a byte a dimension with one scale, and one bit a dimension for looking fast."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VECTOR_BYTE_MAX = 127


def quantise_vector(vector: "NDArray[np.float32]") -> tuple[float, bytes]:
    """Return a vector as bytes and the scale that turns them back."""
    import numpy as np

    scale = float(np.abs(vector).max()) / VECTOR_BYTE_MAX or 1.0
    return scale, np.rint(vector / scale).astype(np.int8).tobytes()


def dequantise_vectors(
    bodies: Sequence[bytes], scales: Sequence[float], dimensions: int
) -> "NDArray[np.float32]":
    """Return stored vectors as one matrix, a row each."""
    import numpy as np

    whole = np.frombuffer(b"".join(bodies), dtype=np.int8).reshape(len(bodies), dimensions)
    return whole.astype(np.float32) * np.asarray(scales, dtype=np.float32)[:, None]


def pack_bits(whole: "NDArray[np.int8] | NDArray[np.float32]") -> "NDArray[np.uint64]":
    """Return one bit a dimension, whether it is positive, packed into words of 64."""
    import numpy as np

    packed = np.packbits(whole > 0, axis=1)
    spare = -packed.shape[1] % 8
    if spare:
        packed = np.pad(packed, ((0, 0), (0, spare)))
    return np.ascontiguousarray(packed).view(np.uint64)
