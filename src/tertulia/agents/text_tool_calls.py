"""Tools for models that know none: they write a block in their text, and are told the result as text.

`Fenced` wraps a provider, so that nobody else needs to know: calls with tools go in,
`ToolCall` values come out, and the blocks are not part of the reply.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
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
    OfferedModel,
    PromptMessage,
    Provider,
    StreamEvent,
    TextDelta,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
)
from tertulia.models.domain import Ability, Model
from tertulia.models.errors import ToolsUnknown
from tertulia.models.providers.tool_arguments import arguments_object
from tertulia.models.tokens import count, counter_for


def can_use_tools(model: Model) -> bool:
    """Tell whether a model is worth giving tools to: the built-in ones are not."""
    return model.connection != BUILT_IN


def with_tool_support(model: Model, provider: Provider, *, models_without_tools: set[str]) -> Provider:
    """Return a provider that takes calls with tools, whether or not its model knows any.

    Models that were thought to know tools and turn out not to are added to those `knowing_none`.
    """
    if Ability.TOOLS in model.abilities and model.id not in models_without_tools:
        return NativeToolProvider(provider, lambda: models_without_tools.add(model.id))
    return TextToolProvider(provider)


class _WrittenCall(msgspec.Struct, frozen=True):
    """A call as models write it in a block."""

    name: str
    arguments: Any = None


@dataclass(slots=True)
class _StreamState:
    """What is heard from one call."""

    reader: FenceReader = field(default_factory=FenceReader)
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    text: list[str] = field(default_factory=list[str])
    usage: Usage | None = None
    #: It goes on after its blocks, which can only be results that it made up.
    strays: bool = False

    def take(self, pieces: list[str | ToolBlock]) -> str:
        """Take in pieces, and return those that are part of the reply."""
        said: list[str] = []
        for piece in pieces:
            if isinstance(piece, ToolBlock):
                self.calls.append(parse_tool_block(piece))
            elif not self.calls:
                said.append(piece)
            elif piece.strip():
                self.strays = True
                break
        return "".join(said)


class TextToolProvider:
    """A provider whose model calls tools in blocks of its text."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    async def offered(self) -> list[OfferedModel]:
        """Return the models that the server lists."""
        return await self._provider.offered()

    async def stream(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
        """Ask, and yield what is heard, with blocks as calls; what follows the blocks is not waited for."""
        if not call.tools:
            async with aclosing(self._provider.stream(to_text_call(call))) as words:
                async for heard in words:
                    yield heard
            return
        hearing, finished = _StreamState(), Finished("tools")
        async with aclosing(self._provider.stream(to_text_call(call))) as words:
            async for heard in words:
                match heard:
                    case TextDelta(text):
                        hearing.text.append(text)
                        if said := hearing.take(hearing.reader.feed(text)):
                            yield TextDelta(said)
                    case Finished():
                        finished = heard
                    case Usage():
                        hearing.usage = heard
                        yield heard
                    case _:
                        yield heard
                if hearing.strays:
                    break
        for heard in final_events(hearing, finished, call):
            yield heard


class NativeToolProvider:
    """A provider whose model should know tools; where it refuses them, it is asked again with blocks."""

    def __init__(self, provider: Provider, refused: Callable[[], None]) -> None:
        self._asked = provider
        self._refused = refused

    async def offered(self) -> list[OfferedModel]:
        """Return the models that the server lists."""
        return await self._asked.offered()

    async def stream(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
        """Ask, and yield what is heard."""
        try:
            async with aclosing(self._asked.stream(call)) as words:
                async for heard in words:
                    yield heard
        except ToolsUnknown:
            if isinstance(self._asked, TextToolProvider):
                raise
        else:
            return
        self._asked = TextToolProvider(self._asked)
        self._refused()
        async with aclosing(self._asked.stream(call)) as words:
            async for heard in words:
                yield heard


def final_events(hearing: _StreamState, finished: Finished, call: Call) -> list[StreamEvent]:
    """Return what is left to say once the model stopped, or was stopped."""
    told: list[StreamEvent] = []
    if not hearing.strays and (said := hearing.take(hearing.reader.finish())):
        told.append(TextDelta(said))
    if hearing.strays and hearing.usage is None:
        told.append(estimate_stopped_usage(call, "".join(hearing.text)))
    # A reply that ran into its limit is only half of what was meant, and so may be its last block.
    if finished.reason in ("done", "tools"):
        told += hearing.calls
        finished = Finished("tools" if hearing.calls else "done")
    return [*told, finished]


def estimate_stopped_usage(call: Call, text: str) -> Usage:
    """Return what a call used that was stopped before its provider said so."""
    return Usage(counter_for(call.model).call(to_text_call(call)), count(text, call.model), estimated=True)


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
