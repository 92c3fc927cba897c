"""A tool that changes something, for tests that want to know how often it really did."""

import asyncio
from dataclasses import dataclass, field

import msgspec

from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tests.world import World


class Letter(msgspec.Struct, frozen=True):
    """What to send."""

    text: str


@dataclass
class SendLetter:
    """Sends letters, and remembers each."""

    sent: list[str] = field(default_factory=list)
    seconds: float = 5.0
    #: How far it says it is while it runs.
    share: float | None = None
    #: Cleared while it should not come to an end.
    may_end: asyncio.Event = field(default_factory=asyncio.Event)
    name = "send_letter"
    description = "Send a letter."
    shape = Letter
    parameters = parameters_of(Letter)
    effect = Effect.SIDE

    async def run(self, arguments: Letter, caller: ToolCaller) -> ToolOutput:
        self.sent.append(arguments.text)
        caller.tell("licking the stamp\n", self.share)
        await self.may_end.wait()
        return ToolOutput(f"Sent: {arguments.text}")


def give_letters(world: World, tool: SendLetter | None = None) -> SendLetter:
    """Let every model of a server send letters."""
    tool = tool or SendLetter()
    tool.may_end.set()
    world.server.parts.services.tool_registry._tools[tool.name] = tool
    return tool
