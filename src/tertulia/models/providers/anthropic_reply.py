"""Reading the events of Anthropic's messages API."""

from typing import Any

import msgspec

from tertulia.core.untrusted_json import JsonReader
from tertulia.models.calls import Heard, Text, Thought, Usage
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.failures import failure_in_stream
from tertulia.models.providers.figures import reported_usage, token_count
from tertulia.models.providers.reply import NOTHING, CallDraft, Reason, Reply
from tertulia.models.providers.thoughts import sealed

REASONS: dict[str, Reason] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tools",
    "refusal": "refused",
}


class OutputDetails(msgspec.Struct):
    """How the tokens of the reply divide."""

    thinking_tokens: Any = None


class WireUsage(msgspec.Struct):
    """Tokens as Anthropic counts them: the cached ones apart from the others."""

    input_tokens: Any = None
    output_tokens: Any = None
    cache_read_input_tokens: Any = None
    cache_creation_input_tokens: Any = None
    output_tokens_details: OutputDetails | None = None


class Message(msgspec.Struct):
    """The reply as announced at its start."""

    usage: msgspec.Raw = NOTHING


class Block(msgspec.Struct):
    """A block of the reply as it begins."""

    type: str | None = None
    id: str | None = None
    name: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    input: Any = None


class Delta(msgspec.Struct):
    """What is new in a block, or why the message stopped."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None


class Event(msgspec.Struct):
    """One event of any type."""

    type: str
    message: Message | None = None
    content_block: Block | None = None
    delta: Delta | None = None
    usage: msgspec.Raw = NOTHING
    error: Any = None


events = JsonReader(Event)
usages = JsonReader(WireUsage)


class AnthropicReply(Reply):
    """A message as it comes in."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        super().__init__(endpoint, model)
        self._call: CallDraft | None = None
        self._block = Block()
        self._thinking: list[str] = []
        self._counted = WireUsage()

    def hear(self, data: bytes) -> list[Heard] | None:
        """Return what an event says; its kind is in its data too."""
        event = events.read(data)
        heard: list[Heard] | None = None
        match event.type:
            case "content_block_delta":
                heard = self._hear_delta(event.delta or Delta())
            case "content_block_start":
                heard = self._begin(event.content_block or Block())
            case "content_block_stop":
                heard = self._end()
            case "message_start":
                heard = self._count(event.message.usage if event.message else NOTHING)
            case "message_delta":
                heard = self._stop(event)
            case "message_stop":
                self.over, heard = True, []
            case "error":
                raise failure_in_stream(self.endpoint, event.error)
            case _:
                pass
        return heard

    def _hear_delta(self, delta: Delta) -> list[Heard] | None:
        if delta.text:
            return [Text(delta.text)]
        if delta.thinking:
            self._thinking.append(delta.thinking)
            return [Thought(delta.thinking)]
        if delta.signature:
            self._block.signature = (self._block.signature or "") + delta.signature
            return []
        if delta.partial_json and self._call is not None:
            self.add_arguments(self._call, delta.partial_json)
            return []
        return None

    def _begin(self, block: Block) -> list[Heard]:
        self._block, self._thinking, self._call = block, [], None
        if block.type == "tool_use":
            self._call = CallDraft(block.id or "", block.name or "")
            self.calls.append(self._call)
        if block.thinking:
            self._thinking.append(block.thinking)
            return [Thought(block.thinking)]
        return [Text(block.text)] if block.text else []

    def _end(self) -> list[Heard]:
        """Close a block: thinking is told once more as a whole, in the form that must be sent back."""
        block, self._block = self._block, Block()
        if self._call is not None and not any(self._call.arguments):
            self.add_arguments(self._call, msgspec.json.encode(block.input or {}).decode())
        if block.type == "thinking" and block.signature:
            thinking = "".join(self._thinking)
            return [self._sealed({"type": "thinking", "thinking": thinking, "signature": block.signature})]
        if block.type == "redacted_thinking":
            return [self._sealed({"type": "redacted_thinking", "data": block.data})]
        return []

    def _sealed(self, block: dict[str, Any]) -> Thought:
        return Thought("", sealed(block, endpoint=self.endpoint, model=self.model))

    def _stop(self, event: Event) -> list[Heard]:
        if event.delta and event.delta.stop_reason:
            self.reason = REASONS.get(event.delta.stop_reason, "done")
        return self._count(event.usage)

    def _count(self, told: msgspec.Raw) -> list[Heard]:
        return self.note_usage(told, lambda told: self._with_earlier(usages.read(told)))

    def _with_earlier(self, usage: WireUsage) -> Usage:
        """Add what is new to what was counted: the end repeats only some of the beginning."""
        for name in WireUsage.__struct_fields__:
            if (value := getattr(usage, name)) is not None:
                setattr(self._counted, name, value)
        return usage_of(self._counted)


def usage_of(wire: WireUsage) -> Usage:
    """Return usage in our words: all of the prompt, and how much of it the cache gave or took."""
    cached = token_count(wire.cache_read_input_tokens)
    written = token_count(wire.cache_creation_input_tokens)
    details = wire.output_tokens_details or OutputDetails()
    return reported_usage(
        prompt=token_count(wire.input_tokens) + cached + written,
        output=token_count(wire.output_tokens),
        cached=cached,
        cache_write=written,
        thinking=token_count(details.thinking_tokens),
    )
