"""A tool of a server, as one of ours."""

from dataclasses import dataclass

from tertulia.core.json_object import JsonObject
from tertulia.tools.arguments import ToolArgumentsInvalid
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.external_tools import (
    EXTERNAL_OUTCOME_UNKNOWN,
    EXTERNAL_TOOL_GRACE_SECONDS,
    TOOL_DESCRIPTION_MAX_CHARS,
    OfferedTool,
    describe_external_tool,
    external_tool_name,
    one_line,
)
from tertulia.tools.mcp.client import McpClient

#: How long one call may take.
MCP_TOOL_TIMEOUT_SECONDS = 120.0
MCP_TOOL_TIMED_OUT = "The server did not answer within {seconds:g} seconds."


@dataclass(frozen=True, slots=True)
class McpTool:
    """Passes calls on to a server."""

    slug: str
    offered: OfferedTool
    client: McpClient
    effect: Effect
    timeout_seconds: float = MCP_TOOL_TIMEOUT_SECONDS
    shape: type[JsonObject] = dict

    @property
    def seconds(self) -> float:
        """How long the box waits for it."""
        return self.timeout_seconds + EXTERNAL_TOOL_GRACE_SECONDS

    @property
    def name(self) -> str:
        """What models call it."""
        return external_tool_name(self.slug, self.offered.name)

    @property
    def description(self) -> str:
        """What the server says that it does."""
        return describe_external_tool(self.slug, self.offered)

    @property
    def about(self) -> str:
        """What it does, as people read it."""
        return one_line(self.offered.description, TOOL_DESCRIPTION_MAX_CHARS)

    @property
    def parameters(self) -> JsonObject:
        """What the server wants to be given."""
        return self.offered.parameters

    def check(self, arguments: JsonObject) -> None:
        """Raise for an argument that the server does not know."""
        known = self.offered.parameters.get("properties")
        unknown = sorted(set(arguments) - set(known or arguments))
        if unknown and not self.offered.takes_others:
            raise ToolArgumentsInvalid(f"there is no argument {', '.join(unknown)}")

    async def run(self, arguments: JsonObject, caller: ToolCaller) -> ToolOutput:
        """Have the server do it."""
        try:
            return await self.client.call_tool(
                self.offered.name, arguments, seconds=self.timeout_seconds, tell=caller.tell
            )
        except TimeoutError:
            unknown = self.effect is Effect.SIDE
            told = MCP_TOOL_TIMED_OUT.format(seconds=self.timeout_seconds) + (
                EXTERNAL_OUTCOME_UNKNOWN if unknown else ""
            )
            return ToolOutput(told, failed=True, unknown=unknown)
