"""Reading the events of Gemini's streamGenerateContent."""

from typing import Any

import msgspec

from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.core.untrusted_json import JsonReader
from tertulia.models.calls import StreamEvent, TextDelta, ThinkingDelta, Usage
from tertulia.models.errors import ProviderGarbled
from tertulia.models.providers.error_mapping import stream_error
from tertulia.models.providers.reply_parser import RAW_NULL, FinishReason, ReplyParser, ToolCallDraft
from tertulia.models.providers.thinking_blocks import tag_thinking_block
from tertulia.models.providers.usage_validation import plausible_tokens, reported_usage

GEMINI_FINISH_REASONS: dict[str, FinishReason] = {
    "STOP": "done",
    "FINISH_REASON_UNSPECIFIED": "done",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
}
#: The model wrote a tool call that Gemini itself could not read.
GEMINI_MALFORMED_REASONS = {
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MALFORMED_RESPONSE",
}


class GeminiStruct(msgspec.Struct, rename="camel"):
    """The base of what Gemini sends, which writes its names in camel case."""


class GeminiFunctionCall(GeminiStruct):
    """A tool call, always whole."""

    name: str | None = None
    id: str | None = None
    args: JsonObject | None = None


class GeminiPart(GeminiStruct):
    """A piece of the reply."""

    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: GeminiFunctionCall | None = None


class GeminiContent(GeminiStruct):
    """The pieces of one event."""

    parts: list[GeminiPart] | None = None


class GeminiCandidate(GeminiStruct):
    """One of the replies; we only ever ask for one."""

    content: GeminiContent | None = None
    finish_reason: str | None = None


class GeminiPromptFeedback(GeminiStruct):
    """Why a prompt was not answered."""

    block_reason: str | None = None


class GeminiUsage(GeminiStruct):
    """Tokens as Gemini counts them: thinking apart from the reply."""

    prompt_token_count: Any = None
    candidates_token_count: Any = None
    thoughts_token_count: Any = None
    cached_content_token_count: Any = None
    tool_use_prompt_token_count: Any = None


class GeminiEvent(GeminiStruct):
    """One event."""

    candidates: list[GeminiCandidate] | None = None
    prompt_feedback: GeminiPromptFeedback | None = None
    usage_metadata: msgspec.Raw = RAW_NULL
    error: Any = None


events = JsonReader(GeminiEvent)
usages = JsonReader(GeminiUsage)


class GeminiReplyParser(ReplyParser):
    """A generated content as it comes in."""

    def parse_event(self, data: bytes) -> list[StreamEvent] | None:
        """Return what an event says."""
        event = events.read(data)
        if event.error:
            raise stream_error(self.endpoint, event.error)
        heard = self.record_usage(event.usage_metadata, lambda told: usage_of(usages.read(told)))
        if event.prompt_feedback and event.prompt_feedback.block_reason:
            self.reason = "refused"
            return heard
        for candidate in (event.candidates or ())[:1]:
            for part in (candidate.content.parts if candidate.content else None) or ():
                heard += self._parse_part(part)
            if candidate.finish_reason:
                self._parse_stop(candidate.finish_reason)
        return heard or ([] if self.reason else None)

    def _parse_part(self, part: GeminiPart) -> list[StreamEvent]:
        heard: list[StreamEvent] = []
        call_id = ""
        if part.function_call:
            call_id = self._add_call(part.function_call)
        elif part.text:
            heard.append(ThinkingDelta(part.text) if part.thought else TextDelta(part.text))
        if part.thought_signature:
            block = {"call": call_id, "signature": part.thought_signature}
            heard.append(
                ThinkingDelta("", tag_thinking_block(block, endpoint=self.endpoint, model=self.model))
            )
        return heard

    def _add_call(self, call: GeminiFunctionCall) -> str:
        draft = ToolCallDraft(call.id or new_id("cal"), call.name or "")
        self.add_arguments(draft, msgspec.json.encode(call.args or {}).decode())
        self.calls.append(draft)
        return draft.id

    def _parse_stop(self, reason: str) -> None:
        if reason in GEMINI_MALFORMED_REASONS:
            who = self.endpoint.slug
            raise ProviderGarbled(who, f"{who} wrote a tool call that cannot be read ({reason}): ask again.")
        self.reason = GEMINI_FINISH_REASONS.get(reason, "refused")


def usage_of(wire: GeminiUsage) -> Usage:
    """Return usage in our words: thinking is part of the output."""
    thinking = plausible_tokens(wire.thoughts_token_count)
    return reported_usage(
        prompt=plausible_tokens(wire.prompt_token_count) + plausible_tokens(wire.tool_use_prompt_token_count),
        output=plausible_tokens(wire.candidates_token_count) + thinking,
        cached=plausible_tokens(wire.cached_content_token_count),
        thinking=thinking,
    )
