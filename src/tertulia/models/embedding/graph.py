"""Builds the network of all-MiniLM-L6-v2 as an ONNX graph.

Weights are whole numbers of eight bits with a scale for each output (or, in
the table of words, for each word). Activations are quantised while it runs,
except before the last product of each layer, where a few are so large that
the others would be lost beside them: this costs a sixth of the speed and
halves the error. Out come the means of the last layer over the words that the
mask counts, of length one.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tertulia.models.embedding.tensors import read_tensors

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Array = npt.NDArray[Any]

LAYERS = 6
HEADS = 12
WIDTH = 384
EPSILON = 1e-12
#: Processors without VNNI add two products in sixteen bits, which eight bits of weight overflow.
WEIGHT_LIMIT = 63
TABLE_LIMIT = 127
OPSET = 17
IR_VERSION = 8
#: ONNX Runtime's own operators, among them the quantised product in one step.
RUNTIME = "com.microsoft"


def write_graph(weights: Path, target: Path) -> None:
    """Turn the weights into a graph and write it to `target`."""
    graph = Graph(read_tensors(weights))
    hidden = graph.embedded()
    for layer in range(LAYERS):
        hidden = graph.layer(hidden, f"encoder.layer.{layer}")
    graph.pooled(hidden)
    target.write_bytes(graph.serialized())


def quantised(weight: "Floats", *, axis: int, limit: int) -> "tuple[Array, Floats]":
    """Return a matrix as small whole numbers, with the scale of each row or column along `axis`."""
    import numpy as np  # noqa: PLC0415 - heavy, and only needed when a model is made

    largest = np.abs(weight).max(axis=1 - axis)
    scale = (np.where(largest > 0, largest, 1) / limit).astype(np.float32)
    steps = np.rint(weight / np.expand_dims(scale, 1 - axis))
    return steps.astype(np.int8), scale


class Graph:
    """A network in the making: each method adds a part and returns the name of what comes out."""

    def __init__(self, tensors: "dict[str, Floats]") -> None:
        self._tensors = tensors
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._made = 0

    def embedded(self) -> str:
        """Add the table of words with their places; return what the first layer reads."""
        table, scale = quantised(self._tensor("embeddings.word_embeddings.weight"), axis=0, limit=TABLE_LIMIT)
        # Every text is a single segment, so that segment's vector can be added to each place.
        places = self._tensor("embeddings.position_embeddings.weight")
        places = places + self._tensor("embeddings.token_type_embeddings.weight")[0]
        rows = self._add("Gather", self._constant(table), "input_ids")
        scales = self._add("Gather", self._constant(scale[:, None]), "input_ids")
        words = self._add("Mul", self._add("Cast", rows, to=1), scales)
        length = self._add("Shape", "input_ids", start=1, end=2)
        here = self._add("Slice", self._constant(places), self._whole(0), length, self._whole(0))
        return self._normed(self._add("Add", words, here), "embeddings.LayerNorm")

    def layer(self, hidden: str, name: str) -> str:
        """Add one layer: attention, then the inner network, each added to what came in."""
        attended = self._attention(hidden, f"{name}.attention.self")
        output = self._product(attended, f"{name}.attention.output.dense")
        hidden = self._normed_sum(output, hidden, f"{name}.attention.output.LayerNorm")
        inner = self._add("Gelu", self._product(hidden, f"{name}.intermediate.dense"), domain=RUNTIME)
        output = self._exact_product(inner, f"{name}.output.dense")
        return self._normed_sum(output, hidden, f"{name}.output.LayerNorm")

    def pooled(self, hidden: str) -> None:
        """Add the mean over the words that count, made one long."""
        counted = self._add("Cast", self._add("Unsqueeze", "attention_mask", self._whole(2)), to=1)
        total = self._add("ReduceSum", self._add("Mul", hidden, counted), self._whole(1), keepdims=0)
        # Dividing by the number of words would be undone by making it one long.
        self._nodes.append(self._node("LpNormalization", [total], "vectors", axis=1, p=2))

    def serialized(self) -> bytes:
        """Return the whole network, checked, as a file holds it."""
        import onnx  # noqa: PLC0415 - heavy, and only needed when a model is made
        from onnx import TensorProto, helper  # noqa: PLC0415 - see above

        shape = ["texts", "length"]
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "attention_mask")
        ]
        outputs = [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", WIDTH])]
        graph = helper.make_graph(self._nodes, "all-MiniLM-L6-v2", inputs, outputs, self._constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(RUNTIME, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
        onnx.checker.check_model(model)
        return model.SerializeToString()

    def _attention(self, hidden: str, name: str) -> str:
        query, key, value = (self._product(hidden, f"{name}.{part}") for part in ("query", "key", "value"))
        mask = self._add("Cast", "attention_mask", to=6)
        inputs = [query, key, value, "", mask]
        return self._add("MultiHeadAttention", *inputs, domain=RUNTIME, num_heads=HEADS)

    def _product(self, hidden: str, name: str) -> str:
        weight, scale = quantised(self._tensor(f"{name}.weight").T, axis=1, limit=WEIGHT_LIMIT)
        inputs = [
            hidden,
            self._constant(weight),
            self._constant(scale),
            "",
            self._constant_of(f"{name}.bias"),
        ]
        return self._add("DynamicQuantizeMatMul", *inputs, domain=RUNTIME)

    def _exact_product(self, hidden: str, name: str) -> str:
        product = self._add("MatMul", hidden, self._constant(self._tensor(f"{name}.weight").T))
        return self._add("Add", product, self._constant_of(f"{name}.bias"))

    def _normed(self, hidden: str, name: str) -> str:
        scale, shift = self._constant_of(f"{name}.weight"), self._constant_of(f"{name}.bias")
        return self._add("LayerNormalization", hidden, scale, shift, epsilon=EPSILON)

    def _normed_sum(self, output: str, hidden: str, name: str) -> str:
        scale, shift = self._constant_of(f"{name}.weight"), self._constant_of(f"{name}.bias")
        inputs = [output, hidden, scale, shift]
        return self._add("SkipLayerNormalization", *inputs, domain=RUNTIME, epsilon=EPSILON)

    def _tensor(self, name: str) -> "Floats":
        return self._tensors[name]

    def _constant_of(self, name: str) -> str:
        return self._constant(self._tensor(name))

    def _whole(self, number: int) -> str:
        import numpy as np  # noqa: PLC0415 - heavy, and only needed when a model is made

        return self._constant(np.array([number], dtype=np.int64))

    def _constant(self, value: "Array") -> str:
        import numpy as np  # noqa: PLC0415 - heavy, and only needed when a model is made
        from onnx import numpy_helper  # noqa: PLC0415 - see above

        name = self._new_name("constant")
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = self._new_name(kind.lower())
        self._nodes.append(self._node(kind, list(inputs), name, **attributes))
        return name

    def _node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> Any:
        from onnx import helper  # noqa: PLC0415 - heavy, and only needed when a model is made

        return helper.make_node(kind, inputs, [output], name=output, **attributes)

    def _new_name(self, kind: str) -> str:
        self._made += 1
        return f"{kind}_{self._made}"
