"""What a model at work needs of whoever runs its tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tertulia.agents.agent_step import AgentStep
from tertulia.models.calls import ToolCall
from tertulia.tools.domain import ToolOutput


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A tool has run: what it gave, and how long it took."""

    call: ToolCall
    result: ToolOutput
    ms: int


class Tools(Protocol):
    """Runs the tools of one reply, and keeps a record of them."""

    async def record_step(self, number: int, step: AgentStep) -> None:
        """Write down a step and its calls; awaited before any of them runs."""
        ...

    async def run(self, call: ToolCall) -> ToolOutput | None:
        """Run a call; None while a person has to say yes first."""
        ...

    async def record_result(self, ended: ToolEnded) -> None:
        """Write down what a call gave, or why it was not run."""
        ...

    def rest_hint(self, call: ToolCall) -> str:
        """Say how the model gets the rest of a result that is too long for a prompt."""
        ...

    async def take_notes(self) -> Sequence[str]:
        """Return what a person told the model since it was last asked."""
        ...
