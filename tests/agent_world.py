"""A model at work without a server: tools made of one function, and a list of all that happens."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tertulia.agents.agent_events import AgentEvent
from tertulia.agents.agent_step import AgentStep
from tertulia.agents.loop import ResumePoint, WaitingForApproval, run_agent_loop
from tertulia.agents.loop_limits import LoopLimits, ask_for_less
from tertulia.agents.model_quirks import ModelQuirks
from tertulia.agents.step_stream import stream_step
from tertulia.agents.tools import ToolEnded
from tertulia.models.calls import Call, Finished, ToolCall
from tertulia.tools.domain import ToolOutput


@dataclass(frozen=True)
class StepRecorded:
    """A step was written down."""

    number: int
    text: str
    calls: tuple[ToolCall, ...]


Happening = AgentEvent | StepRecorded | ToolEnded | Finished | WaitingForApproval


async def look(call: ToolCall) -> ToolOutput:
    return ToolOutput(f"saw {call.arguments}")


@dataclass
class FakeTools:
    """Runs every call with one function, and tells in one list what happens."""

    run_tool: Callable[[ToolCall], Awaitable[ToolOutput | None]] = look
    happened: list[Happening] = field(default_factory=list)
    #: What the person tells the model, each time that it may be told something.
    notes: list[list[str]] = field(default_factory=list)

    async def record_step(self, number: int, step: AgentStep) -> None:
        self.happened.append(StepRecorded(number, "".join(step.text), tuple(step.calls)))

    async def run(self, call: ToolCall) -> ToolOutput | None:
        return await self.run_tool(call)

    async def record_result(self, ended: ToolEnded) -> None:
        self.happened.append(ended)

    def rest_hint(self, call: ToolCall) -> str:
        return ask_for_less(call)

    async def take_notes(self) -> Sequence[str]:
        return self.notes.pop(0) if self.notes else ()


async def as_it_is(call: Call) -> Call:
    return call


async def work(
    provider: Any,
    call: Call,
    tools: FakeTools,
    *,
    retries: int = 0,
    quirks: ModelQuirks | None = None,
    admit: Callable[[Call], Awaitable[Call]] = as_it_is,
    limits: LoopLimits | None = None,
    resumed: ResumePoint | None = None,
) -> list[Happening]:
    """Let a model speak and work, and return all that happened, with its end."""

    async def find_provider() -> Any:
        return provider

    ended = await run_agent_loop(
        partial(stream_step, find_provider, quirks=quirks or ModelQuirks(), retries=retries),
        call,
        tools=tools,
        emit=tools.happened.append,
        admit=admit,
        limits=limits or LoopLimits(),
        resumed=resumed,
    )
    tools.happened.append(ended)
    return tools.happened


def only(kind: type, happened: Sequence[Happening]) -> list[Any]:
    return [event for event in happened if isinstance(event, kind)]
