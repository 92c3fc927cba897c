"""MCP over HTTP: each message is a request of its own, and nothing is remembered between two."""

from typing import Annotated

import msgspec
from fastapi import Depends, HTTPException, Request, Response

from tertulia.accounts.origin import check_origin
from tertulia.doors.mcp.answer import result_of
from tertulia.doors.mcp.protocol import MESSAGE_BODY, Fault, Json, answered, read, refused
from tertulia.doors.mcp.versions import (
    BARE,
    GREETED,
    check_said_twice,
    fault_in_version,
    status_of,
    version_of,
)
from tertulia.doors.mcp.visit import Visit
from tertulia.files.service import Files
from tertulia.infra.db import Database
from tertulia.infra.http.body import body_limit
from tertulia.infra.http.identity import Me
from tertulia.infra.http.parts import Config, part
from tertulia.infra.http.routing import Router
from tertulia.projects import store as projects
from tertulia.retrieval.search import Search

# The messages are described by MCP, not by our own description of the API.
router = Router(prefix="/mcp", include_in_schema=False)


async def _visit(request: Request, me: Me, settings: Config) -> Visit:
    """Return who visits and what for; a project that they may not see is not there."""
    check_origin(request, settings)
    db = part(request, Database)
    project_id: str | None = request.path_params.get("project_id")
    if project_id is not None:
        await db.read(lambda tx: projects.get(tx, project_id), by=me)
    return Visit(me, project_id, db, part(request, Files), part(request, Search))


Visiting = Annotated[Visit, Depends(_visit)]


@router.post("")
@router.post("/projects/{project_id}")
@body_limit(MESSAGE_BODY)
async def take_message(request: Request, visit: Visiting) -> Response:
    """Answer one message, about the whole workspace or one project."""
    version = GREETED[-1]
    message = None
    try:
        message = read(await request.body())
        if message is None:
            return Response(status_code=202)
        version = version_of(request.headers, message)
        if message.id is None:
            return Response(status_code=202)
        if version == BARE:
            check_said_twice(request.headers, message)
        return as_json(answered(message.id, await result_of(message, version, visit)))
    except Fault as fault:
        told = fault_in_version(fault, version)
        return as_json(refused(told, message.id if message else None), status_of(told, version))


@router.get("")
@router.delete("")
@router.get("/projects/{project_id}")
@router.delete("/projects/{project_id}")
async def refuse_stream(_visit: Visiting) -> Response:
    """Say that there is nothing to listen to and nothing to end: every message is answered at once."""
    raise HTTPException(405, "Send messages with POST", headers={"Allow": "POST"})


def as_json(message: Json, status: int = 200) -> Response:
    """Return a message as an answer that nobody keeps."""
    headers = {"Cache-Control": "no-store"}
    content = msgspec.json.encode(message)
    return Response(content, status, media_type="application/json", headers=headers)
