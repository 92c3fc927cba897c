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
from tertulia.agents.limits import LoopLimited, LoopLimits, ask_for_less, limited, squeezed
from tertulia.agents.speaker import AskingAgain, speak
from tertulia.agents.step import SoFar, Step
from tertulia.agents.work import Rest, Run, ToolEnded, ToolStarted, ToolWaits, Work
from tertulia.models.calls import Call, Finished, Heard, Provider, Said, ToolCall
from tertulia.models.errors import PromptTooLong
from tertulia.tools.domain import Result


@dataclass(frozen=True, slots=True)
class NextStep:
    """The model is about to be asked again, with this call."""

    call: Call


@dataclass(frozen=True, slots=True)
class Waiting:
    """Some tools wait for a person's yes: all that was said and done is kept until then."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """A step whose tools have run in part, the call that it answered, and what came before."""

    call: Call
    step: Step
    results: dict[ToolCall, Result]
    #: The calls of each step before, and how long tools have run.
    past: Sequence[Sequence[ToolCall]] = ()
    seconds: float = 0.0


Told = Heard | AskingAgain | NextStep | ToolStarted | ToolWaits | ToolEnded | LoopLimited | Waiting
Begin = Callable[[int, Step], Awaitable[None]]
Notes = Callable[[], Sequence[str]]


async def unwritten(_number: int, _step: Step) -> None:
    """Write nothing down."""


def no_notes() -> Sequence[str]:
    """Tell the model nothing."""
    return ()


async def converse(
    provider: Provider,
    call: Call,
    *,
    retries: int,
    run: Run,
    fits: Callable[[Call], Call],
    limits: LoopLimits,
    begin: Begin = unwritten,
    notes: Notes = no_notes,
    rest: Rest = ask_for_less,
    resumed: Resumed | None = None,
) -> AsyncGenerator[Told, None]:
    """Yield what a model says and does until it has answered. Closing this stops everything at once.

    `Usage` is that of all steps so far. There is one `Finished`, at the very end; a bare
    `ToolCall` is never told, but `ToolStarted` and `ToolEnded` for each.
    """
    work, step, is_last = Work(run, limits, rest=rest), Step(SoFar()), False
    results: dict[ToolCall, Result] = {}
    if resumed is not None:
        call, step, results = resumed.call, resumed.step, dict(resumed.results)
        work.take_up(resumed.past, seconds=resumed.seconds)
    while True:
        if resumed is None:
            async with aclosing(heard_in(step, provider, call, retries=retries, work=work)) as words:
                async for heard in words:
                    yield heard
            if step.calls and not is_last:
                await begin(work.steps, step)
        resumed = None
        async with aclosing(work.do([] if is_last else step.calls, results)) as doings:
            async for doing in doings:
                yield doing
        if not is_last and any(one not in results for one in step.calls):
            yield Waiting()
            return
        told = () if is_last else notes()
        if is_last or not (step.calls or told):
            yield answered(step)
            return
        await write_down_words(step, work, begin)
        call = with_notes(step.added_to(call, [results[one] for one in step.calls]), told)
        if reason := work.limit:
            yield limited(reason, limits)
            call, is_last = with_last_words(call), True
        call, step, results = fits(call), Step(step.so_far()), {}
        yield NextStep(call)


async def write_down_words(step: Step, work: Work, begin: Begin) -> None:
    """Write down a step without tools after which the model goes on, as a person told it something."""
    if not step.calls:
        await begin(work.steps, step)
        work.steps += 1


async def heard_in(
    step: Step, provider: Provider, call: Call, *, retries: int, work: Work
) -> AsyncGenerator[Heard | AskingAgain, None]:
    """Yield what is heard in one step, as it is told."""
    async with aclosing(ask(provider, call, retries=retries, is_first=work.steps == 0)) as words:
        async for heard in words:
            for told in step.hear(heard):
                yield told


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


def with_notes(call: Call, notes: Sequence[str]) -> Call:
    """Return a call with what a person told the model while it worked."""
    if not notes:
        return call
    said = "\n\n".join(notes)
    return replace(call, messages=(*call.messages, Said("user", f"{prompts.text('note')}\n\n{said}")))


def with_last_words(call: Call) -> Call:
    """Return a call that asks for the answer.

    It still names the tools: providers refuse a prompt with calls in it that does not,
    and one that begins otherwise is not found in their caches. None of them is run.
    """
    said = Said("user", prompts.text("answer_now"))
    return replace(call, messages=(*call.messages, said), tools_rest=True)
