"""The process that runs the embedder: `python -m tertulia.embedding.process`.

Urgent questions and others have a thread each, so that a person's search never
waits for indexing.
"""

import importlib
import threading
from queue import SimpleQueue
from typing import Any

import msgspec

from tertulia.embedding.frames import EMBEDDER_READY_ID, EmbedderSetup, EmbedRequest, EmbedResponse
from tertulia.infra.child.server_pipe import ServerPipe, lower_priority

EMBEDDING_MAX_TOKENS = 256
EMBEDDER_BATCH_NICENESS = 5


class OnnxEmbedder:
    """The tokenizer and the graph; several threads may use it at once."""

    def __init__(self, orders: EmbedderSetup) -> None:
        from tokenizers import Tokenizer

        # A compiled library without types.
        onnxruntime: Any = importlib.import_module("onnxruntime")

        self._tokenizer: Any = Tokenizer.from_file(orders.tokenizer)
        # The file asks for 128 pieces, cut and filled up; the model was made for 256.
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(EMBEDDING_MAX_TOKENS)
        # `[SEP]` in somebody's text is a word like any other.
        self._tokenizer.encode_special_tokens = True
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: Any = onnxruntime.InferenceSession(
            orders.graph, options, providers=["CPUExecutionProvider"]
        )

    def embed(self, text: str) -> bytes:
        """Return one text's vector: several at once are no faster, and would change each other's rounding."""
        import numpy as np

        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        (vectors,) = self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        return vectors.astype("<f4").tobytes()


class EmbedThread(threading.Thread):
    """Answers questions in the order in which they come."""

    def __init__(self, network: OnnxEmbedder, pipe: ServerPipe, *, nice: int) -> None:
        super().__init__(daemon=True)
        self.requests: SimpleQueue[EmbedRequest] = SimpleQueue()
        self._network = network
        self._pipe = pipe
        self._nice = nice

    def run(self) -> None:
        """Answer for as long as the process lives."""
        lower_priority(self._nice)
        while True:
            self._pipe.send(embed_request(self.requests.get(), self._network))


def embed_request(request: EmbedRequest, network: OnnxEmbedder) -> EmbedResponse:
    """Return the vectors of a question's texts, or what went wrong."""
    try:
        return EmbedResponse(request.id, b"".join(map(network.embed, request.texts)))
    except Exception as error:  # noqa: BLE001 - one text that fails must not end all the others
        return EmbedResponse(request.id, error=f"{type(error).__name__}: {error}"[:300])


def main() -> None:
    """Answer until whoever started this process is gone."""
    pipe = ServerPipe()
    network = OnnxEmbedder(pipe.receive(msgspec.msgpack.Decoder(EmbedderSetup)))
    urgent, batch = (
        EmbedThread(network, pipe, nice=0),
        EmbedThread(network, pipe, nice=EMBEDDER_BATCH_NICENESS),
    )
    urgent.start()
    batch.start()
    pipe.send(EmbedResponse(EMBEDDER_READY_ID))
    request_decoder = msgspec.msgpack.Decoder(EmbedRequest)
    while True:
        request = pipe.receive(request_decoder)
        (urgent if request.urgent else batch).requests.put(request)


if __name__ == "__main__":
    main()
