"""One step of a model at work: what it says until it stops, or asks for tools."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tertulia.agents.agent_events import Emit
from tertulia.agents.retry import RetryScheduled
from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.models.calls import (
    Call,
    Finished,
    PromptMessage,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    ToolResult,
    Usage,
)
from tertulia.tools.domain import ToolOutput

#: Between what is said in two steps, which are one reply to whoever reads it.
STEP_SEPARATOR = "\n\n"
NO_USAGE = Usage(0, 0)


@dataclass(slots=True)
class StepTotals:
    """What all steps before have come to."""

    usage: Usage = NO_USAGE
    text: bool = False
    thinking: bool = False
    call_ids: set[str] = field(default_factory=set[str])


@dataclass(slots=True)
class AgentStep:
    """Takes in what is heard in one step."""

    totals_before: StepTotals
    text: list[str] = field(default_factory=list[str])
    thinking: bool = False
    blocks: list[JsonObject] = field(default_factory=list[JsonObject])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    usage: Usage = NO_USAGE
    finished: Finished | None = None

    def add_event(self, heard: StreamEvent | RetryScheduled, emit: Emit) -> None:
        """Take in one thing and tell it; calls and the end are not told as they come."""
        match heard:
            case TextDelta(text):
                if text and not self.text and self.totals_before.text:
                    emit(TextDelta(STEP_SEPARATOR))
                self.text += [text] if text else []
                emit(heard)
            case ThinkingDelta(text, block):
                if text and not self.thinking and self.totals_before.thinking:
                    emit(ThinkingDelta(STEP_SEPARATOR))
                self.thinking = self.thinking or bool(text)
                self.blocks += [block] if block else []
                emit(heard)
            case ToolCall():
                self.calls.append(self._with_own_id(heard))
            case Usage():
                self.usage = heard
                emit(add_usage(self.totals_before.usage, heard))
            case Finished():
                self.finished = heard
            case RetryScheduled():
                self.usage = NO_USAGE
                emit(heard)

    def _with_own_id(self, call: ToolCall) -> ToolCall:
        """Return a call under an id that no other of this reply has: some servers count from 0 each time."""
        own = call if call.id not in self.totals_before.call_ids else replace(call, id=new_id("cal"))
        self.totals_before.call_ids.add(own.id)
        return own

    def totals(self) -> StepTotals:
        """Return what all steps have come to, with this one."""
        before = self.totals_before
        return StepTotals(
            usage=add_usage(before.usage, self.usage),
            text=before.text or bool(self.text),
            thinking=before.thinking or self.thinking,
            call_ids=before.call_ids,
        )

    def append_to(self, call: Call, results: Sequence[ToolOutput]) -> Call:
        """Return the call that asks to go on: with what was said, and what the tools gave, in their order."""
        said = PromptMessage(
            "assistant", "".join(self.text), tool_calls=tuple(self.calls), thought=tuple(self.blocks)
        )
        gave = tuple(
            ToolResult(tool_call.id, tool_call.name, result.text, result.failed)
            for tool_call, result in zip(self.calls, results, strict=True)
        )
        # The next step begins with all of this, so it is worth caching.
        read = (PromptMessage("user", "", tool_results=gave, ends_stable=True),) if gave else ()
        spoken = (said,) if said.text or gave else ()
        return replace(call, messages=(*call.messages, *spoken, *read))


def add_usage(one: Usage, other: Usage) -> Usage:
    """Return what two calls used together."""
    costs = [usage.cost for usage in (one, other) if usage.cost is not None]
    return Usage(
        input=one.input + other.input,
        output=one.output + other.output,
        cached=one.cached + other.cached,
        cache_write=one.cache_write + other.cache_write,
        thinking=one.thinking + other.thinking,
        cost=sum(costs) if costs else None,
        estimated=one.estimated or other.estimated,
    )
