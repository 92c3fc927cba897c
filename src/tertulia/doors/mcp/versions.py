"""The versions of MCP: older ones begin with a greeting, the newest says all with each request."""

import base64
import binascii
from collections.abc import Mapping

from tertulia import __version__
from tertulia.doors.mcp.protocol import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    RESOURCE_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Fault,
    Json,
    Message,
)

#: Versions that begin with `initialize`, the newest last.
GREETED = ("2025-06-18", "2025-11-25")
#: The version that knows no greeting.
BARE = "2026-07-28"
VERSIONS = (*GREETED, BARE)

SERVER = {"name": "tertulia", "title": "Tertulia", "version": __version__}
CAPABILITIES: Json = {"tools": {}, "resources": {}}
OWN = "io.modelcontextprotocol/"
#: What of a request is said again in a header.
NAMED = {"tools/call": "name", "resources/read": "uri"}
#: HTTP statuses of the version without a greeting; any other answer is 200.
STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
#: What went wrong before there was a request to answer.
NO_REQUEST = (PARSE_ERROR, INVALID_REQUEST, UNSUPPORTED_VERSION)
ENCODED = ("=?base64?", "?=")


def version_of(headers: Mapping[str, str], message: Message) -> str:
    """Return the version that a request is in, or raise when we do not speak it."""
    said = headers.get("mcp-protocol-version")
    if message.method == "initialize" or said is None:
        return GREETED[-1]
    if said not in VERSIONS:
        data: Json = {"supported": list(VERSIONS), "requested": said[:40]}
        raise Fault(UNSUPPORTED_VERSION, f"Versions spoken here: {', '.join(VERSIONS)}.", data=data)
    return said


def check_said_twice(headers: Mapping[str, str], message: Message) -> None:
    """Raise unless headers say what the request says: whoever stands between us reads only those."""
    wanted = (f"{OWN}protocolVersion", f"{OWN}clientCapabilities")
    if missing := [key for key in wanted if key not in message.meta]:
        raise Fault(INVALID_PARAMS, f"params._meta lacks {', '.join(missing)}.")
    named = message.params.get(NAMED.get(message.method, ""))
    pairs = [("mcp-protocol-version", message.meta[wanted[0]]), ("mcp-method", message.method)]
    pairs += [("mcp-name", named)] if named is not None else []
    for header, value in pairs:
        if decoded(headers.get(header)) != value:
            raise Fault(HEADER_MISMATCH, f"The header {header} does not say what the request says.")


def decoded(value: str | None) -> str | None:
    """Return what a header says; what would not survive there is written in base64."""
    begin, end = ENCODED
    if value is None or not (value.startswith(begin) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(begin) : -len(end)], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def greeting(params: Json, instructions: str) -> Json:
    """Answer `initialize`: in the version that is asked for, or the newest that begins so."""
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in GREETED else GREETED[-1],
        "capabilities": CAPABILITIES,
        "serverInfo": SERVER,
        "instructions": instructions,
    }


def discovery(instructions: str) -> Json:
    """Answer `server/discover`."""
    return {
        "supportedVersions": list(VERSIONS),
        "capabilities": CAPABILITIES,
        "instructions": instructions,
    }


def in_version(result: Json, method: str, version: str) -> Json:
    """Return a result with what its version wants said; nothing of it may be kept."""
    if version != BARE:
        return result
    said = result | {"resultType": "complete", "_meta": {f"{OWN}serverInfo": SERVER}}
    return said if method == "tools/call" else said | {"ttlMs": 0, "cacheScope": "private"}


def fault_in_version(fault: Fault, version: str) -> Fault:
    """Return a fault with the code that its version has for it."""
    if version == BARE and fault.code == RESOURCE_NOT_FOUND:
        return Fault(INVALID_PARAMS, fault.message, data=fault.data, id_=fault.id)
    return fault


def status_of(fault: Fault, version: str) -> int:
    """Return the HTTP status of a fault."""
    if version == BARE or fault.code in NO_REQUEST:
        return STATUS.get(fault.code, 200)
    return 200
