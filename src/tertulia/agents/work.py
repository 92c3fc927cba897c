"""Running the tools that a model asks for: all of a step at once, within limits."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from time import monotonic

import msgspec

from tertulia.agents.limits import LoopLimits, Reason, ask_for_less
from tertulia.core.untrusted_json import JsonUnreadable, read_json
from tertulia.models.calls import ToolCall
from tertulia.tools.abridging import abridged
from tertulia.tools.domain import Result

#: Runs a tool; None while a person has to say yes first.
Run = Callable[[ToolCall], Awaitable[Result | None]]
#: Says how a model gets the rest of a result that is too long for a prompt.
Rest = Callable[[ToolCall], str]

ASKED_BEFORE = (
    "You have asked for exactly this before: use what it gave, ask for something else, or answer with what "
    "you have."
)
NO_TIME = "There was no time left to run this."
#: After so many steps in a row that only repeat earlier ones, a model will not find out by itself.
REPEATING_STEPS = 2


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool begins to run."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolWaits:
    """A tool does not run before a person has said yes."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A tool has run: what it gave, and how long it took."""

    call: ToolCall
    result: Result
    ms: int


Running = dict[asyncio.Task[ToolEnded | ToolWaits], ToolCall]


class Work:
    """Runs calls and keeps an eye on the limits of one reply."""

    def __init__(self, run: Run, limits: LoopLimits, *, rest: Rest = ask_for_less) -> None:
        self._run = run
        self._rest = rest
        self._limits = limits
        #: How long tools may still run; what the model takes to write does not count.
        self._left = limits.seconds
        self._asked: Counter[tuple[str, str]] = Counter()
        #: How often tools were called so far.
        self.steps = 0
        self._repeating = 0

    @property
    def limit(self) -> Reason | None:
        """Return the limit that is reached, if one is."""
        if self._repeating >= REPEATING_STEPS:
            return Reason.CIRCLES
        if self._left <= 0:
            return Reason.TIME
        return Reason.STEPS if self.steps >= self._limits.steps else None

    def take_up(self, past: Sequence[Sequence[ToolCall]], *, seconds: float) -> None:
        """Go on after steps that were taken before."""
        self._left -= seconds
        for calls in past:
            self._refused(calls)

    async def do(
        self, calls: Sequence[ToolCall], into: dict[ToolCall, Result]
    ) -> AsyncGenerator[ToolStarted | ToolWaits | ToolEnded, None]:
        """Run the calls of a step at once and tell as each starts and ends. Closing this stops them all.

        What is in `into` already is not run again; what has to wait is not in it afterwards.
        """
        refused, began = self._refused(calls) if calls else {}, monotonic()
        until = began + self._left
        running: Running = {}
        try:
            for call in calls:
                if call in into:
                    continue
                yield ToolStarted(call)
                running[asyncio.create_task(self._timed(call, refused.get(call)))] = call
            while running and (ended := await next_of(running, until)):
                for task in ended:
                    call = running.pop(task)
                    told = task.result()
                    if isinstance(told, ToolEnded):
                        into[call] = told.result
                    yield told
            for call in running.values():
                into[call] = Result(NO_TIME, failed=True, unknown=True)
                yield ToolEnded(call, into[call], ms_since(began))
        finally:
            self._left -= monotonic() - began
            await stop(running)

    def _refused(self, calls: Sequence[ToolCall]) -> dict[ToolCall, Result]:
        """Return what is not run, and why; called once for each step."""
        self.steps += 1
        refused: dict[ToolCall, Result] = {}
        for place, call in enumerate(calls):
            self._asked[same(call)] += 1
            if self._asked[same(call)] > self._limits.same_calls:
                refused[call] = Result(ASKED_BEFORE, failed=True)
            elif place >= self._limits.calls_at_once:
                most = self._limits.calls_at_once
                refused[call] = Result(f"At most {most} calls are run at once: ask again.", failed=True)
                self._asked[same(call)] -= 1
        again = [refused.get(call) == Result(ASKED_BEFORE, failed=True) for call in calls]
        is_repeating = bool(again) and all(again)
        self._repeating = self._repeating + 1 if is_repeating else 0
        return refused

    async def _timed(self, call: ToolCall, refused: Result | None) -> ToolEnded | ToolWaits:
        began = monotonic()
        result = refused or await self._run(call)
        if result is None:
            return ToolWaits(call)
        fitting = abridged(result, self._rest(call), most=self._limits.result)
        return ToolEnded(call, fitting, ms_since(began))


async def next_of(running: Running, until: float) -> list[asyncio.Task[ToolEnded | ToolWaits]]:
    """Wait for the next calls to end, and return them in their order; none when time is up."""
    left = max(0.0, until - monotonic())
    done, _ = await asyncio.wait(running, timeout=left, return_when=asyncio.FIRST_COMPLETED)
    return [task for task in running if task in done]


async def stop(running: Running) -> None:
    """Stop what still runs, and wait until it has."""
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


def same(call: ToolCall) -> tuple[str, str]:
    """Return what is the same for two calls exactly when they ask for the same, however it is written."""
    try:
        arguments = read_json(call.arguments)
    except JsonUnreadable:
        return call.name, call.arguments
    return call.name, msgspec.json.encode(arguments, order="deterministic").decode()


def ms_since(began: float) -> int:
    """Return the milliseconds since a moment."""
    return round((monotonic() - began) * 1000)
