"""All the tools of a workspace: ours, those of servers and of web services, each as the workspace has it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from tertulia.accounts import audit
from tertulia.core.errors import NotFound
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.secrets import SecretVault
from tertulia.settings import Settings
from tertulia.tools import store, switches
from tertulia.tools.domain import AnyTool, Effect, ToolCaller, ToolOutput
from tertulia.tools.external_tools import TOOL_NAME_SEPARATOR
from tertulia.tools.http.services import HttpServices
from tertulia.tools.mcp.client_pool import McpClientPool
from tertulia.tools.mcp.server_secrets import SecretSealer
from tertulia.tools.mcp.servers import McpServers
from tertulia.tools.store import ServerRow, ServiceRow
from tertulia.tools.switches import ToolSwitch

#: Providers take no more, and each costs its words in every prompt.
EXTERNAL_TOOLS_MAX = 100
TOO_MANY_EXTERNAL_TOOLS = (
    f"Models are offered at most {EXTERNAL_TOOLS_MAX} tools from outside: switch others off."
)


@dataclass(frozen=True, slots=True)
class EffectOverride:
    """A tool that counts as reading or changing, whatever it says itself."""

    tool: AnyTool
    effect: Effect

    @property
    def name(self) -> str:
        """What models call it."""
        return self.tool.name

    @property
    def description(self) -> str:
        """What it is for."""
        return self.tool.description

    @property
    def parameters(self) -> JsonObject:
        """Its arguments as a JSON schema."""
        return self.tool.parameters

    @property
    def shape(self) -> type[Any]:
        """What its arguments are read as."""
        return self.tool.shape

    @property
    def seconds(self) -> float | None:
        """How long it may take, where it says so."""
        return getattr(self.tool, "seconds", None)

    @property
    def ready(self) -> bool:
        """Whether it can be used just now."""
        return getattr(self.tool, "ready", True)

    @property
    def needs_project(self) -> bool:
        """Whether it is of use only in a project."""
        return getattr(self.tool, "needs_project", True)

    @property
    def preview(self) -> Any:
        """What says how a call will run, where the tool can say it."""
        return getattr(self.tool, "preview", None)

    def check(self, arguments: object) -> None:
        """Raise for what can be known to be wrong with arguments before they are used."""
        if check := getattr(self.tool, "check", None):
            check(arguments)

    async def run(self, arguments: object, caller: ToolCaller) -> ToolOutput:
        """Do it."""
        return await self.tool.run(arguments, caller)


@dataclass(frozen=True, slots=True)
class WorkspaceTool:
    """A tool as the workspace sees it."""

    name: str
    #: `project`, or the short name of a server or service.
    source: str
    description: str
    effect: Effect
    enabled: bool
    problem: str = ""


class WorkspaceTools:
    """Chooses the tools for each reply, and lets admins say which there are."""

    def __init__(self, settings: Settings, db: Database, client: httpx2.AsyncClient) -> None:
        vault = SecretVault(settings)
        sealer = SecretSealer(vault)
        self._db = db
        self._mcp_clients = McpClientPool(db, client, sealer, programs=settings.tool_programs)
        self.servers = McpServers(db, self._mcp_clients, sealer, programs=settings.tool_programs)
        self.services = HttpServices(db, client, vault)
        self._builtin_tools: list[AnyTool] = []

    @property
    def mcp_clients(self) -> McpClientPool:
        """The servers that are kept at hand."""
        return self._mcp_clients

    def set_builtin_tools(self, ours: Iterable[AnyTool]) -> None:
        """Take in the tools that are there without anybody's doing, so that they can be listed."""
        self._builtin_tools = list(ours)

    async def choose_tools(self, caller: ToolCaller, ours: Iterable[AnyTool]) -> list[AnyTool]:
        """Return the tools for one reply."""
        rows = await self._db.read(WorkspaceToolRows.of, by=caller.by)
        beyond = await self._external_tools(rows, caller)
        chosen = [
            with_workspace_effect(tool, rows.switches) for tool in ours if is_enabled(tool, rows.switches)
        ]
        return chosen + [
            with_local_model_effect(with_workspace_effect(any_tool, rows.switches), caller)
            for any_tool in beyond[:EXTERNAL_TOOLS_MAX]
        ]

    async def list_tools(self, by: Principal) -> list[WorkspaceTool]:
        """Return every tool of the workspace, whether it is on or not."""
        rows = await self._db.read(WorkspaceToolRows.of, by=by)
        caller = ToolCaller(by, None, "", model_is_local=False)
        beyond = [*self._mcp_clients.tools(rows.servers, caller), *await self.services.tools(rows.services)]
        on = [tool.name for tool in beyond if is_enabled(tool, rows.switches)]
        left_out = set(on[EXTERNAL_TOOLS_MAX:])
        return [to_workspace_tool(tool, rows.switches, left_out) for tool in [*self._builtin_tools, *beyond]]

    async def switch_tool(self, name: str, values: Mapping[str, object], by: Principal) -> WorkspaceTool:
        """Switch one tool on or off for the whole workspace, or say what it counts as; the other stays."""
        by.require(Role.ADMIN)
        known = [tool for tool in await self.list_tools(by) if tool.name == name]
        if not known:
            raise NotFound("tool")

        def write(tx: Tx) -> None:
            before = switches.read_switches(tx).get(name) or ToolSwitch(name, enabled=True, effect=None)
            switch = replace(before, **values)
            switches.put_switch(tx, switch)
            detail = {"enabled": switch.enabled, "effect": switch.effect and switch.effect.value}
            audit.record(tx, "tool_switched", subject_id=name, detail=detail)

        await self._db.write(write, by=by)
        return next(
            workspace_tool for workspace_tool in await self.list_tools(by) if workspace_tool.name == name
        )

    async def close(self) -> None:
        """Let all servers go."""
        await self._mcp_clients.close()

    async def _external_tools(self, rows: "WorkspaceToolRows", caller: ToolCaller) -> list[AnyTool]:
        found = [*self._mcp_clients.tools(rows.servers, caller), *await self.services.tools(rows.services)]
        return [tool for tool in found if is_enabled(tool, rows.switches)]


