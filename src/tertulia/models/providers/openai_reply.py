"""Reading the events of an OpenAI-style chat completion."""

from itertools import groupby
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

OPENAI_FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "done",
    "length": "length",
    "tool_calls": "tools",
    "function_call": "tools",
    "content_filter": "refused",
}


class FunctionDelta(msgspec.Struct):
    """A piece of a tool call's name and arguments."""

    name: str | None = None
    arguments: str | None = None


class ToolCallDelta(msgspec.Struct):
    """A piece of a tool call; not every server numbers them."""

    index: int | None = None
    id: str | None = None
    function: FunctionDelta | None = None


class ContentPart(msgspec.Struct):
    """A typed piece of content, as Mistral sends it where a model thinks."""

    text: str | None = None
    thinking: "list[ContentPart] | None" = None


class OpenAIDelta(msgspec.Struct):
    """What is new in a reply. Servers disagree on how thinking is called."""

    content: str | list[ContentPart] | None = None
    refusal: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    reasoning_details: list[JsonObject] | None = None
    tool_calls: list[ToolCallDelta] | None = None


class CompletionChoice(msgspec.Struct):
    """One of the replies; we only ever ask for one."""

    delta: OpenAIDelta | None = None
    finish_reason: str | None = None


class OpenAIInputDetails(msgspec.Struct):
    """How the tokens of the prompt divide."""

    cached_tokens: Any = None
    cache_write_tokens: Any = None


class OpenAIOutputDetails(msgspec.Struct):
    """How the tokens of the reply divide."""

    reasoning_tokens: Any = None


class OpenAIUsage(msgspec.Struct):
    """Tokens as OpenAI's format counts them; `cost` is OpenRouter's, the cache hits DeepSeek's."""

    prompt_tokens: Any = None
    completion_tokens: Any = None
    total_tokens: Any = None
    prompt_tokens_details: OpenAIInputDetails | None = None
    completion_tokens_details: OpenAIOutputDetails | None = None
    prompt_cache_hit_tokens: Any = None
    cost: Any = None


class CompletionChunk(msgspec.Struct):
    """One event."""

    choices: list[CompletionChoice] | None = None
    usage: msgspec.Raw = RAW_NULL
    error: Any = None


chunks = JsonReader(CompletionChunk)
usages = JsonReader(OpenAIUsage)


class OpenAIReplyParser(ReplyParser):
    """A chat completion as it comes in."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        super().__init__(endpoint, model)
        self._call_at: dict[int | None, ToolCallDraft] = {}
        self._thinking: dict[str, list[str]] = {}
        self._details: list[JsonObject] = []
        self._refused = False

    def parse_event(self, data: bytes) -> list[StreamEvent] | None:
        """Return what a chunk says."""
        if data == b"[DONE]":
            self.is_over = True
            return []
        chunk = chunks.read(data)
        if chunk.error:
            raise stream_error(self.endpoint, chunk.error)
        heard = self.record_usage(chunk.usage, lambda told: usage_of(usages.read(told)))
        if not chunk.choices:
            return heard or None
        choice = chunk.choices[0]
        if choice.delta is not None:
            heard += self._parse_delta(choice.delta)
        if choice.finish_reason == "error":
            raise stream_error(self.endpoint, "The reply failed.")
        if choice.finish_reason:
            self.reason = (
                "refused" if self._refused else OPENAI_FINISH_REASONS.get(choice.finish_reason, "done")
            )
            return heard
        return heard or ([] if choice.delta and choice.delta.tool_calls else None)

    def final_thinking(self) -> list[ThinkingDelta]:
        """Return the thinking before tool calls, which some servers want back with them."""
        block: JsonObject = {}
        if self._details:
            block["reasoning_details"] = merge_reasoning_details(self._details)
        elif self.calls:
            block = {name: "".join(pieces) for name, pieces in self._thinking.items()}
        return (
            [ThinkingDelta("", tag_thinking_block(block, endpoint=self.endpoint, model=self.model))]
            if block
            else []
        )

    def _parse_delta(self, delta: OpenAIDelta) -> list[StreamEvent]:
        heard: list[StreamEvent] = []
        if delta.reasoning_content:
            heard.append(self._add_thinking("reasoning_content", delta.reasoning_content))
        elif delta.reasoning:
            heard.append(self._add_thinking("reasoning", delta.reasoning))
        if delta.reasoning_details:
            self._details += delta.reasoning_details
        if isinstance(delta.content, str):
            heard += [TextDelta(delta.content)] if delta.content else []
        else:
            heard += [
                stream_event for part in delta.content or () for stream_event in parse_content_part(part)
            ]
        if delta.refusal:
            self._refused = True
            heard.append(TextDelta(delta.refusal))
        for piece in delta.tool_calls or ():
            self._add_call(piece)
        return heard

    def _add_thinking(self, name: str, text: str) -> ThinkingDelta:
        self._thinking.setdefault(name, []).append(text)
        return ThinkingDelta(text)

    def _add_call(self, piece: ToolCallDelta) -> None:
        call = self._call_at.get(piece.index)
        # Some servers give every call the same number, or none: another id is another call.
        if call is None or (piece.id and call.id and piece.id != call.id):
            call = self._call_at[piece.index] = ToolCallDraft()
            self.calls.append(call)
        call.id = call.id or piece.id or ""
        if piece.function:
            call.name = call.name or piece.function.name or ""
            self.add_arguments(call, piece.function.arguments or "")


def parse_content_part(part: ContentPart) -> list[StreamEvent]:
    """Return what a typed piece of content says."""
    thoughts = [ThinkingDelta(thought.text) for thought in part.thinking or () if thought.text]
    return [*thoughts, *([TextDelta(part.text)] if part.text else [])]


def merge_reasoning_details(details: list[JsonObject]) -> list[JsonObject]:
    """Return OpenRouter's thinking with its pieces joined: it must go back whole and in order."""
    blocks: list[JsonObject] = []
    for _, group in groupby(
        details, key=lambda detail: [detail.get(name) for name in ("type", "index", "id")]
    ):
        pieces = list(group)
        block = {name: value for piece in pieces for name, value in piece.items() if value is not None}
        for name in ("text", "summary", "data"):
            if name in block:
                block[name] = "".join(piece.get(name) or "" for piece in pieces)
        blocks.append(block)
    return blocks


def usage_of(wire: OpenAIUsage) -> Usage:
    """Return usage in our words."""
    inputs = wire.prompt_tokens_details or OpenAIInputDetails()
    outputs = wire.completion_tokens_details or OpenAIOutputDetails()
    prompt = plausible_tokens(wire.prompt_tokens)
    return reported_usage(
        prompt=prompt,
        # xAI leaves thinking out of the completion but bills it: the total knows.
        output=max(plausible_tokens(wire.completion_tokens), plausible_tokens(wire.total_tokens) - prompt),
        cached=plausible_tokens(inputs.cached_tokens) or plausible_tokens(wire.prompt_cache_hit_tokens),
        cache_write=plausible_tokens(inputs.cache_write_tokens),
        thinking=plausible_tokens(outputs.reasoning_tokens),
        cost=wire.cost,
    )
