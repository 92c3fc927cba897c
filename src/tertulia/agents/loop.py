"""A model at work: it speaks, asks for tools, reads what they gave, and goes on until it has answered."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tertulia.agents import prompts
from tertulia.agents.agent_events import Emit
from tertulia.agents.agent_step import AgentStep, StepTotals
from tertulia.agents.loop_limits import LoopLimits, loop_limit_reached
from tertulia.agents.step_stream import OnEvent
from tertulia.agents.tool_executor import ToolExecutor
from tertulia.agents.tools import Tools
from tertulia.models.calls import Call, Finished, PromptMessage, ToolCall
from tertulia.tools.domain import ToolOutput


@dataclass(frozen=True, slots=True)
class WaitingForApproval:
    """Some tools wait for a person's yes: the loop is run again from what is kept once that is decided."""


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """A step whose tools have run in part, the call that it answered, and what came before."""

    call: Call
    step: AgentStep
    results: dict[ToolCall, ToolOutput]
    #: The calls of each step before, and how long tools have run.
    past: Sequence[Sequence[ToolCall]] = ()
    seconds: float = 0.0


class AskModel(Protocol):
    """Asks a model for one step, and passes on what it says: `stream_step` for one provider."""

    async def __call__(self, call: Call, *, on_event: OnEvent) -> None:
        """Ask, and return when the model has stopped."""
        ...


#: Returns a further call as it may be sent, or raises when it may not.
AdmitCall = Callable[[Call], Awaitable[Call]]


async def run_agent_loop(
    ask: AskModel,
    call: Call,
    *,
    tools: Tools,
    emit: Emit,
    admit: AdmitCall,
    limits: LoopLimits,
    resumed: ResumePoint | None = None,
) -> Finished | WaitingForApproval:
    """Let a model speak and work until it has answered or has to wait. Cancelling this stops everything.

    `admit` sees every call but the first before it is sent.
    """
    executor = ToolExecutor(tools, limits)

    async def speak(call: Call, before: StepTotals) -> AgentStep:
        step = AgentStep(before)
        await ask(call, on_event=lambda event: step.add_event(event, emit))
        return step

    async def speak_on_record(call: Call, before: StepTotals) -> AgentStep:
        step = await speak(call, before)
        if step.calls:
            await tools.record_step(executor.steps, step)
        return step

    results: dict[ToolCall, ToolOutput] = {}
    if resumed is None:
        step = await speak_on_record(call, StepTotals())
    else:
        call, step, results = resumed.call, resumed.step, resumed.results
        executor.resume(resumed.past, seconds=resumed.seconds)
    while True:
        results = await executor.run_calls(step.calls, results)
        if any(tool_call not in results for tool_call in step.calls):
            return WaitingForApproval()
        notes = await tools.take_notes()
        if not step.calls and not notes:
            return finished_event(step)
        await record_step_without_tools(step, executor, tools)
        call = with_notes(step.append_to(call, [results[tool_call] for tool_call in step.calls]), notes)
        if reason := executor.limit_reason:
            emit(loop_limit_reached(reason, limits))
            return finished_event(await speak(await admit(with_answer_request(call)), step.totals()))
        call = await admit(call)
        step, results = await speak_on_record(call, step.totals()), {}


async def record_step_without_tools(step: AgentStep, executor: ToolExecutor, tools: Tools) -> None:
    """Write down a step without tools after which the model goes on, as a person told it something."""
    if not step.calls:
        await tools.record_step(executor.steps, step)
        executor.steps += 1


def finished_event(step: AgentStep) -> Finished:
    """Return how the last step ended; tools that are asked for when none may run are no reason."""
    reason = step.finished.reason if step.finished else "done"
    return Finished("done" if reason == "tools" else reason)


def with_notes(call: Call, notes: Sequence[str]) -> Call:
    """Return a call with what a person told the model while it worked."""
    if not notes:
        return call
    said = "\n\n".join(notes)
    return replace(
        call, messages=(*call.messages, PromptMessage("user", f"{prompts.text('note')}\n\n{said}"))
    )


def with_answer_request(call: Call) -> Call:
    """Return a call that asks for the answer.

    It still names the tools: providers refuse a prompt with calls in it that does not,
    and one that begins otherwise is not found in their caches. None of them is run.
    """
    said = PromptMessage("user", prompts.text("answer_now"))
    return replace(call, messages=(*call.messages, said), tools_rest=True)
