"""How far a model may go with tools before it has to answer."""

from dataclasses import dataclass, replace
from enum import StrEnum

from tertulia.models.calls import Call, PromptMessage, ToolCall, ToolResult
from tertulia.tools.domain import ToolOutput
from tertulia.tools.output_truncation import TOOL_OUTPUT_MAX_CHARS, truncate_output

#: Characters that are left of a result when a provider found the prompt too long, or of a newer one.
SHORTENED_RESULT_MAX_CHARS = 500
SHORTENED_NEWEST_RESULT_MAX_CHARS = 4_000
#: How a model gets the rest of a result of which nothing else is kept.
ASK_FOR_LESS = "For the rest, call it again for a smaller part: other lines, an offset, a filter."


@dataclass(frozen=True, slots=True)
class LoopLimits:
    """What one reply may take of tools."""

    #: How often it may call tools, several at once being one step.
    max_steps: int = 12
    max_seconds: float = 300.0
    #: How often the very same call is run.
    max_same_calls: int = 2
    max_calls_per_step: int = 16
    #: Characters of one result.
    result_max_chars: int = TOOL_OUTPUT_MAX_CHARS


class LoopLimitReason(StrEnum):
    """Why a model has to answer with what it has."""

    STEPS = "tool_steps_used_up"
    TIME = "tool_time_used_up"
    CIRCLES = "tool_calls_repeated"


@dataclass(frozen=True, slots=True)
class LoopLimitReached:
    """A limit was reached: the model is asked once more, to answer with what it has."""

    reason: LoopLimitReason
    message: str


def loop_limit_reached(reason: LoopLimitReason, limits: LoopLimits) -> LoopLimitReached:
    """Return which limit was reached, in a sentence for the person."""
    said = {
        LoopLimitReason.STEPS: f"It used tools {limits.max_steps} times in a row, the most that is allowed",
        LoopLimitReason.TIME: (
            f"It worked with tools for {limits.max_seconds:g} seconds, the longest that is allowed"
        ),
        LoopLimitReason.CIRCLES: "It asked for the same things again and again",
    }
    return LoopLimitReached(reason, f"{said[reason]}: it is asked to answer with what it has.")


def ask_for_less(_call: ToolCall) -> str:
    """Say how to get the rest of a result of which nothing else is kept."""
    return ASK_FOR_LESS


def shorten_tool_results(call: Call) -> Call:
    """Return a call with little left of what tools gave, for a provider that finds it too long."""
    newest = next((said for said in reversed(call.messages) if said.tool_results), None)
    return replace(
        call,
        messages=tuple(
            _shorten_results(
                said, SHORTENED_NEWEST_RESULT_MAX_CHARS if said is newest else SHORTENED_RESULT_MAX_CHARS
            )
            for said in call.messages
        ),
    )


def _shorten_results(said: PromptMessage, max_chars: int) -> PromptMessage:
    def short(result: ToolResult) -> ToolResult:
        return replace(
            result, text=truncate_output(ToolOutput(result.text), ASK_FOR_LESS, max_chars=max_chars).text
        )

    return replace(said, tool_results=tuple(map(short, said.tool_results))) if said.tool_results else said
