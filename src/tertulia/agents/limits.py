"""How far a model may go with tools before it has to answer."""

from dataclasses import dataclass, replace
from enum import StrEnum

from tertulia.models.calls import Call, Said, ToolCall, ToolResult
from tertulia.tools.abridging import LARGEST, abridged
from tertulia.tools.domain import Result

#: Characters that are left of a result when a provider found the prompt too long, or of a newer one.
SQUEEZED = 500
SQUEEZED_NEWEST = 4_000
#: How a model gets the rest of a result of which nothing else is kept.
ASK_FOR_LESS = "For the rest, call it again for a smaller part: other lines, an offset, a filter."


@dataclass(frozen=True, slots=True)
class LoopLimits:
    """What one reply may take of tools."""

    #: How often it may call tools, several at once being one step.
    steps: int = 12
    seconds: float = 300.0
    #: How often the very same call is run.
    same_calls: int = 2
    calls_at_once: int = 16
    #: Characters of one result.
    result: int = LARGEST


class Reason(StrEnum):
    """Why a model has to answer with what it has."""

    STEPS = "tool_steps_used_up"
    TIME = "tool_time_used_up"
    CIRCLES = "tool_calls_repeated"


@dataclass(frozen=True, slots=True)
class LoopLimited:
    """A limit was reached: the model is asked once more, to answer with what it has."""

    reason: Reason
    message: str


def limited(reason: Reason, limits: LoopLimits) -> LoopLimited:
    """Return which limit was reached, in a sentence for the person."""
    said = {
        Reason.STEPS: f"It used tools {limits.steps} times in a row, the most that is allowed",
        Reason.TIME: f"It worked with tools for {limits.seconds:g} seconds, the longest that is allowed",
        Reason.CIRCLES: "It asked for the same things again and again",
    }
    return LoopLimited(reason, f"{said[reason]}: it is asked to answer with what it has.")


def ask_for_less(_call: ToolCall) -> str:
    """Say how to get the rest of a result of which nothing else is kept."""
    return ASK_FOR_LESS


def squeezed(call: Call) -> Call:
    """Return a call with little left of what tools gave, for a provider that finds it too long."""
    newest = next((said for said in reversed(call.messages) if said.tool_results), None)
    return replace(
        call,
        messages=tuple(
            _squeezed(said, SQUEEZED_NEWEST if said is newest else SQUEEZED) for said in call.messages
        ),
    )


def _squeezed(said: Said, most: int) -> Said:
    def short(result: ToolResult) -> ToolResult:
        return replace(result, text=abridged(Result(result.text), ASK_FOR_LESS, most=most).text)

    return replace(said, tool_results=tuple(map(short, said.tool_results))) if said.tool_results else said
