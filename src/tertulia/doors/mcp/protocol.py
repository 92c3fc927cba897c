"""JSON-RPC as MCP uses it: one message in, one answer out, and what can be wrong with either."""

import re
from typing import Any, cast

import msgspec

from tertulia.core.errors import TooLarge
from tertulia.core.untrusted_json import JsonUnreadable, read_json
from tertulia.infra.http.body import BODY_MAX_BYTES, JSON_MAX_TOKENS, BodyLimit, count_tokens

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

#: Databases refuse NUL, so it is refused before it gets there.
NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")

Json = dict[str, Any]
Id = str | int


class MessageTooLarge(TooLarge):
    """A message is larger than any that means something here."""

    code = "message_too_large"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"A message may have at most {max_bytes:,} bytes.")


MESSAGE_BODY = BodyLimit(BODY_MAX_BYTES, refusal=MessageTooLarge)


class Fault(Exception):
    """What a caller got wrong, as JSON-RPC says it."""

    def __init__(self, code: int, message: str, *, data: Json | None = None, id_: Id | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        #: The request it answers, where the message could be read so far.
        self.id = id_


class Message(msgspec.Struct, frozen=True):
    """A request or, without an id, a notification."""

    jsonrpc: str
    method: str
    id: Id | None = None
    params: Json = {}

    @property
    def meta(self) -> Json:
        """Return what the caller says about the request."""
        meta = self.params.get("_meta")
        return cast("Json", meta) if isinstance(meta, dict) else {}


def read(body: bytes) -> Message | None:
    """Read one message; None for the answer to a request, which we never make."""
    if count_tokens(body, enough=JSON_MAX_TOKENS) > JSON_MAX_TOKENS:
        raise Fault(INVALID_REQUEST, f"A message may hold at most {JSON_MAX_TOKENS:,} values.")
    try:
        raw: object = read_json(body)
    except JsonUnreadable:
        raise Fault(PARSE_ERROR, "The body is not valid JSON.") from None
    if not isinstance(raw, dict):
        raise Fault(INVALID_REQUEST, "Send one JSON-RPC message at a time, as an object.")
    return message_of(cast("Json", raw), body)


def message_of(raw: Json, body: bytes) -> Message | None:
    """Return the message that an object is, or raise what is wrong with it."""
    id_ = raw.get("id")
    known = id_ if isinstance(id_, str) or type(id_) is int else None
    if "method" not in raw and known is not None and ("result" in raw or "error" in raw):
        return None
    try:
        message = msgspec.convert(raw, Message)
    except msgspec.ValidationError as error:
        raise Fault(INVALID_REQUEST, f"This is not a JSON-RPC message: {error}.", id_=known) from None
    if message.jsonrpc != "2.0" or ("id" in raw and known is None):
        raise Fault(INVALID_REQUEST, "A request has jsonrpc '2.0' and an id that is not null.", id_=known)
    if NUL.search(body):
        raise Fault(INVALID_PARAMS, "Text must not contain NUL characters.", id_=known)
    return message


def answered(id_: Id, result: Json) -> Json:
    """Return the answer to a request."""
    return {"jsonrpc": "2.0", "id": id_, "result": result}


def refused(fault: Fault, id_: Id | None = None) -> Json:
    """Return the answer to a request that makes no sense."""
    error: Json = {"code": fault.code, "message": fault.message}
    if fault.data is not None:
        error["data"] = fault.data
    return {"jsonrpc": "2.0", "id": fault.id if id_ is None else id_, "error": error}
