"""A tool of a server, as one of ours."""

from dataclasses import dataclass
from typing import Any

from tertulia.tools.arguments import ArgumentsWrong
from tertulia.tools.catalogue import LONGEST_DESCRIPTION, Offered, described, one_line, tool_name
from tertulia.tools.domain import Caller, Effect, Result
from tertulia.tools.mcp.link import Link

#: How long one call may take; the box around it waits a little longer.
SECONDS = 120.0
LONGER = 5.0
LATE = "The server did not answer within {seconds:g} seconds."
PERHAPS = " Whether it has done what was asked is not known: say so, and do not ask again by yourself."


@dataclass(frozen=True, slots=True)
class ServerTool:
    """Passes calls on to a server."""

    slug: str
    offered: Offered
    link: Link
    effect: Effect
    patience: float = SECONDS
    shape: type[dict[str, Any]] = dict

    @property
    def seconds(self) -> float:
        """How long the box waits for it."""
        return self.patience + LONGER

    @property
    def name(self) -> str:
        """What models call it."""
        return tool_name(self.slug, self.offered.name)

    @property
    def description(self) -> str:
        """What the server says that it does."""
        return described(self.slug, self.offered)

    @property
    def about(self) -> str:
        """What it does, as people read it."""
        return one_line(self.offered.description, LONGEST_DESCRIPTION)

    @property
    def parameters(self) -> dict[str, Any]:
        """What the server wants to be given."""
        return self.offered.parameters

    def check(self, arguments: dict[str, Any]) -> None:
        """Raise for an argument that the server does not know."""
        known = self.offered.parameters.get("properties")
        unknown = sorted(set(arguments) - set(known or arguments))
        if unknown and not self.offered.takes_others:
            raise ArgumentsWrong(f"there is no argument {', '.join(unknown)}")

    async def run(self, arguments: dict[str, Any], caller: Caller) -> Result:
        """Have the server do it."""
        try:
            return await self.link.call(self.offered.name, arguments, seconds=self.patience, tell=caller.tell)
        except TimeoutError:
            unknown = self.effect is Effect.SIDE
            told = LATE.format(seconds=self.patience) + (PERHAPS if unknown else "")
            return Result(told, failed=True, unknown=unknown)
