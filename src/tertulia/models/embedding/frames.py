"""What goes over the pipes between us and the embedder's process: frames, each with its length ahead."""

import struct

import msgspec

EMBEDDER_FRAME_LENGTH = struct.Struct(">I")
#: The answer of this number is the first, and means that the model is loaded.
EMBEDDER_READY_ID = 0


class EmbedderSetup(msgspec.Struct):
    """Where the files of the model are."""

    graph: str
    tokenizer: str


class EmbedRequest(msgspec.Struct):
    """A few texts to embed; an urgent question does not wait for those that are not."""

    id: int
    urgent: bool
    texts: list[str]


class EmbedResponse(msgspec.Struct):
    """The vectors of a question, row after row in little-endian float32, or what went wrong."""

    id: int
    vectors: bytes = b""
    error: str = ""


def pack_embedder_frame(message: EmbedderSetup | EmbedRequest | EmbedResponse) -> bytes:
    """Return a message as it is sent."""
    body = msgspec.msgpack.encode(message)
    return EMBEDDER_FRAME_LENGTH.pack(len(body)) + body
