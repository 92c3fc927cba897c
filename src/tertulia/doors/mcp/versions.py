"""The versions of MCP: older ones begin with a greeting, the newest says all with each request."""

import base64
import binascii
from collections.abc import Mapping

from tertulia import __version__
from tertulia.core.json_object import JsonObject
from tertulia.doors.mcp.json_rpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    RESOURCE_NOT_FOUND,
    UNSUPPORTED_VERSION,
    RpcFault,
    RpcMessage,
)

#: Versions that begin with `initialize`, the newest last.
INITIALIZED_VERSIONS = ("2025-06-18", "2025-11-25")
#: The version that knows no greeting.
STATELESS_VERSION = "2026-07-28"
SUPPORTED_VERSIONS = (*INITIALIZED_VERSIONS, STATELESS_VERSION)

MCP_SERVER_INFO = {"name": "tertulia", "title": "Tertulia", "version": __version__}
MCP_SERVER_CAPABILITIES: JsonObject = {"tools": {}, "resources": {}}
META_KEY_PREFIX = "io.modelcontextprotocol/"
#: What of a request is said again in a header.
NAME_HEADER_PARAMETERS = {"tools/call": "name", "resources/read": "uri"}
#: HTTP statuses of the version without a greeting; any other answer is 200.
STATUS_BY_FAULT_CODE = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
#: What went wrong before there was a request to answer.
UNREADABLE_FAULT_CODES = (PARSE_ERROR, INVALID_REQUEST, UNSUPPORTED_VERSION)
BASE64_HEADER_MARKERS = ("=?base64?", "?=")


def version_of(headers: Mapping[str, str], message: RpcMessage) -> str:
    """Return the version that a request is in, or raise when we do not speak it."""
    said = headers.get("mcp-protocol-version")
    if message.method == "initialize" or said is None:
        return INITIALIZED_VERSIONS[-1]
    if said not in SUPPORTED_VERSIONS:
        data: JsonObject = {"supported": list(SUPPORTED_VERSIONS), "requested": said[:40]}
        raise RpcFault(
            UNSUPPORTED_VERSION, f"Versions spoken here: {', '.join(SUPPORTED_VERSIONS)}.", data=data
        )
    return said


def check_headers_match(headers: Mapping[str, str], message: RpcMessage) -> None:
    """Raise unless headers say what the request says: whoever stands between us reads only those."""
    wanted = (f"{META_KEY_PREFIX}protocolVersion", f"{META_KEY_PREFIX}clientCapabilities")
    if missing := [key for key in wanted if key not in message.meta]:
        raise RpcFault(INVALID_PARAMS, f"params._meta lacks {', '.join(missing)}.")
    named = message.params.get(NAME_HEADER_PARAMETERS.get(message.method, ""))
    pairs = [("mcp-protocol-version", message.meta[wanted[0]]), ("mcp-method", message.method)]
    pairs += [("mcp-name", named)] if named is not None else []
    for header, value in pairs:
        if decode_header(headers.get(header)) != value:
            raise RpcFault(HEADER_MISMATCH, f"The header {header} does not say what the request says.")


def decode_header(value: str | None) -> str | None:
    """Return what a header says; what would not survive there is written in base64."""
    begin, end = BASE64_HEADER_MARKERS
    if value is None or not (value.startswith(begin) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(begin) : -len(end)], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def initialize_result(params: JsonObject, instructions: str) -> JsonObject:
    """Answer `initialize`: in the version that is asked for, or the newest that begins so."""
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in INITIALIZED_VERSIONS else INITIALIZED_VERSIONS[-1],
        "capabilities": MCP_SERVER_CAPABILITIES,
        "serverInfo": MCP_SERVER_INFO,
        "instructions": instructions,
    }


def discover_result(instructions: str) -> JsonObject:
    """Answer `server/discover`."""
    return {
        "supportedVersions": list(SUPPORTED_VERSIONS),
        "capabilities": MCP_SERVER_CAPABILITIES,
        "instructions": instructions,
    }


def result_for_version(result: JsonObject, method: str, version: str) -> JsonObject:
    """Return a result with what its version wants said; nothing of it may be kept."""
    if version != STATELESS_VERSION:
        return result
    said = result | {"resultType": "complete", "_meta": {f"{META_KEY_PREFIX}serverInfo": MCP_SERVER_INFO}}
    return said if method == "tools/call" else said | {"ttlMs": 0, "cacheScope": "private"}


def fault_for_version(fault: RpcFault, version: str) -> RpcFault:
    """Return a fault with the code that its version has for it."""
    if version == STATELESS_VERSION and fault.code == RESOURCE_NOT_FOUND:
        return RpcFault(INVALID_PARAMS, fault.message, data=fault.data, id_=fault.id)
    return fault


def status_of(fault: RpcFault, version: str) -> int:
    """Return the HTTP status of a fault."""
    if version == STATELESS_VERSION or fault.code in UNREADABLE_FAULT_CODES:
        return STATUS_BY_FAULT_CODE.get(fault.code, 200)
    return 200
