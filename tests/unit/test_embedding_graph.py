"""The embedder's network: what it computes is what a plain computation in full precision gives."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from tests.embedding_reference import Floats, Reference

from tertulia.embedding import graph
from tertulia.embedding.safetensors_file import read_tensors

LAYERS, WORDS, WIDTH, INNER = 2, 500, 384, 1536
random = np.random.default_rng(7)


def shapes() -> dict[str, tuple[int, ...]]:
    """Return the shapes of a small network's tensors."""
    found: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, WIDTH),
        "embeddings.position_embeddings.weight": (512, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            found[f"{name}.attention.{part}.weight"] = (WIDTH, WIDTH)
        found[f"{name}.intermediate.dense.weight"] = (INNER, WIDTH)
        found[f"{name}.output.dense.weight"] = (WIDTH, INNER)
    norms = [
        f"encoder.layer.{layer}{part}" for layer in range(LAYERS) for part in (".attention.output", ".output")
    ]
    found |= {f"{name}.LayerNorm.weight": (WIDTH,) for name in ("embeddings", *norms)}
    return found | {
        name.replace(".weight", ".bias"): (shape[0],) for name, shape in found.items() if "_" not in name
    }


def tensor(name: str, shape: tuple[int, ...]) -> Floats:
    base = 1.0 if name.endswith("LayerNorm.weight") else 0.0
    return (base + random.normal(0, 0.05, shape)).astype(np.float32)


def safetensors(tensors: dict[str, Floats]) -> bytes:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, values in tensors.items():
        data = values.astype("<f4").tobytes()
        header[name] = {
            "dtype": "F32",
            "shape": list(values.shape),
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + body


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> tuple[Reference, onnxruntime.InferenceSession]:
    """A network with random weights, computed plainly and by the graph."""
    folder = tmp_path_factory.mktemp("network")
    tensors = {name: tensor(name, shape) for name, shape in shapes().items()}
    (folder / "weights").write_bytes(safetensors(tensors))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph, "LAYERS", LAYERS)
        graph.write_graph(folder / "weights", folder / "model.onnx")
    return Reference(tensors, LAYERS), onnxruntime.InferenceSession(str(folder / "model.onnx"))


def run(session: onnxruntime.InferenceSession, ids: list[list[int]], mask: list[list[int]]) -> Floats:
    (vectors,) = session.run(None, {"input_ids": np.array(ids), "attention_mask": np.array(mask)})
    return np.asarray(vectors)


def test_tensors_are_read_as_they_were_written(tmp_path: Path) -> None:
    written = {"one": np.arange(6, dtype=np.float32).reshape(2, 3), "two": np.ones(4, dtype=np.float32)}
    (tmp_path / "weights").write_bytes(safetensors(written))
    read = read_tensors(tmp_path / "weights")
    assert read.keys() == written.keys()
    assert all((read[name] == written[name]).all() for name in written)


@pytest.mark.parametrize("length", [1, 2, 17, 256])
def test_the_graph_gives_what_a_plain_computation_gives(network: Any, length: int) -> None:
    reference, session = network
    ids = [int(one) for one in random.integers(0, WORDS, length)]
    (vector,) = run(session, [ids], [[1] * length])
    assert float(vector @ reference.vector(ids)) > 0.99
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_what_the_mask_leaves_out_does_not_count(network: Any) -> None:
    reference, session = network
    short, long = [5, 6, 7], [11, 12, 13, 14, 15, 16]
    filled = [*short, 499, 498, 497]
    vectors = run(session, [filled, long], [[1, 1, 1, 0, 0, 0], [1] * 6])
    assert float(vectors[0] @ reference.vector(short)) > 0.99
    assert float(vectors[1] @ reference.vector(long)) > 0.99
    assert float(vectors[0] @ reference.vector(filled)) < 0.9


def test_each_row_keeps_its_own_scale_so_that_small_weights_are_not_lost() -> None:
    weight = np.array([[1000.0, -500.0], [0.001, 0.0005], [0, 0]], dtype=np.float32)
    steps, scale = graph.quantise(weight, axis=0, limit=127)
    assert steps.dtype == np.int8
    assert np.abs(steps * scale[:, None] - weight).max(axis=1) == pytest.approx([0, 0, 0], abs=4)
    assert steps[1].tolist() == [127, 64]
