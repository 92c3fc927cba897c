"""The tools of a workspace over HTTP."""

from typing import Annotated

from fastapi import Depends, Request

from tertulia.infra.http.body import body_limit, long_texts
from tertulia.infra.http.identity import Admin, Me
from tertulia.infra.http.parts import part
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
from tertulia.tools.workshop import Workshop
from tertulia.tools.workshop_store import ServerRow


async def _workshop(request: Request) -> Workshop:
    return part(request, Workshop)


Tools = Annotated[Workshop, Depends(_workshop)]
router = Router(prefix="/api", tags=["tools"])


@router.get("/tools")
async def list_tools(me: Me, tools: Tools) -> ToolsView:
    """List every tool of the workspace: the project's own, those of servers, and those of web services."""
    return ToolsView(tools=[ToolView.model_validate(one) for one in await tools.everything(me)])


@router.put("/tools/{name}")
async def switch_tool(name: str, body: SwitchTool, me: Admin, tools: Tools) -> ToolView:
    """Switch a tool on or off for the whole workspace, and say whether it counts as a side effect."""
    return ToolView.model_validate(await tools.switch(name, omit_unset(body), me))


@router.get("/tool-servers")
async def list_tool_servers(me: Me, tools: Tools) -> ToolServersView:
    """List the MCP servers of the workspace with their tools."""
    return ToolServersView(servers=[shown(row, me, tools) for row in await tools.servers.all(me)])


@router.post("/tool-servers", status_code=201)
async def add_tool_server(body: AddToolServer, me: Admin, tools: Tools) -> ToolServerView:
    """Add an MCP server: a command or an address. Check it afterwards, to see its tools."""
    return shown(await tools.servers.add(body.to_new(), me), me, tools)


@router.put("/tool-servers/{server_id}")
async def change_tool_server(
    server_id: str, body: ChangeToolServer, me: Admin, tools: Tools
) -> ToolServerView:
    """Change an MCP server, or which of its tools may be used."""
    return shown(await tools.servers.change(server_id, body.to_change(), me), me, tools)


@router.delete("/tool-servers/{server_id}", status_code=204)
async def remove_tool_server(server_id: str, me: Admin, tools: Tools) -> None:
    """Remove an MCP server with its secrets."""
    await tools.servers.remove(server_id, me)


@router.post("/tool-servers/{server_id}/check")
async def check_tool_server(server_id: str, me: Admin, tools: Tools) -> ToolServerView:
    """Connect to an MCP server and list its tools; what is wrong is said if that fails."""
    return shown(await tools.servers.check(server_id, me), me, tools)


@router.get("/http-tools")
async def list_http_tools(me: Me, tools: Tools) -> HttpToolsView:
    """List the web services of the workspace with their operations."""
    return HttpToolsView(services=[HttpToolView.of(row, me) for row in await tools.services.all(me)])


@router.post("/http-tools", status_code=201)
@body_limit(long_texts(2))
async def add_http_tool(body: AddHttpTool, me: Admin, tools: Tools) -> HttpToolView:
    """Add a web service from its OpenAPI document, as JSON or YAML. Then tick operations in `allowed`."""
    return HttpToolView.of(await tools.services.add(body.to_new(), me), me)


@router.put("/http-tools/{service_id}")
@body_limit(long_texts(2))
async def change_http_tool(service_id: str, body: ChangeHttpTool, me: Admin, tools: Tools) -> HttpToolView:
    """Change a web service, or which of its operations may be used."""
    return HttpToolView.of(await tools.services.change(service_id, body.to_change(), me), me)


@router.delete("/http-tools/{service_id}", status_code=204)
async def remove_http_tool(service_id: str, me: Admin, tools: Tools) -> None:
    """Remove a web service with its secret."""
    await tools.services.remove(service_id, me)


def shown(row: ServerRow, me: Me, tools: Workshop) -> ToolServerView:
    """Return a server as the caller may see it."""
    return ToolServerView.of(row, tools.links.state(row), me)
