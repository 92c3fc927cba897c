"""The tools that outside agents are offered, and the one place that runs them."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, cast

import msgspec

from tertulia.core.errors import TertuliaError
from tertulia.doors.mcp.conversations import ListConversations, ReadConversation
from tertulia.doors.mcp.projects import ListProjects
from tertulia.doors.mcp.protocol import INVALID_PARAMS, Fault, Json
from tertulia.doors.mcp.visit import Visit
from tertulia.tools.domain import Caller, Result, ToolSpec
from tertulia.tools.listing import ListProjectFiles
from tertulia.tools.reading import ReadProjectFile
from tertulia.tools.searching import SearchProject
from tertulia.tools.workshop import is_on
from tertulia.tools.workshop_store import switches

log = logging.getLogger("tertulia.mcp")

#: How long one call may take.
SECONDS = 30.0
#: Tools that have to be told in which project, unless the visit is bound to one.
IN_A_PROJECT = ("list_project_files", "read_project_file", "search_project", "list_conversations")
PROJECT = {"type": "string", "description": "The project's id, from list_projects."}
HINTS = {"readOnlyHint": True, "openWorldHint": False}

AnyTool = ToolSpec[Any]


async def tools_for(visit: Visit) -> dict[str, AnyTool]:
    """Return the tools of a visit by name; those that an admin has switched off are off here too."""
    tools: Sequence[AnyTool] = (
        ListProjects(visit.db),
        ListProjectFiles(visit.db),
        ReadProjectFile(visit.db, visit.files),
        SearchProject(visit.db, visit.search),
        ListConversations(visit.db),
        ReadConversation(visit.db),
    )
    switched = await visit.db.read(switches, by=visit.by)
    there = tools if visit.project_id is None else tools[1:]
    return {tool.name: tool for tool in there if is_on(tool, switched)}


def described(tool: AnyTool, visit: Visit) -> Json:
    """Return a tool as it is listed."""
    return {
        "name": tool.name,
        "title": tool.name.replace("_", " ").capitalize(),
        "description": tool.description,
        "inputSchema": parameters(tool, visit),
        "annotations": HINTS,
    }


def parameters(tool: AnyTool, visit: Visit) -> Json:
    """Return the arguments of a tool, with the project's id where it has to be said."""
    own = tool.parameters
    if visit.project_id is not None or tool.name not in IN_A_PROJECT:
        return own
    properties = {"project_id": PROJECT, **own.get("properties", {})}
    return own | {"properties": properties, "required": ["project_id", *own.get("required", [])]}


async def call(name: object, arguments: object, visit: Visit) -> Json:
    """Run a tool; what goes wrong inside is told as a result, so that the agent can do better."""
    tools = await tools_for(visit)
    if not isinstance(name, str) or name not in tools:
        raise Fault(INVALID_PARAMS, f"There is no such tool. There are {', '.join(tools)}.")
    if not isinstance(arguments, dict):
        raise Fault(INVALID_PARAMS, "The arguments of a tool are one object.")
    result = await given(tools[name], dict(cast("Json", arguments)), visit)
    content: Json = {"type": "text", "text": result.text}
    return {"content": [content], "isError": result.failed}


async def given(tool: AnyTool, arguments: Json, visit: Visit) -> Result:
    """Return what a tool gives, or what is wrong with its arguments."""
    project_id: object = visit.project_id
    if project_id is None and tool.name in IN_A_PROJECT:
        project_id = arguments.pop("project_id", None)
        if not isinstance(project_id, str):
            return Result(f"{tool.name} needs the project_id of a project: see list_projects.", failed=True)
    try:
        wanted = msgspec.convert(arguments, tool.shape, strict=False)
    except msgspec.ValidationError as error:
        form = msgspec.json.encode(parameters(tool, visit)).decode()
        told = f"The arguments of {tool.name} cannot be used: {error}. They are of this form: {form}"
        return Result(told, failed=True)
    return await run(tool, wanted, visit.caller(project_id))


async def run(tool: AnyTool, wanted: object, caller: Caller) -> Result:
    """Run a tool for as long as it may take."""
    try:
        async with asyncio.timeout(SECONDS):
            result = await tool.run(wanted, caller)
    except TimeoutError:
        return Result(f"{tool.name} took longer than {SECONDS:g} seconds. Ask for less.", failed=True)
    except TertuliaError as error:
        return Result(error.message, failed=True)
    if result.local_only:
        # Nothing should come this far; if it does, it goes no further.
        log.error("The tool %s gave an outside agent what is for local models; it was held back.", tool.name)
        return Result("This is for local models alone.", failed=True)
    return result
