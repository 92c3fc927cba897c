"""Messages between the server and the embedder's process."""

import msgspec

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
