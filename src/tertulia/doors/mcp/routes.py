"""MCP over HTTP: each message is a request of its own, and nothing is remembered between two."""

from typing import Annotated

import msgspec
from fastapi import Depends, HTTPException, Request, Response

from tertulia.accounts.csrf import check_origin
from tertulia.core.json_object import JsonObject
from tertulia.doors.mcp.json_rpc import (
    MESSAGE_BODY_LIMIT,
    RpcFault,
    fault_response,
    parse_message,
    success_response,
)
from tertulia.doors.mcp.mcp_request import McpRequest
from tertulia.doors.mcp.methods import handle_request
from tertulia.doors.mcp.versions import (
    INITIALIZED_VERSIONS,
    STATELESS_VERSION,
    check_headers_match,
    fault_for_version,
    status_of,
    version_of,
)
from tertulia.files.service import Files
from tertulia.infra.db import Database
from tertulia.infra.http.body_limits import body_limit
from tertulia.infra.http.dependencies import Config, get_part
from tertulia.infra.http.identity import Me
from tertulia.infra.http.routing import Router
from tertulia.projects import access as projects
from tertulia.retrieval.search import Search

# The messages are described by MCP, not by our own description of the API.
router = Router(prefix="/mcp", include_in_schema=False)


async def _mcp_request(request: Request, me: Me, settings: Config) -> McpRequest:
    """Return who visits and what for; a project that they may not see is not there."""
    check_origin(request, settings)
    db = get_part(request, Database)
    project_id: str | None = request.path_params.get("project_id")
    if project_id is not None:
        await db.read(lambda tx: projects.get(tx, project_id), by=me)
    return McpRequest(me, project_id, db, get_part(request, Files), get_part(request, Search))


CurrentMcpRequest = Annotated[McpRequest, Depends(_mcp_request)]


@router.post("")
@router.post("/projects/{project_id}")
@body_limit(MESSAGE_BODY_LIMIT)
async def take_message(request: Request, mcp_request: CurrentMcpRequest) -> Response:
    """Answer one message, about the whole workspace or one project."""
    version = INITIALIZED_VERSIONS[-1]
    message = None
    try:
        message = parse_message(await request.body())
        if message is None:
            return Response(status_code=202)
        version = version_of(request.headers, message)
        if message.id is None:
            return Response(status_code=202)
        if version == STATELESS_VERSION:
            check_headers_match(request.headers, message)
        return as_json(success_response(message.id, await handle_request(message, version, mcp_request)))
    except RpcFault as fault:
        told = fault_for_version(fault, version)
        return as_json(fault_response(told, message.id if message else None), status_of(told, version))


@router.get("")
@router.delete("")
@router.get("/projects/{project_id}")
@router.delete("/projects/{project_id}")
async def refuse_stream(_request: CurrentMcpRequest) -> Response:
    """Say that there is nothing to listen to and nothing to end: every message is answered at once."""
    raise HTTPException(405, "Send messages with POST", headers={"Allow": "POST"})


def as_json(message: JsonObject, status: int = 200) -> Response:
    """Return a message as an answer that nobody keeps."""
    headers = {"Cache-Control": "no-store"}
    content = msgspec.json.encode(message)
    return Response(content, status, media_type="application/json", headers=headers)
