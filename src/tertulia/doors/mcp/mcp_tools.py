"""The tools that outside agents are offered, and the one place that runs them."""

import asyncio
import logging
from collections.abc import Sequence
from typing import cast

import msgspec

from tertulia.core.errors import TertuliaError
from tertulia.core.json_object import JsonObject
from tertulia.doors.mcp.conversation_tools import ListConversations, ReadConversation
from tertulia.doors.mcp.json_rpc import INVALID_PARAMS, RpcFault
from tertulia.doors.mcp.mcp_request import McpRequest
from tertulia.doors.mcp.project_tools import ListProjects
from tertulia.tools.domain import AnyTool, ToolCaller, ToolOutput
from tertulia.tools.list_project_files import ListProjectFiles
from tertulia.tools.read_project_file import ReadProjectFile
from tertulia.tools.search_project import SearchProject
from tertulia.tools.switches import read_switches
from tertulia.tools.workspace_tools import is_enabled

log = logging.getLogger("tertulia.mcp")

#: How long one call may take.
MCP_SERVER_CALL_SECONDS = 30.0
#: Tools that have to be told in which project, unless the visit is bound to one.
PROJECT_SCOPED_TOOLS = ("list_project_files", "read_project_file", "search_project", "list_conversations")
PROJECT_ID_SCHEMA = {"type": "string", "description": "The project's id, from list_projects."}
MCP_TOOL_ANNOTATIONS = {"readOnlyHint": True, "openWorldHint": False}


async def tools_for(request: McpRequest) -> dict[str, AnyTool]:
    """Return the tools of a visit by name; those that an admin has switched off are off here too."""
    tools: Sequence[AnyTool] = (
        ListProjects(request.db),
        ListProjectFiles(request.db),
        ReadProjectFile(request.db, request.files),
        SearchProject(request.db, request.search),
        ListConversations(request.db),
        ReadConversation(request.db),
    )
    switched = await request.db.read(read_switches, by=request.by)
    there = tools if request.project_id is None else tools[1:]
    return {tool.name: tool for tool in there if is_enabled(tool, switched)}


def describe_tool(tool: AnyTool, request: McpRequest) -> JsonObject:
    """Return a tool as it is listed."""
    return {
        "name": tool.name,
        "title": tool.name.replace("_", " ").capitalize(),
        "description": tool.description,
        "inputSchema": tool_parameters(tool, request),
        "annotations": MCP_TOOL_ANNOTATIONS,
    }


def tool_parameters(tool: AnyTool, request: McpRequest) -> JsonObject:
    """Return the arguments of a tool, with the project's id where it has to be said."""
    own = tool.parameters
    if request.project_id is not None or tool.name not in PROJECT_SCOPED_TOOLS:
        return own
    properties = {"project_id": PROJECT_ID_SCHEMA, **own.get("properties", {})}
    return own | {"properties": properties, "required": ["project_id", *own.get("required", [])]}


async def call_tool(name: object, arguments: object, request: McpRequest) -> JsonObject:
    """Run a tool; what goes wrong inside is told as a result, so that the agent can do better."""
    tools = await tools_for(request)
    if not isinstance(name, str) or name not in tools:
        raise RpcFault(INVALID_PARAMS, f"There is no such tool. There are {', '.join(tools)}.")
    if not isinstance(arguments, dict):
        raise RpcFault(INVALID_PARAMS, "The arguments of a tool are one object.")
    result = await run_with_arguments(tools[name], dict(cast("JsonObject", arguments)), request)
    content: JsonObject = {"type": "text", "text": result.text}
    return {"content": [content], "isError": result.failed}


async def run_with_arguments(tool: AnyTool, arguments: JsonObject, request: McpRequest) -> ToolOutput:
    """Return what a tool gives, or what is wrong with its arguments."""
    project_id: object = request.project_id
    if project_id is None and tool.name in PROJECT_SCOPED_TOOLS:
        project_id = arguments.pop("project_id", None)
        if not isinstance(project_id, str):
            return ToolOutput(
                f"{tool.name} needs the project_id of a project: see list_projects.", failed=True
            )
    try:
        wanted = msgspec.convert(arguments, tool.shape, strict=False)
    except msgspec.ValidationError as error:
        form = msgspec.json.encode(tool_parameters(tool, request)).decode()
        told = f"The arguments of {tool.name} cannot be used: {error}. They are of this form: {form}"
        return ToolOutput(told, failed=True)
    return await run_tool(tool, wanted, request.caller(project_id))


async def run_tool(tool: AnyTool, wanted: object, caller: ToolCaller) -> ToolOutput:
    """Run a tool for as long as it may take."""
    try:
        async with asyncio.timeout(MCP_SERVER_CALL_SECONDS):
            result = await tool.run(wanted, caller)
    except TimeoutError:
        return ToolOutput(
            f"{tool.name} took longer than {MCP_SERVER_CALL_SECONDS:g} seconds. Ask for less.", failed=True
        )
    except TertuliaError as error:
        return ToolOutput(error.message, failed=True)
    if result.local_only:
        # Nothing should come this far; if it does, it goes no further.
        log.error("The tool %s gave an outside agent what is for local models; it was held back.", tool.name)
        return ToolOutput("This is for local models alone.", failed=True)
    return result