@dataclass(frozen=True, slots=True)
class WorkspaceToolRows:
    """All that a workspace has said about tools."""

    servers: Sequence[ServerRow]
    services: Sequence[ServiceRow]
    switches: dict[str, ToolSwitch]

    @classmethod
    def of(cls, tx: Tx) -> "WorkspaceToolRows":
        """Read it, at one moment."""
        return cls(
            store.list_rows(tx, ServerRow), store.list_rows(tx, ServiceRow), switches.read_switches(tx)
        )


def is_enabled(tool: AnyTool, switches: dict[str, ToolSwitch]) -> bool:
    """Tell whether a workspace wants a tool: all are on until somebody says otherwise."""
    switch = switches.get(tool.name)
    return switch is None or switch.enabled


def with_workspace_effect(tool: AnyTool, switches: dict[str, ToolSwitch]) -> AnyTool:
    """Return a tool with the effect that the workspace says it has."""
    switch = switches.get(tool.name)
    if switch is None or switch.effect is None or switch.effect is tool.effect:
        return tool
    return EffectOverride(tool, switch.effect)


def with_local_model_effect(tool: AnyTool, caller: ToolCaller) -> AnyTool:
    """Return a tool from outside as one model may use it.

    A local model may know what must not leave this machine, so a person sees what it sends first.
    """
    if caller.model_is_local and tool.effect is Effect.READ:
        return EffectOverride(tool, Effect.SIDE)
    return tool


def to_workspace_tool(tool: AnyTool, switches: dict[str, ToolSwitch], left_out: set[str]) -> WorkspaceTool:
    """Return a tool as it is shown."""
    slug, between, _ = tool.name.partition(TOOL_NAME_SEPARATOR)
    return WorkspaceTool(
        name=tool.name,
        source=slug if between else "project",
        # Those from outside are described to models in a frame that people need not read.
        description=getattr(tool, "about", tool.description),
        effect=with_workspace_effect(tool, switches).effect,
        enabled=is_enabled(tool, switches),
        problem=TOO_MANY_EXTERNAL_TOOLS if tool.name in left_out else getattr(tool, "problem", ""),
    )
