"""JSON-RPC as MCP uses it: one message in, one answer out, and what can be wrong with either."""

import re
from typing import cast

import msgspec

from tertulia.core.errors import TooLarge
from tertulia.core.json_object import JsonObject
from tertulia.core.untrusted_json import JsonUnreadable, read_json
from tertulia.infra.http.body_limits import BODY_MAX_BYTES, JSON_MAX_TOKENS, BodyLimit, count_json_tokens

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

#: Databases refuse NUL, so it is refused before it gets there.
NUL_ESCAPE_PATTERN = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")

RpcId = str | int


class MessageTooLarge(TooLarge):
    """A message is larger than any that means something here."""

    code = "message_too_large"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"A message may have at most {max_bytes:,} bytes.")


MESSAGE_BODY_LIMIT = BodyLimit(BODY_MAX_BYTES, refusal=MessageTooLarge)


class RpcFault(Exception):
    """What a caller got wrong, as JSON-RPC says it."""

    def __init__(
        self, code: int, message: str, *, data: JsonObject | None = None, id_: RpcId | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        #: The request it answers, where the message could be read so far.
        self.id = id_


class RpcMessage(msgspec.Struct, frozen=True):
    """A request or, without an id, a notification."""

    jsonrpc: str
    method: str
    id: RpcId | None = None
    params: JsonObject = {}

    @property
    def meta(self) -> JsonObject:
        """Return what the caller says about the request."""
        meta = self.params.get("_meta")
        return cast("JsonObject", meta) if isinstance(meta, dict) else {}


def parse_message(body: bytes) -> RpcMessage | None:
    """Read one message; None for the answer to a request, which we never make."""
    if count_json_tokens(body, stop_at=JSON_MAX_TOKENS) > JSON_MAX_TOKENS:
        raise RpcFault(INVALID_REQUEST, f"A message may hold at most {JSON_MAX_TOKENS:,} values.")
    try:
        raw: object = read_json(body)
    except JsonUnreadable:
        raise RpcFault(PARSE_ERROR, "The body is not valid JSON.") from None
    if not isinstance(raw, dict):
        raise RpcFault(INVALID_REQUEST, "Send one JSON-RPC message at a time, as an object.")
    return validate_message(cast("JsonObject", raw), body)


def validate_message(raw: JsonObject, body: bytes) -> RpcMessage | None:
    """Return the message that an object is, or raise what is wrong with it."""
    id_ = raw.get("id")
    known = id_ if isinstance(id_, str) or type(id_) is int else None
    if "method" not in raw and known is not None and ("result" in raw or "error" in raw):
        return None
    try:
        message = msgspec.convert(raw, RpcMessage)
    except msgspec.ValidationError as error:
        raise RpcFault(INVALID_REQUEST, f"This is not a JSON-RPC message: {error}.", id_=known) from None
    if message.jsonrpc != "2.0" or ("id" in raw and known is None):
        raise RpcFault(INVALID_REQUEST, "A request has jsonrpc '2.0' and an id that is not null.", id_=known)
    if NUL_ESCAPE_PATTERN.search(body):
        raise RpcFault(INVALID_PARAMS, "Text must not contain NUL characters.", id_=known)
    return message


def success_response(id_: RpcId, result: JsonObject) -> JsonObject:
    """Return the answer to a request."""
    return {"jsonrpc": "2.0", "id": id_, "result": result}


def fault_response(fault: RpcFault, id_: RpcId | None = None) -> JsonObject:
    """Return the answer to a request that makes no sense."""
    error: JsonObject = {"code": fault.code, "message": fault.message}
    if fault.data is not None:
        error["data"] = fault.data
    return {"jsonrpc": "2.0", "id": fault.id if id_ is None else id_, "error": error}
