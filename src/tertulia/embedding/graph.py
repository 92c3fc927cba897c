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

from tertulia.embedding.safetensors_file import read_tensors

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Array = npt.NDArray[Any]

LAYERS = 6
ATTENTION_HEADS = 12
EMBEDDING_DIMENSIONS = 384
LAYER_NORM_EPSILON = 1e-12
#: Processors without VNNI add two products in sixteen bits, which eight bits of weight overflow.
QUANTISED_WEIGHT_MAX = 63
QUANTISED_EMBEDDING_MAX = 127
ONNX_OPSET = 17
ONNX_IR_VERSION = 8
#: ONNX Runtime's own operators, among them the quantised product in one step.
ONNX_RUNTIME_DOMAIN = "com.microsoft"


def write_graph(weights: Path, target: Path) -> None:
    """Turn the weights into a graph and write it to `target`."""
    graph = GraphBuilder(read_tensors(weights))
    hidden = graph.add_embeddings()
    for layer in range(LAYERS):
        hidden = graph.add_layer(hidden, f"encoder.layer.{layer}")
    graph.add_pooling(hidden)
    target.write_bytes(graph.serialise())


def quantise(weight: "Floats", *, axis: int, limit: int) -> "tuple[Array, Floats]":
    """Return a matrix as small whole numbers, with the scale of each row or column along `axis`."""
    import numpy as np

    largest = np.abs(weight).max(axis=1 - axis)
    scale = (np.where(largest > 0, largest, 1) / limit).astype(np.float32)
    steps = np.rint(weight / np.expand_dims(scale, 1 - axis))
    return steps.astype(np.int8), scale


class GraphBuilder:
    """A network in the making: each method adds a part and returns the name of what comes out."""

    def __init__(self, tensors: "dict[str, Floats]") -> None:
        self._tensors = tensors
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._names_made = 0

    def add_embeddings(self) -> str:
        """Add the table of words with their places; return what the first layer reads."""
        table, scale = quantise(
            self._tensor("embeddings.word_embeddings.weight"), axis=0, limit=QUANTISED_EMBEDDING_MAX
        )
        # Every text is a single segment, so that segment's vector can be added to each place.
        places = self._tensor("embeddings.position_embeddings.weight")
        places = places + self._tensor("embeddings.token_type_embeddings.weight")[0]
        rows = self._add_node("Gather", self._constant(table), "input_ids")
        scales = self._add_node("Gather", self._constant(scale[:, None]), "input_ids")
        words = self._add_node("Mul", self._add_node("Cast", rows, to=1), scales)
        length = self._add_node("Shape", "input_ids", start=1, end=2)
        here = self._add_node(
            "Slice", self._constant(places), self._integer_constant(0), length, self._integer_constant(0)
        )
        return self._add_norm(self._add_node("Add", words, here), "embeddings.LayerNorm")

    def add_layer(self, hidden: str, name: str) -> str:
        """Add one layer: attention, then the inner network, each added to what came in."""
        attended = self._add_attention(hidden, f"{name}.attention.self")
        output = self._add_quantised_product(attended, f"{name}.attention.output.dense")
        hidden = self._add_skip_norm(output, hidden, f"{name}.attention.output.LayerNorm")
        inner = self._add_node(
            "Gelu",
            self._add_quantised_product(hidden, f"{name}.intermediate.dense"),
            domain=ONNX_RUNTIME_DOMAIN,
        )
        output = self._add_exact_product(inner, f"{name}.output.dense")
        return self._add_skip_norm(output, hidden, f"{name}.output.LayerNorm")

    def add_pooling(self, hidden: str) -> None:
        """Add the mean over the words that count, made one long."""
        counted = self._add_node(
            "Cast", self._add_node("Unsqueeze", "attention_mask", self._integer_constant(2)), to=1
        )
        total = self._add_node(
            "ReduceSum", self._add_node("Mul", hidden, counted), self._integer_constant(1), keepdims=0
        )
        # Dividing by the number of words would be undone by making it one long.
        self._nodes.append(self._node("LpNormalization", [total], "vectors", axis=1, p=2))

    def serialise(self) -> bytes:
        """Return the whole network, checked, as a file holds it."""
        import onnx
        from onnx import TensorProto, helper

        shape = ["texts", "length"]
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "attention_mask")
        ]
        outputs = [
            helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", EMBEDDING_DIMENSIONS])
        ]
        graph = helper.make_graph(self._nodes, "all-MiniLM-L6-v2", inputs, outputs, self._constants)
        opsets = [helper.make_opsetid("", ONNX_OPSET), helper.make_opsetid(ONNX_RUNTIME_DOMAIN, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=ONNX_IR_VERSION)
        onnx.checker.check_model(model)
        return model.SerializeToString()

    def _add_attention(self, hidden: str, name: str) -> str:
        query, key, value = (
            self._add_quantised_product(hidden, f"{name}.{part}") for part in ("query", "key", "value")
        )
        mask = self._add_node("Cast", "attention_mask", to=6)
        inputs = [query, key, value, "", mask]
        return self._add_node(
            "MultiHeadAttention", *inputs, domain=ONNX_RUNTIME_DOMAIN, num_heads=ATTENTION_HEADS
        )

    def _add_quantised_product(self, hidden: str, name: str) -> str:
        weight, scale = quantise(self._tensor(f"{name}.weight").T, axis=1, limit=QUANTISED_WEIGHT_MAX)
        inputs = [
            hidden,
            self._constant(weight),
            self._constant(scale),
            "",
            self._constant_of(f"{name}.bias"),
        ]
        return self._add_node("DynamicQuantizeMatMul", *inputs, domain=ONNX_RUNTIME_DOMAIN)

    def _add_exact_product(self, hidden: str, name: str) -> str:
        product = self._add_node("MatMul", hidden, self._constant(self._tensor(f"{name}.weight").T))
        return self._add_node("Add", product, self._constant_of(f"{name}.bias"))

    def _add_norm(self, hidden: str, name: str) -> str:
        scale, shift = self._constant_of(f"{name}.weight"), self._constant_of(f"{name}.bias")
        return self._add_node("LayerNormalization", hidden, scale, shift, epsilon=LAYER_NORM_EPSILON)

    def _add_skip_norm(self, output: str, hidden: str, name: str) -> str:
        scale, shift = self._constant_of(f"{name}.weight"), self._constant_of(f"{name}.bias")
        inputs = [output, hidden, scale, shift]
        return self._add_node(
            "SkipLayerNormalization", *inputs, domain=ONNX_RUNTIME_DOMAIN, epsilon=LAYER_NORM_EPSILON
        )

    def _tensor(self, name: str) -> "Floats":
        return self._tensors[name]

    def _constant_of(self, name: str) -> str:
        return self._constant(self._tensor(name))

    def _integer_constant(self, number: int) -> str:
        import numpy as np

        return self._constant(np.array([number], dtype=np.int64))

    def _constant(self, value: "Array") -> str:
        import numpy as np
        from onnx import numpy_helper

        name = self._new_name("constant")
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _add_node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = self._new_name(kind.lower())
        self._nodes.append(self._node(kind, list(inputs), name, **attributes))
        return name

    def _node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> Any:
        from onnx import helper

        return helper.make_node(kind, inputs, [output], name=output, **attributes)

    def _new_name(self, kind: str) -> str:
        self._names_made += 1
        return f"{kind}_{self._names_made}"
