"""Tools for models that know none: they write a block in their text, and are told the result as text.

Calls with tools become calls that describe them in words, and `TextToolReader` makes the blocks in what
is heard `ToolCall` values again: they are not part of the reply.
"""

from dataclasses import replace
from typing import Any

import msgspec

from tertulia.agents import prompts
from tertulia.agents.fence_reader import FenceReader, ToolBlock
from tertulia.core.ids import new_id
from tertulia.core.untrusted_json import JsonReader, JsonUnreadable
from tertulia.models.builtin.child import BUILTIN_SLUG as BUILT_IN
from tertulia.models.calls import (
    Call,
    Finished,
    PromptMessage,
    StreamEvent,
    TextDelta,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
)
from tertulia.models.domain import Ability, Model, Tier
from tertulia.models.providers.tool_arguments import arguments_object
from tertulia.models.tokens import count, counter_for
from tertulia.projects.domain import ToolOffer


def can_use_tools(model: Model, offer: ToolOffer = ToolOffer.SUITED) -> bool:
    """Tell whether a model is offered tools: the built-in ones never are, others where somebody wants it.

    Else those are that can use them: strong ones, in words if need be, and fast ones that know tools. What
    tools and the words on them take would be much of the little that the cheapest models are shown.
    """
    if model.connection == BUILT_IN:
        return False
    if offer is ToolOffer.ALL or model.tier in (Tier.SMART, Tier.BALANCED):
        return True
    return model.tier is Tier.FAST and Ability.TOOLS in model.abilities


class _WrittenCall(msgspec.Struct, frozen=True):
    """A call as models write it in a block."""

    name: str
    arguments: Any = None


class TextToolReader:
    """Reads what is heard of one call, and finds the blocks in it that call tools."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._fences = FenceReader()
        self._text: list[str] = []
        self._calls: list[ToolCall] = []
        self._usage: Usage | None = None
        self._finished = Finished("tools")
        #: The model goes on after its blocks, which can only be results that it made up.
        self.is_straying = False

    def feed(self, event: StreamEvent) -> list[StreamEvent]:
        """Take in one thing that was heard, and return what is certain by now."""
        match event:
            case TextDelta(text):
                self._text.append(text)
                return self._read(self._fences.feed(text))
            case Finished():
                self._finished = event
                return []
            case Usage():
                self._usage = event
                return [event]
            case _:
                return [event]

    def finish(self) -> list[StreamEvent]:
        """Return what is left to say once the model stopped, or was stopped."""
        left = [] if self.is_straying else self._read(self._fences.finish())
        if self.is_straying and self._usage is None:
            left.append(estimate_stopped_usage(self._call, "".join(self._text)))
        # A reply that ran into its limit is only half of what was meant, and so may be its last block.
        if self._finished.reason not in ("done", "tools"):
            return [*left, self._finished]
        return [*left, *self._calls, Finished("tools" if self._calls else "done")]

    def _read(self, pieces: list[str | ToolBlock]) -> list[StreamEvent]:
        """Keep blocks as calls, and return the text before them, which is part of the reply."""
        said: list[str] = []
        for piece in pieces:
            if isinstance(piece, ToolBlock):
                self._calls.append(parse_tool_block(piece))
            elif not self._calls:
                said.append(piece)
            elif piece.strip():
                self.is_straying = True
                break
        return [TextDelta("".join(said))] if said else []


def estimate_stopped_usage(call: Call, text: str) -> Usage:
    """Return what a call used that was stopped before its provider said so."""
    return Usage(counter_for(call.model).call(call), count(text, call.model), estimated=True)


def to_text_call(call: Call) -> Call:
    """Return a call that says in words what tools there are, which were called, and what they gave."""
    system = "\n\n".join(filter(None, [call.system, describe_tools(call.tools)]))
    return replace(call, system=system, messages=tuple(map(to_text_message, call.messages)), tools=())


def describe_tools(tools: tuple[Tool, ...]) -> str:
    """Return how tools are called in blocks, and which there are."""
    if not tools:
        return ""
    lines = [
        to_json({"name": tool.name, "description": tool.description, "arguments": tool.parameters})
        for tool in tools
    ]
    return "\n".join([prompts.text("fenced"), "", *lines])


def to_text_message(said: PromptMessage) -> PromptMessage:
    """Return a message with the calls and results in it as text."""
    if not said.tool_calls and not said.tool_results:
        return said
    parts = [said.text, *map(render_call_block, said.tool_calls), *map(render_result, said.tool_results)]
    return replace(said, text="\n\n".join(filter(None, parts)), tool_calls=(), tool_results=())


def render_call_block(call: ToolCall) -> str:
    """Return a call as the model wrote it."""
    return f"```tool\n{to_json({'name': call.name, 'arguments': arguments_object(call.arguments)})}\n```"


def render_result(result: ToolResult) -> str:
    """Return what a tool gave."""
    return f"[{result.name or 'tool'} {'failed' if result.failed else 'gave'}]\n{result.text}"


def parse_tool_block(block: ToolBlock) -> ToolCall:
    """Return the call that is meant; one that cannot be read names no tool, which the model is then told."""
    try:
        asked = JsonReader(_WrittenCall).read(block.body)
    except JsonUnreadable:
        return ToolCall(new_id("cal"), "", block.body.strip())
    arguments = asked.arguments if isinstance(asked.arguments, str) else to_json(asked.arguments or {})
    return ToolCall(new_id("cal"), asked.name, arguments)


def to_json(value: object) -> str:
    """Return a value as JSON text."""
    return msgspec.json.encode(value).decode()
