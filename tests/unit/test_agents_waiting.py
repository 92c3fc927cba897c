"""A model at work that has to wait for a person, goes on afterwards, and is told things meanwhile."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

from tertulia.agents.agent_step import AgentStep, StepTotals
from tertulia.agents.loop import AgentEvent, ResumePoint, WaitingForApproval, run_agent_loop
from tertulia.agents.loop_limits import LoopLimits
from tertulia.agents.tool_executor import ToolEnded, ToolNeedsApproval, ToolStarted
from tertulia.models.calls import Call, Finished, PromptMessage, StreamEvent, TextDelta, Tool, ToolCall
from tertulia.tools.domain import ToolOutput

CALL = Call("model", "", (PromptMessage("user", "Why?"),), 1000, tools=(Tool("look", "Looks.", {}),))
TOOLS = Finished("tools")
ONE, TWO = ToolCall("1", "look", "1"), ToolCall("2", "send", "2")
AN_ANSWER = [TextDelta("So."), Finished("done")]


@dataclass
class Spoken:
    """A provider that says what is written here, step by step; its last step stays."""

    steps: list[list[StreamEvent]]
    heard: list[Call] = field(default_factory=list)

    async def stream(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
        self.heard.append(call)
        for one in self.steps[min(len(self.heard), len(self.steps)) - 1]:
            yield one


async def look(call: ToolCall) -> ToolOutput | None:
    return None if call.name == "send" else ToolOutput(f"saw {call.arguments}")


async def told(provider: Spoken, **options: Any) -> list[AgentEvent]:
    given = {
        "run_tool": look,
        "fit_to_budget": lambda call: call,
        "limits": LoopLimits(),
        "retries": 2,
    } | options
    return [one async for one in run_agent_loop(provider, CALL, **given)]


async def test_nothing_runs_before_the_wish_for_it_is_written_down() -> None:
    happened: list[object] = []

    async def run(call: ToolCall) -> ToolOutput:
        happened.append(call.id)
        return ToolOutput("")

    async def begin(number: int, step: AgentStep) -> None:
        await asyncio.sleep(0.005)
        happened.append((number, "".join(step.text), [call.id for call in step.calls]))

    steps = [[TextDelta("Hm."), ONE, TOOLS], [TWO, TOOLS], AN_ANSWER]
    await told(Spoken(steps), run_tool=run, record_step=begin)

    assert happened == [(0, "Hm.", ["1"]), "1", (1, "", ["2"]), "2"]


async def test_a_step_with_a_call_that_needs_a_yes_runs_the_others_and_waits() -> None:
    provider = Spoken([[ONE, TWO, TOOLS], AN_ANSWER])

    everything = await told(provider)

    assert ToolNeedsApproval(TWO) in everything
    assert [one.call for one in everything if isinstance(one, ToolEnded)] == [ONE]
    assert everything[-1] == WaitingForApproval()
    assert len(provider.heard) == 1


async def test_it_goes_on_where_it_waited_without_running_again_what_has_run() -> None:
    ran: list[str] = []

    async def run(call: ToolCall) -> ToolOutput:
        ran.append(call.id)
        return ToolOutput("sent")

    step = AgentStep(StepTotals(), text=["Hm."], calls=[ONE, TWO])
    provider = Spoken([AN_ANSWER])
    everything = await told(
        provider, run_tool=run, resumed=ResumePoint(CALL, step, {ONE: ToolOutput("saw 1")})
    )

    assert ran == ["2"]
    assert [one.call for one in everything if isinstance(one, ToolStarted)] == [TWO]
    (call,) = provider.heard
    assert call.messages[-2].text == "Hm."
    assert [result.text for result in call.messages[-1].tool_results] == ["saw 1", "sent"]
    assert everything[-3:] == [TextDelta("\n\n"), *AN_ANSWER]


async def test_a_note_reaches_the_model_with_its_next_step() -> None:
    notes = [["Look to the left."], []]
    provider = Spoken([[ONE, TOOLS], AN_ANSWER])

    await told(provider, take_notes=lambda: notes.pop(0))

    assert provider.heard[1].messages[-1].text.endswith("Look to the left.")
    assert provider.heard[1].messages[-2].tool_results[0].text == "saw 1"


async def test_a_note_that_comes_with_the_answer_is_answered_too() -> None:
    notes = [["And why?"], []]
    provider = Spoken([AN_ANSWER, [TextDelta("Because."), Finished("done")]])

    everything = await told(provider, take_notes=lambda: notes.pop(0))

    assert "".join(one.text for one in everything if isinstance(one, TextDelta)) == "So.\n\nBecause."
    assert provider.heard[1].messages[1].text == "So."
    assert sum(isinstance(one, Finished) for one in everything) == 1
