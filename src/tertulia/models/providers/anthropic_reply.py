"""Reading the events of Anthropic's messages API."""

from typing import Any

import msgspec

from tertulia.core.json_object import JsonObject
from tertulia.core.untrusted_json import JsonReader
from tertulia.models.calls import StreamEvent, TextDelta, ThinkingDelta, Usage
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.error_mapping import stream_error
from tertulia.models.providers.reply_parser import RAW_NULL, FinishReason, ReplyParser, ToolCallDraft
from tertulia.models.providers.thinking_blocks import tag_thinking_block
from tertulia.models.providers.usage_validation import plausible_tokens, reported_usage

ANTHROPIC_FINISH_REASONS: dict[str, FinishReason] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tools",
    "refusal": "refused",
}


class AnthropicOutputDetails(msgspec.Struct):
    """How the tokens of the reply divide."""

    thinking_tokens: Any = None


class AnthropicUsage(msgspec.Struct):
    """Tokens as Anthropic counts them: the cached ones apart from the others."""

    input_tokens: Any = None
    output_tokens: Any = None
    cache_read_input_tokens: Any = None
    cache_creation_input_tokens: Any = None
    output_tokens_details: AnthropicOutputDetails | None = None


class AnthropicMessage(msgspec.Struct):
    """The reply as announced at its start."""

    usage: msgspec.Raw = RAW_NULL


class AnthropicBlock(msgspec.Struct):
    """A block of the reply as it begins."""

    type: str | None = None
    id: str | None = None
    name: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    input: Any = None


class AnthropicDelta(msgspec.Struct):
    """What is new in a block, or why the message stopped."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None


class AnthropicEvent(msgspec.Struct):
    """One event of any type."""

    type: str
    message: AnthropicMessage | None = None
    content_block: AnthropicBlock | None = None
    delta: AnthropicDelta | None = None
    usage: msgspec.Raw = RAW_NULL
    error: Any = None


events = JsonReader(AnthropicEvent)
usages = JsonReader(AnthropicUsage)


class AnthropicReplyParser(ReplyParser):
    """A message as it comes in."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        super().__init__(endpoint, model)
        self._call: ToolCallDraft | None = None
        self._block = AnthropicBlock()
        self._thinking: list[str] = []
        self._counted = AnthropicUsage()

    def parse_event(self, data: bytes) -> list[StreamEvent] | None:
        """Return what an event says; its kind is in its data too."""
        event = events.read(data)
        heard: list[StreamEvent] | None = None
        match event.type:
            case "content_block_delta":
                heard = self._parse_delta(event.delta or AnthropicDelta())
            case "content_block_start":
                heard = self._start_block(event.content_block or AnthropicBlock())
            case "content_block_stop":
                heard = self._end_block()
            case "message_start":
                heard = self._record_usage(event.message.usage if event.message else RAW_NULL)
            case "message_delta":
                heard = self._parse_stop(event)
            case "message_stop":
                self.is_over, heard = True, []
            case "error":
                raise stream_error(self.endpoint, event.error)
            case _:
                pass
        return heard

    def _parse_delta(self, delta: AnthropicDelta) -> list[StreamEvent] | None:
        if delta.text:
            return [TextDelta(delta.text)]
        if delta.thinking:
            self._thinking.append(delta.thinking)
            return [ThinkingDelta(delta.thinking)]
        if delta.signature:
            self._block.signature = (self._block.signature or "") + delta.signature
            return []
        if delta.partial_json and self._call is not None:
            self.add_arguments(self._call, delta.partial_json)
            return []
        return None

    def _start_block(self, block: AnthropicBlock) -> list[StreamEvent]:
        self._block, self._thinking, self._call = block, [], None
        if block.type == "tool_use":
            self._call = ToolCallDraft(block.id or "", block.name or "")
            self.calls.append(self._call)
        if block.thinking:
            self._thinking.append(block.thinking)
            return [ThinkingDelta(block.thinking)]
        return [TextDelta(block.text)] if block.text else []

    def _end_block(self) -> list[StreamEvent]:
        """Close a block: thinking is told once more as a whole, in the form that must be sent back."""
        block, self._block = self._block, AnthropicBlock()
        if self._call is not None and not any(self._call.arguments):
            self.add_arguments(self._call, msgspec.json.encode(block.input or {}).decode())
        if block.type == "thinking" and block.signature:
            thinking = "".join(self._thinking)
            return [
                self._thinking_block({"type": "thinking", "thinking": thinking, "signature": block.signature})
            ]
        if block.type == "redacted_thinking":
            return [self._thinking_block({"type": "redacted_thinking", "data": block.data})]
        return []

    def _thinking_block(self, block: JsonObject) -> ThinkingDelta:
        return ThinkingDelta("", tag_thinking_block(block, endpoint=self.endpoint, model=self.model))

    def _parse_stop(self, event: AnthropicEvent) -> list[StreamEvent]:
        if event.delta and event.delta.stop_reason:
            self.reason = ANTHROPIC_FINISH_REASONS.get(event.delta.stop_reason, "done")
        return self._record_usage(event.usage)

    def _record_usage(self, raw: msgspec.Raw) -> list[StreamEvent]:
        return self.record_usage(raw, lambda told: self._merge_usage(usages.read(told)))

    def _merge_usage(self, usage: AnthropicUsage) -> Usage:
        """Add what is new to what was counted: the end repeats only some of the beginning."""
        for name in AnthropicUsage.__struct_fields__:
            if (value := getattr(usage, name)) is not None:
                setattr(self._counted, name, value)
        return usage_of(self._counted)


def usage_of(wire: AnthropicUsage) -> Usage:
    """Return usage in our words: all of the prompt, and how much of it the cache gave or took."""
    cached = plausible_tokens(wire.cache_read_input_tokens)
    written = plausible_tokens(wire.cache_creation_input_tokens)
    details = wire.output_tokens_details or AnthropicOutputDetails()
    return reported_usage(
        prompt=plausible_tokens(wire.input_tokens) + cached + written,
        output=plausible_tokens(wire.output_tokens),
        cached=cached,
        cache_write=written,
        thinking=plausible_tokens(details.thinking_tokens),
    )
