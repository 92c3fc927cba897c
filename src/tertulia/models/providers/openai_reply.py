"""Reading the events of an OpenAI-style chat completion."""

from itertools import groupby
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
    "stop": "done",
    "length": "length",
    "tool_calls": "tools",
    "function_call": "tools",
    "content_filter": "refused",
}


class FunctionPiece(msgspec.Struct):
    """A piece of a tool call's name and arguments."""

    name: str | None = None
    arguments: str | None = None


class CallPiece(msgspec.Struct):
    """A piece of a tool call; not every server numbers them."""

    index: int | None = None
    id: str | None = None
    function: FunctionPiece | None = None


class ContentPart(msgspec.Struct):
    """A typed piece of content, as Mistral sends it where a model thinks."""

    text: str | None = None
    thinking: "list[ContentPart] | None" = None


class Delta(msgspec.Struct):
    """What is new in a reply. Servers disagree on how thinking is called."""

    content: str | list[ContentPart] | None = None
    refusal: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    reasoning_details: list[dict[str, Any]] | None = None
    tool_calls: list[CallPiece] | None = None


class Choice(msgspec.Struct):
    """One of the replies; we only ever ask for one."""

    delta: Delta | None = None
    finish_reason: str | None = None


class InputDetails(msgspec.Struct):
    """How the tokens of the prompt divide."""

    cached_tokens: Any = None
    cache_write_tokens: Any = None


class OutputDetails(msgspec.Struct):
    """How the tokens of the reply divide."""

    reasoning_tokens: Any = None


class WireUsage(msgspec.Struct):
    """Tokens as OpenAI's format counts them; `cost` is OpenRouter's, the cache hits DeepSeek's."""

    prompt_tokens: Any = None
    completion_tokens: Any = None
    total_tokens: Any = None
    prompt_tokens_details: InputDetails | None = None
    completion_tokens_details: OutputDetails | None = None
    prompt_cache_hit_tokens: Any = None
    cost: Any = None


class Chunk(msgspec.Struct):
    """One event."""

    choices: list[Choice] | None = None
    usage: msgspec.Raw = NOTHING
    error: Any = None


chunks = JsonReader(Chunk)
usages = JsonReader(WireUsage)


class OpenAIReply(Reply):
    """A chat completion as it comes in."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        super().__init__(endpoint, model)
        self._call_at: dict[int | None, CallDraft] = {}
        self._thinking: dict[str, list[str]] = {}
        self._details: list[dict[str, Any]] = []
        self._refused = False

    def hear(self, data: bytes) -> list[Heard] | None:
        """Return what a chunk says."""
        if data == b"[DONE]":
            self.over = True
            return []
        chunk = chunks.read(data)
        if chunk.error:
            raise failure_in_stream(self.endpoint, chunk.error)
        heard = self.note_usage(chunk.usage, lambda told: usage_of(usages.read(told)))
        if not chunk.choices:
            return heard or None
        choice = chunk.choices[0]
        if choice.delta is not None:
            heard += self._hear_delta(choice.delta)
        if choice.finish_reason == "error":
            raise failure_in_stream(self.endpoint, "The reply failed.")
        if choice.finish_reason:
            self.reason = "refused" if self._refused else REASONS.get(choice.finish_reason, "done")
            return heard
        return heard or ([] if choice.delta and choice.delta.tool_calls else None)

    def blocks(self) -> list[Thought]:
        """Return the thinking before tool calls, which some servers want back with them."""
        block: dict[str, Any] = {}
        if self._details:
            block["reasoning_details"] = merged(self._details)
        elif self.calls:
            block = {name: "".join(pieces) for name, pieces in self._thinking.items()}
        return [Thought("", sealed(block, endpoint=self.endpoint, model=self.model))] if block else []

    def _hear_delta(self, delta: Delta) -> list[Heard]:
        heard: list[Heard] = []
        if delta.reasoning_content:
            heard.append(self._thought("reasoning_content", delta.reasoning_content))
        elif delta.reasoning:
            heard.append(self._thought("reasoning", delta.reasoning))
        if delta.reasoning_details:
            self._details += delta.reasoning_details
        if isinstance(delta.content, str):
            heard += [Text(delta.content)] if delta.content else []
        else:
            heard += [one for part in delta.content or () for one in heard_in(part)]
        if delta.refusal:
            self._refused = True
            heard.append(Text(delta.refusal))
        for piece in delta.tool_calls or ():
            self._add_call(piece)
        return heard

    def _thought(self, name: str, text: str) -> Thought:
        self._thinking.setdefault(name, []).append(text)
        return Thought(text)

    def _add_call(self, piece: CallPiece) -> None:
        call = self._call_at.get(piece.index)
        # Some servers give every call the same number, or none: another id is another call.
        if call is None or (piece.id and call.id and piece.id != call.id):
            call = self._call_at[piece.index] = CallDraft()
            self.calls.append(call)
        call.id = call.id or piece.id or ""
        if piece.function:
            call.name = call.name or piece.function.name or ""
            self.add_arguments(call, piece.function.arguments or "")


def heard_in(part: ContentPart) -> list[Heard]:
    """Return what a typed piece of content says."""
    thoughts = [Thought(thought.text) for thought in part.thinking or () if thought.text]
    return [*thoughts, *([Text(part.text)] if part.text else [])]


def merged(details: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return OpenRouter's thinking with its pieces joined: it must go back whole and in order."""
    blocks: list[dict[str, Any]] = []
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


def usage_of(wire: WireUsage) -> Usage:
    """Return usage in our words."""
    inputs = wire.prompt_tokens_details or InputDetails()
    outputs = wire.completion_tokens_details or OutputDetails()
    prompt = token_count(wire.prompt_tokens)
    return reported_usage(
        prompt=prompt,
        # xAI leaves thinking out of the completion but bills it: the total knows.
        output=max(token_count(wire.completion_tokens), token_count(wire.total_tokens) - prompt),
        cached=token_count(inputs.cached_tokens) or token_count(wire.prompt_cache_hit_tokens),
        cache_write=token_count(inputs.cache_write_tokens),
        thinking=token_count(outputs.reasoning_tokens),
        cost=wire.cost,
    )
