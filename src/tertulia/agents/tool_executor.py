"""Running the tools that a model asks for: all of a step at once, within limits."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from time import monotonic

import msgspec

from tertulia.agents.loop_limits import LoopLimitReason, LoopLimits, ask_for_less
from tertulia.core.untrusted_json import JsonUnreadable, read_json
from tertulia.models.calls import ToolCall
from tertulia.tools.domain import ToolOutput
from tertulia.tools.output_truncation import truncate_output

#: Runs a tool; None while a person has to say yes first.
RunTool = Callable[[ToolCall], Awaitable[ToolOutput | None]]
#: Says how a model gets the rest of a result that is too long for a prompt.
RestHint = Callable[[ToolCall], str]

REPEATED_CALL = (
    "You have asked for exactly this before: use what it gave, ask for something else, or answer with what "
    "you have."
)
TOOL_TIME_USED_UP = "There was no time left to run this."
#: After so many steps in a row that only repeat earlier ones, a model will not find out by itself.
REPEATED_STEPS_MAX = 2


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool begins to run."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolNeedsApproval:
    """A tool does not run before a person has said yes."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A tool has run: what it gave, and how long it took."""

    call: ToolCall
    result: ToolOutput
    ms: int


RunningCalls = dict[asyncio.Task[ToolEnded | ToolNeedsApproval], ToolCall]


class ToolExecutor:
    """Runs calls and keeps an eye on the limits of one reply."""

    def __init__(self, run_tool: RunTool, limits: LoopLimits, *, rest_hint: RestHint = ask_for_less) -> None:
        self._run = run_tool
        self._rest_hint = rest_hint
        self._limits = limits
        #: How long tools may still run; what the model takes to write does not count.
        self._seconds_left = limits.max_seconds
        self._call_counts: Counter[tuple[str, str]] = Counter()
        #: How often tools were called so far.
        self.steps = 0
        self._repeated_steps = 0

    @property
    def limit_reason(self) -> LoopLimitReason | None:
        """Return the limit that is reached, if one is."""
        if self._repeated_steps >= REPEATED_STEPS_MAX:
            return LoopLimitReason.CIRCLES
        if self._seconds_left <= 0:
            return LoopLimitReason.TIME
        return LoopLimitReason.STEPS if self.steps >= self._limits.max_steps else None

    def resume(self, past: Sequence[Sequence[ToolCall]], *, seconds: float) -> None:
        """Go on after steps that were taken before."""
        self._seconds_left -= seconds
        for calls in past:
            self._refuse_calls(calls)

    async def run_calls(
        self, calls: Sequence[ToolCall], results: dict[ToolCall, ToolOutput]
    ) -> AsyncGenerator[ToolStarted | ToolNeedsApproval | ToolEnded, None]:
        """Run the calls of a step at once and tell as each starts and ends. Closing this stops them all.

        What is in `into` already is not run again; what has to wait is not in it afterwards.
        """
        refused, began = self._refuse_calls(calls) if calls else {}, monotonic()
        until = began + self._seconds_left
        running: RunningCalls = {}
        try:
            for call in calls:
                if call in results:
                    continue
                yield ToolStarted(call)
                running[asyncio.create_task(self._run_timed(call, refused.get(call)))] = call
            while running and (ended := await wait_for_next(running, until)):
                for task in ended:
                    call = running.pop(task)
                    told = task.result()
                    if isinstance(told, ToolEnded):
                        results[call] = told.result
                    yield told
            for call in running.values():
                results[call] = ToolOutput(TOOL_TIME_USED_UP, failed=True, unknown=True)
                yield ToolEnded(call, results[call], ms_since(began))
        finally:
            self._seconds_left -= monotonic() - began
            await cancel_calls(running)

    def _refuse_calls(self, calls: Sequence[ToolCall]) -> dict[ToolCall, ToolOutput]:
        """Return what is not run, and why; called once for each step."""
        self.steps += 1
        refused: dict[ToolCall, ToolOutput] = {}
        for place, call in enumerate(calls):
            self._call_counts[call_signature(call)] += 1
            if self._call_counts[call_signature(call)] > self._limits.max_same_calls:
                refused[call] = ToolOutput(REPEATED_CALL, failed=True)
            elif place >= self._limits.max_calls_per_step:
                most = self._limits.max_calls_per_step
                refused[call] = ToolOutput(f"At most {most} calls are run at once: ask again.", failed=True)
                self._call_counts[call_signature(call)] -= 1
        again = [refused.get(call) == ToolOutput(REPEATED_CALL, failed=True) for call in calls]
        is_repeating = bool(again) and all(again)
        self._repeated_steps = self._repeated_steps + 1 if is_repeating else 0
        return refused

    async def _run_timed(self, call: ToolCall, refused: ToolOutput | None) -> ToolEnded | ToolNeedsApproval:
        began = monotonic()
        result = refused or await self._run(call)
        if result is None:
            return ToolNeedsApproval(call)
        fitting = truncate_output(result, self._rest_hint(call), max_chars=self._limits.result_max_chars)
        return ToolEnded(call, fitting, ms_since(began))


async def wait_for_next(
    running: RunningCalls, until: float
) -> list[asyncio.Task[ToolEnded | ToolNeedsApproval]]:
    """Wait for the next calls to end, and return them in their order; none when time is up."""
    left = max(0.0, until - monotonic())
    done, _ = await asyncio.wait(running, timeout=left, return_when=asyncio.FIRST_COMPLETED)
    return [task for task in running if task in done]


async def cancel_calls(running: RunningCalls) -> None:
    """Stop what still runs, and wait until it has."""
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


def call_signature(call: ToolCall) -> tuple[str, str]:
    """Return what is the same for two calls exactly when they ask for the same, however it is written."""
    try:
        arguments = read_json(call.arguments)
    except JsonUnreadable:
        return call.name, call.arguments
    return call.name, msgspec.json.encode(arguments, order="deterministic").decode()


def ms_since(began: float) -> int:
    """Return the milliseconds since a moment."""
    return round((monotonic() - began) * 1000)
