"""Reads safetensors: a header in JSON, and the numbers behind it."""

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]


def read_tensors(path: Path) -> "dict[str, Floats]":
    """Return the float32 tensors of a file by their names."""
    import numpy as np

    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    tensors: dict[str, Floats] = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            start, end = entry["data_offsets"]
            numbers = np.frombuffer(data[8 + size + start : 8 + size + end], dtype="<f4")
            tensors[name] = numbers.reshape(entry["shape"])
    return tensors
