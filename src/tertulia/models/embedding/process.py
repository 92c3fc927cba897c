"""The process that runs the embedder: `python -m tertulia.models.embedding.process`.

It reads frames from standard input and answers on standard output, and ends
when its input ends: so it never outlives the server that started it. Urgent
questions and others have a thread each, so that a person's search never waits
for indexing.
"""

import importlib
import os
import sys
import threading
from queue import SimpleQueue
from typing import Any, BinaryIO, TypeVar

import msgspec

from tertulia.models.builtin.process import redirect_output
from tertulia.models.embedding.frames import (
    EMBEDDER_FRAME_LENGTH,
    EMBEDDER_READY_ID,
    EmbedderSetup,
    EmbedRequest,
    EmbedResponse,
    pack_embedder_frame,
)

EMBEDDING_MAX_TOKENS = 256
EMBEDDER_BATCH_NICENESS = 5

T = TypeVar("T")


class OnnxEmbedder:
    """The tokenizer and the graph; several threads may use it at once."""

    def __init__(self, orders: EmbedderSetup) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415 - heavy, and only needed once orders came

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
        import numpy as np  # noqa: PLC0415 - heavy, and only this process needs it

        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        (vectors,) = self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        return vectors.astype("<f4").tobytes()


class EmbedThread(threading.Thread):
    """Answers questions in the order in which they come."""

    def __init__(self, network: OnnxEmbedder, writer: "ResponseWriter", *, nice: int) -> None:
        super().__init__(daemon=True)
        self.requests: SimpleQueue[EmbedRequest] = SimpleQueue()
        self._network = network
        self._writer = writer
        self._nice = nice

    def run(self) -> None:
        """Answer for as long as the process lives."""
        if self._nice and sys.platform == "linux":  # elsewhere a thread has no niceness of its own
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), self._nice)
        while True:
            self._writer.send(embed_request(self.requests.get(), self._network))


class ResponseWriter:
    """Sends answers, one at a time."""

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._sending = threading.Lock()

    def send(self, answer: EmbedResponse) -> None:
        """Send one answer whole; when nobody can hear it there is no more to do."""
        try:
            with self._sending:
                self._output.write(pack_embedder_frame(answer))
                self._output.flush()
        except OSError:
            os._exit(0)


def embed_request(request: EmbedRequest, network: OnnxEmbedder) -> EmbedResponse:
    """Return the vectors of a question's texts, or what went wrong."""
    try:
        return EmbedResponse(request.id, b"".join(map(network.embed, request.texts)))
    except Exception as error:  # noqa: BLE001 - one text that fails must not end all the others
        return EmbedResponse(request.id, error=f"{type(error).__name__}: {error}"[:300])


def read_embedder_frame(source: BinaryIO, kind: type[T]) -> T | None:
    """Return the next message, or None at the end of the input."""
    head = source.read(EMBEDDER_FRAME_LENGTH.size)
    if len(head) < EMBEDDER_FRAME_LENGTH.size:
        return None
    (size,) = EMBEDDER_FRAME_LENGTH.unpack(head)
    body = source.read(size)
    return msgspec.msgpack.decode(body, type=kind) if len(body) == size else None


def main() -> None:
    """Answer until whoever started this process is gone."""
    source = sys.stdin.buffer
    setup = read_embedder_frame(source, EmbedderSetup)
    if setup is None:
        return
    writer = ResponseWriter(os.fdopen(redirect_output(), "wb"))
    network = OnnxEmbedder(setup)
    urgent, batch = (
        EmbedThread(network, writer, nice=0),
        EmbedThread(network, writer, nice=EMBEDDER_BATCH_NICENESS),
    )
    urgent.start()
    batch.start()
    writer.send(EmbedResponse(EMBEDDER_READY_ID))
    while (request := read_embedder_frame(source, EmbedRequest)) is not None:
        (urgent if request.urgent else batch).requests.put(request)
    # At once, whatever the threads are doing.
    os._exit(0)


if __name__ == "__main__":
    main()
