"""A model at work: it speaks, asks for tools, reads what they gave, and goes on until it has answered.

The tools themselves come as one function, `run`. Where a person has to say yes
first, it returns nothing: then the loop ends with `Waiting`, and is begun again from
what was kept of its steps once that is decided. `begin` is told of every step before
its tools run, `notes` gives what a person told the model meanwhile, and `fits` sees
every call before it is sent.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from tertulia.agents import prompts
from tertulia.agents.agent_step import AgentStep, StepTotals
from tertulia.agents.loop_limits import (
    LoopLimitReached,
    LoopLimits,
    ask_for_less,
    loop_limit_reached,
    shorten_tool_results,
)
from tertulia.agents.retry import RetryScheduled, stream_with_retry
from tertulia.agents.tool_executor import (
    RestHint,
    RunTool,
    ToolEnded,
    ToolExecutor,
    ToolNeedsApproval,
    ToolStarted,
)
from tertulia.models.calls import Call, Finished, PromptMessage, Provider, StreamEvent, ToolCall
from tertulia.models.errors import PromptTooLong
from tertulia.tools.domain import ToolOutput


@dataclass(frozen=True, slots=True)
class NextStepReady:
    """The model is about to be asked again, with this call."""

    call: Call


@dataclass(frozen=True, slots=True)
class WaitingForApproval:
    """Some tools wait for a person's yes: all that was said and done is kept until then."""


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """A step whose tools have run in part, the call that it answered, and what came before."""

    call: Call
    step: AgentStep
    results: dict[ToolCall, ToolOutput]
    #: The calls of each step before, and how long tools have run.
    past: Sequence[Sequence[ToolCall]] = ()
    seconds: float = 0.0


AgentEvent = (
    StreamEvent
    | RetryScheduled
    | NextStepReady
    | ToolStarted
    | ToolNeedsApproval
    | ToolEnded
    | LoopLimitReached
    | WaitingForApproval
)
RecordStep = Callable[[int, AgentStep], Awaitable[None]]
TakeNotes = Callable[[], Sequence[str]]


async def record_nothing(_number: int, _step: AgentStep) -> None:
    """Write nothing down."""


def no_notes() -> Sequence[str]:
    """Tell the model nothing."""
    return ()


async def run_agent_loop(
    provider: Provider,
    call: Call,
    *,
    retries: int,
    run_tool: RunTool,
    fit_to_budget: Callable[[Call], Call],
    limits: LoopLimits,
    record_step: RecordStep = record_nothing,
    take_notes: TakeNotes = no_notes,
    rest_hint: RestHint = ask_for_less,
    resumed: ResumePoint | None = None,
) -> AsyncGenerator[AgentEvent, None]:
    """Yield what a model says and does until it has answered. Closing this stops everything at once.

    `Usage` is that of all steps so far. There is one `Finished`, at the very end; a bare
    `ToolCall` is never told, but `ToolStarted` and `ToolEnded` for each.
    """
    executor, step, is_last = (
        ToolExecutor(run_tool, limits, rest_hint=rest_hint),
        AgentStep(StepTotals()),
        False,
    )
    results: dict[ToolCall, ToolOutput] = {}
    if resumed is not None:
        call, step, results = resumed.call, resumed.step, dict(resumed.results)
        executor.resume(resumed.past, seconds=resumed.seconds)
    while True:
        if resumed is None:
            async with aclosing(
                stream_step(step, provider, call, retries=retries, executor=executor)
            ) as words:
                async for heard in words:
                    yield heard
            if step.calls and not is_last:
                await record_step(executor.steps, step)
        resumed = None
        async with aclosing(executor.run_calls([] if is_last else step.calls, results)) as doings:
            async for doing in doings:
                yield doing
        if not is_last and any(tool_call not in results for tool_call in step.calls):
            yield WaitingForApproval()
            return
        told = () if is_last else take_notes()
        if is_last or not (step.calls or told):
            yield finished_event(step)
            return
        await record_step_without_tools(step, executor, record_step)
        call = with_notes(step.append_to(call, [results[call] for call in step.calls]), told)
        if reason := executor.limit_reason:
            yield loop_limit_reached(reason, limits)
            call, is_last = with_answer_request(call), True
        call, step, results = fit_to_budget(call), AgentStep(step.totals()), {}
        yield NextStepReady(call)


async def record_step_without_tools(step: AgentStep, executor: ToolExecutor, record_step: RecordStep) -> None:
    """Write down a step without tools after which the model goes on, as a person told it something."""
    if not step.calls:
        await record_step(executor.steps, step)
        executor.steps += 1


async def stream_step(
    step: AgentStep, provider: Provider, call: Call, *, retries: int, executor: ToolExecutor
) -> AsyncGenerator[StreamEvent | RetryScheduled, None]:
    """Yield what is heard in one step, as it is told."""
    async with aclosing(
        stream_shortening_results(provider, call, retries=retries, is_first=executor.steps == 0)
    ) as words:
        async for heard in words:
            for told in step.add_event(heard):
                yield told


async def stream_shortening_results(
    provider: Provider, call: Call, *, retries: int, is_first: bool
) -> AsyncGenerator[StreamEvent | RetryScheduled, None]:
    """Ask for one step; when what tools gave made it too long, once more with little of that."""
    try:
        async with aclosing(stream_with_retry(provider, call, retries=retries)) as words:
            async for heard in words:
                yield heard
    except PromptTooLong:
        if is_first:
            raise
    else:
        return
    async with aclosing(stream_with_retry(provider, shorten_tool_results(call), retries=retries)) as words:
        async for heard in words:
            yield heard


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
