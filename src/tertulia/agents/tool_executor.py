"""Running the tools that a model asks for: all of a step at once, within limits."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from time import monotonic

import msgspec

from tertulia.agents.loop_limits import LoopLimitReason, LoopLimits
from tertulia.agents.tools import ToolEnded, Tools
from tertulia.core.untrusted_json import JsonUnreadable, read_json
from tertulia.models.calls import ToolCall
from tertulia.tools.domain import ToolOutput
from tertulia.tools.output_truncation import truncate_output

REPEATED_CALL = (
    "You have asked for exactly this before: use what it gave, ask for something else, or answer with what "
    "you have."
)
TOOL_TIME_USED_UP = "There was no time left to run this."
#: After so many steps in a row that only repeat earlier ones, a model will not find out by itself.
REPEATED_STEPS_MAX = 2


#: Tools that run; each returns how it ended, or None while a person has to say yes first.
RunningCalls = dict[asyncio.Task[ToolEnded | None], ToolCall]


class ToolExecutor:
    """Runs calls and keeps an eye on the limits of one reply."""

    def __init__(self, tools: Tools, limits: LoopLimits) -> None:
        self._tools = tools
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
        self, calls: Sequence[ToolCall], known: Mapping[ToolCall, ToolOutput]
    ) -> dict[ToolCall, ToolOutput]:
        """Run the calls of a step at once and return what each gave. Cancelling this stops them all.

        What is known already is not run again; what has to wait for a person is not in the result.
        """
        refused, began = self._refuse_calls(calls) if calls else {}, monotonic()
        until = began + self._seconds_left
        results = dict(known)
        running: RunningCalls = {
            asyncio.create_task(self._run_timed(call, refused.get(call))): call
            for call in calls
            if call not in known
        }
        try:
            while running and (ended_tasks := await wait_for_next(running, until)):
                for task in ended_tasks:
                    del running[task]
                    if ended := task.result():
                        results[ended.call] = ended.result
                        await self._tools.record_result(ended)
            for call in running.values():
                results[call] = ToolOutput(TOOL_TIME_USED_UP, failed=True, unknown=True)
                await self._tools.record_result(ToolEnded(call, results[call], ms_since(began)))
        finally:
            self._seconds_left -= monotonic() - began
            await cancel_calls(running)
        return results

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

    async def _run_timed(self, call: ToolCall, refused: ToolOutput | None) -> ToolEnded | None:
        began = monotonic()
        result = refused or await self._tools.run(call)
        if result is None:
            return None
        fitting = truncate_output(
            result, self._tools.rest_hint(call), max_chars=self._limits.result_max_chars
        )
        return ToolEnded(call, fitting, ms_since(began))


async def wait_for_next(running: RunningCalls, until: float) -> list[asyncio.Task[ToolEnded | None]]:
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
