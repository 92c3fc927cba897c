"""The tools of a workspace over HTTP."""

from typing import Annotated

from fastapi import Depends, Request

from tertulia.infra.http.body_limits import body_limit, long_text_limit
from tertulia.infra.http.dependencies import get_part
from tertulia.infra.http.identity import Admin, Me
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import omit_unset
from tertulia.tools.schemas import (
    AddHttpTool,
    AddToolServer,
    ChangeHttpTool,
    ChangeToolServer,
    HttpToolsView,
    HttpToolView,
    SwitchTool,
    ToolServersView,
    ToolServerView,
    ToolsView,
    ToolView,
)
from tertulia.tools.store import ServerRow
from tertulia.tools.workspace_tools import WorkspaceTools


async def _workspace_tools(request: Request) -> WorkspaceTools:
    return get_part(request, WorkspaceTools)


WorkspaceToolsPart = Annotated[WorkspaceTools, Depends(_workspace_tools)]
router = Router(prefix="/api", tags=["tools"])


@router.get("/tools")
async def list_tools(me: Me, tools: WorkspaceToolsPart) -> ToolsView:
    """List every tool of the workspace: the project's own, those of servers, and those of web services."""
    return ToolsView(tools=[ToolView.model_validate(tool) for tool in await tools.list_tools(me)])


@router.put("/tools/{name}")
async def switch_tool(name: str, body: SwitchTool, me: Admin, tools: WorkspaceToolsPart) -> ToolView:
    """Switch a tool on or off for the whole workspace, and say whether it counts as a side effect."""
    return ToolView.model_validate(await tools.switch_tool(name, omit_unset(body), me))


@router.get("/tool-servers")
async def list_tool_servers(me: Me, tools: WorkspaceToolsPart) -> ToolServersView:
    """List the MCP servers of the workspace with their tools."""
    rows, states = await tools.servers.all(me), await tools.servers.states(me)
    return ToolServersView(servers=[ToolServerView.of(row, states.get(row.id), me) for row in rows])


@router.post("/tool-servers", status_code=201)
async def add_tool_server(body: AddToolServer, me: Admin, tools: WorkspaceToolsPart) -> ToolServerView:
    """Add an MCP server: a command or an address. Check it afterwards, to see its tools."""
    return await to_server_view(await tools.servers.add(body.to_new(), me), me, tools)


@router.put("/tool-servers/{server_id}")
async def change_tool_server(
    server_id: str, body: ChangeToolServer, me: Admin, tools: WorkspaceToolsPart
) -> ToolServerView:
    """Change an MCP server, or which of its tools may be used."""
    return await to_server_view(await tools.servers.change(server_id, body.to_change(), me), me, tools)


@router.delete("/tool-servers/{server_id}", status_code=204)
async def remove_tool_server(server_id: str, me: Admin, tools: WorkspaceToolsPart) -> None:
    """Remove an MCP server with its secrets."""
    await tools.servers.remove(server_id, me)


@router.post("/tool-servers/{server_id}/check")
async def check_tool_server(server_id: str, me: Admin, tools: WorkspaceToolsPart) -> ToolServerView:
    """Connect to an MCP server and list its tools; what is wrong is said if that fails."""
    return await to_server_view(await tools.servers.check(server_id, me), me, tools)


@router.get("/http-tools")
async def list_http_tools(me: Me, tools: WorkspaceToolsPart) -> HttpToolsView:
    """List the web services of the workspace with their operations."""
    return HttpToolsView(services=[HttpToolView.of(row, me) for row in await tools.services.all(me)])


@router.post("/http-tools", status_code=201)
@body_limit(long_text_limit(2))
async def add_http_tool(body: AddHttpTool, me: Admin, tools: WorkspaceToolsPart) -> HttpToolView:
    """Add a web service from its OpenAPI document, as JSON or YAML. Then tick operations in `allowed`."""
    return HttpToolView.of(await tools.services.add(body.to_new(), me), me)


@router.put("/http-tools/{service_id}")
@body_limit(long_text_limit(2))
async def change_http_tool(
    service_id: str, body: ChangeHttpTool, me: Admin, tools: WorkspaceToolsPart
) -> HttpToolView:
    """Change a web service, or which of its operations may be used."""
    return HttpToolView.of(await tools.services.change(service_id, body.to_change(), me), me)


@router.delete("/http-tools/{service_id}", status_code=204)
async def remove_http_tool(service_id: str, me: Admin, tools: WorkspaceToolsPart) -> None:
    """Remove a web service with its secret."""
    await tools.services.remove(service_id, me)


async def to_server_view(row: ServerRow, me: Me, tools: WorkspaceTools) -> ToolServerView:
    """Return a server as the caller may see it."""
    return ToolServerView.of(row, (await tools.servers.states(me)).get(row.id), me)
