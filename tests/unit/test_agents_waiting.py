"""A model at work that has to wait for a person, goes on afterwards, and is told things meanwhile."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.agent_world import FakeTools, Happening, only, work

from tertulia.agents.agent_step import AgentStep, StepTotals
from tertulia.agents.loop import ResumePoint, WaitingForApproval
from tertulia.agents.tools import ToolEnded
from tertulia.models.calls import Call, Finished, PromptMessage, StreamEvent, TextDelta, Tool, ToolCall
from tertulia.tools.domain import ToolOutput

CALL = Call("model", "", (PromptMessage("user", "Why?"),), 1000, tools=(Tool("look", "Looks.", {}),))
TOOLS = Finished("tools")
ONE, TWO = ToolCall("1", "look", "1"), ToolCall("2", "send", "2")
AN_ANSWER = [TextDelta("So."), Finished("done")]


@dataclass
class Spoken:
    """A provider that says what is written here, step by step; its last step stays."""

    steps: Sequence[Sequence[StreamEvent]]
    heard: list[Call] = field(default_factory=list)

    async def stream(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
        self.heard.append(call)
        for one in self.steps[min(len(self.heard), len(self.steps)) - 1]:
            yield one


async def look(call: ToolCall) -> ToolOutput | None:
    return None if call.name == "send" else ToolOutput(f"saw {call.arguments}")


async def told(provider: Spoken, **options: Any) -> list[Happening]:
    return await work(provider, CALL, FakeTools(look), **options)


async def test_nothing_runs_before_the_wish_for_it_is_written_down() -> None:
    happened: list[object] = []

    async def run(call: ToolCall) -> ToolOutput:
        happened.append(call.id)
        return ToolOutput("")

    class SlowlyWritten(FakeTools):
        async def record_step(self, number: int, step: AgentStep) -> None:
            await asyncio.sleep(0)
            happened.append((number, "".join(step.text), [call.id for call in step.calls]))

    steps = [[TextDelta("Hm."), ONE, TOOLS], [TWO, TOOLS], AN_ANSWER]
    await work(Spoken(steps), CALL, SlowlyWritten(run))

    assert happened == [(0, "Hm.", ["1"]), "1", (1, "", ["2"]), "2"]


async def test_a_step_with_a_call_that_needs_a_yes_runs_the_others_and_waits() -> None:
    provider = Spoken([[ONE, TWO, TOOLS], AN_ANSWER])

    everything = await told(provider)

    assert [ended.call for ended in only(ToolEnded, everything)] == [ONE]
    assert everything[-1] == WaitingForApproval()
    assert len(provider.heard) == 1


async def test_it_goes_on_where_it_waited_without_running_again_what_has_run() -> None:
    ran: list[str] = []

    async def run(call: ToolCall) -> ToolOutput:
        ran.append(call.id)
        return ToolOutput("sent")

    step = AgentStep(StepTotals(), text=["Hm."], calls=[ONE, TWO])
    provider = Spoken([AN_ANSWER])
    resumed = ResumePoint(CALL, step, {ONE: ToolOutput("saw 1")})
    everything = await work(provider, CALL, FakeTools(run), resumed=resumed)

    assert ran == ["2"]
    assert [ended.call for ended in only(ToolEnded, everything)] == [TWO]
    (call,) = provider.heard
    assert call.messages[-2].text == "Hm."
    assert [result.text for result in call.messages[-1].tool_results] == ["saw 1", "sent"]
    assert everything[-3:] == [TextDelta("\n\n"), *AN_ANSWER]


async def test_a_note_reaches_the_model_with_its_next_step() -> None:
    notes = [["Look to the left."], []]
    provider = Spoken([[ONE, TOOLS], AN_ANSWER])

    await work(provider, CALL, FakeTools(look, notes=notes))

    assert provider.heard[1].messages[-1].text.endswith("Look to the left.")
    assert provider.heard[1].messages[-2].tool_results[0].text == "saw 1"


async def test_a_note_that_comes_with_the_answer_is_answered_too() -> None:
    notes = [["And why?"], []]
    provider = Spoken([AN_ANSWER, [TextDelta("Because."), Finished("done")]])

    everything = await work(provider, CALL, FakeTools(look, notes=notes))

    assert "".join(one.text for one in everything if isinstance(one, TextDelta)) == "So.\n\nBecause."
    assert provider.heard[1].messages[1].text == "So."
    assert sum(isinstance(one, Finished) for one in everything) == 1
