"""A model at work: it speaks, asks for tools, reads what they gave, and goes on until it has answered.

The tools themselves come as one function, `run`. Whoever wants a say before a tool
runs, or to have a tool run elsewhere, gives another `run`; whoever wants to add to
the next step gives another `fits`, which sees every call before it is sent.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace

from tertulia.agents import prompts
from tertulia.agents.limits import LoopLimited, LoopLimits, limited, squeezed
from tertulia.agents.speaker import AskingAgain, speak
from tertulia.agents.step import SoFar, Step
from tertulia.agents.work import Run, ToolEnded, ToolStarted, Work
from tertulia.models.calls import Call, Finished, Heard, Provider, Said, ToolCall
from tertulia.models.errors import PromptTooLong
from tertulia.tools.domain import Result


@dataclass(frozen=True, slots=True)
class NextStep:
    """The model is about to be asked again, with this call."""

    call: Call


Told = Heard | AskingAgain | NextStep | ToolStarted | ToolEnded | LoopLimited


async def converse(
    provider: Provider,
    call: Call,
    *,
    retries: int,
    run: Run,
    fits: Callable[[Call], Call],
    limits: LoopLimits,
) -> AsyncGenerator[Told, None]:
    """Yield what a model says and does until it has answered. Closing this stops everything at once.

    `Usage` is that of all steps so far. There is one `Finished`, at the very end; a bare
    `ToolCall` is never told, but `ToolStarted` and `ToolEnded` for each.
    """
    work, step, is_last = Work(run, limits), Step(SoFar()), False
    while True:
        async with aclosing(ask(provider, call, retries=retries, is_first=work.steps == 0)) as words:
            async for heard in words:
                for told in step.hear(heard):
                    yield told
        if is_last or not step.calls:
            yield answered(step)
            return
        results: dict[ToolCall, Result] = {}
        async with aclosing(work.do(step.calls, results)) as doings:
            async for doing in doings:
                yield doing
        call = step.added_to(call, [results[one] for one in step.calls])
        if reason := work.limit:
            yield limited(reason, limits)
            call, is_last = with_last_words(call), True
        call, step = fits(call), Step(step.so_far())
        yield NextStep(call)


async def ask(
    provider: Provider, call: Call, *, retries: int, is_first: bool
) -> AsyncGenerator[Heard | AskingAgain, None]:
    """Ask for one step; when what tools gave made it too long, once more with little of that."""
    try:
        async with aclosing(speak(provider, call, retries=retries)) as words:
            async for heard in words:
                yield heard
    except PromptTooLong:
        if is_first:
            raise
    else:
        return
    async with aclosing(speak(provider, squeezed(call), retries=retries)) as words:
        async for heard in words:
            yield heard


def answered(step: Step) -> Finished:
    """Return how the last step ended; tools that are asked for when none may run are no reason."""
    reason = step.finished.reason if step.finished else "done"
    return Finished("done" if reason == "tools" else reason)


def with_last_words(call: Call) -> Call:
    """Return a call that asks for the answer.

    It still names the tools: providers refuse a prompt with calls in it that does not,
    and one that begins otherwise is not found in their caches. None of them is run.
    """
    return replace(call, messages=(*call.messages, Said("user", prompts.text("answer_now"))))
