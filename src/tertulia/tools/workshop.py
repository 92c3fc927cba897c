"""All the tools of a workspace: ours, those of servers and of web services, each as the workspace has it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from tertulia.accounts import audit
from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.secrets import Vault
from tertulia.settings import Settings
from tertulia.tools import workshop_store as store
from tertulia.tools.catalogue import BETWEEN
from tertulia.tools.domain import Caller, Effect, Result, ToolSpec
from tertulia.tools.http.services import Services
from tertulia.tools.mcp.keeping import Links
from tertulia.tools.mcp.secrets import Sealer
from tertulia.tools.mcp.servers import Servers
from tertulia.tools.workshop_store import ServerRow, ServiceRow, Switch

#: Providers take no more, and each costs its words in every prompt.
MOST_OFFERED = 100
TOO_MANY = f"Models are offered at most {MOST_OFFERED} tools from outside: switch others off."

AnyTool = ToolSpec[Any]


@dataclass(frozen=True, slots=True)
class Counted:
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
    def parameters(self) -> dict[str, Any]:
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

    def check(self, arguments: object) -> None:
        """Raise for what can be known to be wrong with arguments before they are used."""
        if check := getattr(self.tool, "check", None):
            check(arguments)

    async def run(self, arguments: object, caller: Caller) -> Result:
        """Do it."""
        return await self.tool.run(arguments, caller)


@dataclass(frozen=True, slots=True)
class Listed:
    """A tool as the workspace sees it."""

    name: str
    #: `project`, or the short name of a server or service.
    source: str
    description: str
    effect: Effect
    enabled: bool
    problem: str = ""


class Workshop:
    """Chooses the tools for each reply, and lets admins say which there are."""

    def __init__(self, settings: Settings, db: Database, client: httpx2.AsyncClient) -> None:
        vault = Vault(settings)
        sealer = Sealer(vault)
        self._db = db
        self._links = Links(db, client, sealer, programs=settings.tool_programs)
        self.servers = Servers(db, self._links, sealer, programs=settings.tool_programs)
        self.services = Services(db, client, vault)
        self._ours: list[AnyTool] = []

    @property
    def links(self) -> Links:
        """The servers that are kept at hand."""
        return self._links

    def shows(self, ours: Iterable[AnyTool]) -> None:
        """Take in the tools that are there without anybody's doing, so that they can be listed."""
        self._ours = list(ours)

    async def choose(self, caller: Caller, ours: Iterable[AnyTool]) -> list[AnyTool]:
        """Return the tools for one reply."""
        rows = await self._db.read(Rows.of, by=caller.by)
        beyond = await self._beyond(rows, caller)
        chosen = [counted(tool, rows.switches) for tool in ours if is_on(tool, rows.switches)]
        return chosen + [for_model(counted(one, rows.switches), caller) for one in beyond[:MOST_OFFERED]]

    async def everything(self, by: Principal) -> list[Listed]:
        """Return every tool of the workspace, whether it is on or not."""
        rows = await self._db.read(Rows.of, by=by)
        caller = Caller(by, None, "", model_is_local=False)
        beyond = [*self._links.tools(rows.servers, caller), *await self.services.tools(rows.services)]
        on = [one.name for one in beyond if is_on(one, rows.switches)]
        left_out = set(on[MOST_OFFERED:])
        return [listed(one, rows.switches, left_out) for one in [*self._ours, *beyond]]

    async def switch(self, name: str, values: dict[str, Any], by: Principal) -> Listed:
        """Switch one tool on or off for the whole workspace, or say what it counts as; the other stays."""
        by.require(Role.ADMIN)
        known = [one for one in await self.everything(by) if one.name == name]
        if not known:
            raise NotFound("tool")

        def write(tx: Tx) -> None:
            before = store.switches(tx).get(name) or Switch(name, enabled=True, effect=None)
            switch = replace(before, **values)
            store.put_switch(tx, switch)
            detail = {"enabled": switch.enabled, "effect": switch.effect and switch.effect.value}
            audit.record(tx, "tool_switched", subject_id=name, detail=detail)

        await self._db.write(write, by=by)
        return next(one for one in await self.everything(by) if one.name == name)

    async def close(self) -> None:
        """Let all servers go."""
        await self._links.close()

    async def _beyond(self, rows: "Rows", caller: Caller) -> list[AnyTool]:
        found = [*self._links.tools(rows.servers, caller), *await self.services.tools(rows.services)]
        return [one for one in found if is_on(one, rows.switches)]


@dataclass(frozen=True, slots=True)
class Rows:
    """All that a workspace has said about tools."""

    servers: Sequence[ServerRow]
    services: Sequence[ServiceRow]
    switches: dict[str, Switch]

    @classmethod
    def of(cls, tx: Tx) -> "Rows":
        """Read it, at one moment."""
        return cls(store.all_of(tx, ServerRow), store.all_of(tx, ServiceRow), store.switches(tx))


def is_on(tool: AnyTool, switches: dict[str, Switch]) -> bool:
    """Tell whether a workspace wants a tool: all are on until somebody says otherwise."""
    switch = switches.get(tool.name)
    return switch is None or switch.enabled


def counted(tool: AnyTool, switches: dict[str, Switch]) -> AnyTool:
    """Return a tool with the effect that the workspace says it has."""
    switch = switches.get(tool.name)
    if switch is None or switch.effect is None or switch.effect is tool.effect:
        return tool
    return Counted(tool, switch.effect)


def for_model(tool: AnyTool, caller: Caller) -> AnyTool:
    """Return a tool from outside as one model may use it.

    A local model may know what must not leave this machine, so a person sees what it sends first.
    """
    if caller.model_is_local and tool.effect is Effect.READ:
        return Counted(tool, Effect.SIDE)
    return tool


def listed(tool: AnyTool, switches: dict[str, Switch], left_out: set[str]) -> Listed:
    """Return a tool as it is shown."""
    slug, between, _ = tool.name.partition(BETWEEN)
    return Listed(
        name=tool.name,
        source=slug if between else "project",
        # Those from outside are described to models in a frame that people need not read.
        description=getattr(tool, "about", tool.description),
        effect=counted(tool, switches).effect,
        enabled=is_on(tool, switches),
        problem=TOO_MANY if tool.name in left_out else getattr(tool, "problem", ""),
    )
