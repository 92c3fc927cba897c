"""Reading the events of Gemini's streamGenerateContent."""

from typing import Any

import msgspec

from tertulia.core.ids import new_id
from tertulia.core.untrusted_json import JsonReader
from tertulia.models.calls import Heard, Text, Thought, Usage
from tertulia.models.errors import ProviderGarbled
from tertulia.models.providers.failures import failure_in_stream
from tertulia.models.providers.figures import reported_usage, token_count
from tertulia.models.providers.reply import NOTHING, CallDraft, Reason, Reply
from tertulia.models.providers.thoughts import sealed

REASONS: dict[str, Reason] = {
    "STOP": "done",
    "FINISH_REASON_UNSPECIFIED": "done",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
}
#: The model wrote a tool call that Gemini itself could not read.
BROKEN = {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE"}


class Wire(msgspec.Struct, rename="camel"):
    """The base of what Gemini sends, which writes its names in camel case."""


class FunctionCall(Wire):
    """A tool call, always whole."""

    name: str | None = None
    id: str | None = None
    args: dict[str, Any] | None = None


class Part(Wire):
    """A piece of the reply."""

    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: FunctionCall | None = None


class Content(Wire):
    """The pieces of one event."""

    parts: list[Part] | None = None


class Candidate(Wire):
    """One of the replies; we only ever ask for one."""

    content: Content | None = None
    finish_reason: str | None = None


class Feedback(Wire):
    """Why a prompt was not answered."""

    block_reason: str | None = None


class WireUsage(Wire):
    """Tokens as Gemini counts them: thinking apart from the reply."""

    prompt_token_count: Any = None
    candidates_token_count: Any = None
    thoughts_token_count: Any = None
    cached_content_token_count: Any = None
    tool_use_prompt_token_count: Any = None


class Event(Wire):
    """One event."""

    candidates: list[Candidate] | None = None
    prompt_feedback: Feedback | None = None
    usage_metadata: msgspec.Raw = NOTHING
    error: Any = None


events = JsonReader(Event)
usages = JsonReader(WireUsage)


class GeminiReply(Reply):
    """A generated content as it comes in."""

    def hear(self, data: bytes) -> list[Heard] | None:
        """Return what an event says."""
        event = events.read(data)
        if event.error:
            raise failure_in_stream(self.endpoint, event.error)
        heard = self.note_usage(event.usage_metadata, lambda told: usage_of(usages.read(told)))
        if event.prompt_feedback and event.prompt_feedback.block_reason:
            self.reason = "refused"
            return heard
        for candidate in (event.candidates or ())[:1]:
            for part in (candidate.content.parts if candidate.content else None) or ():
                heard += self._hear_part(part)
            if candidate.finish_reason:
                self._stop(candidate.finish_reason)
        return heard or ([] if self.reason else None)

    def _hear_part(self, part: Part) -> list[Heard]:
        heard: list[Heard] = []
        call_id = ""
        if part.function_call:
            call_id = self._add_call(part.function_call)
        elif part.text:
            heard.append(Thought(part.text) if part.thought else Text(part.text))
        if part.thought_signature:
            block = {"call": call_id, "signature": part.thought_signature}
            heard.append(Thought("", sealed(block, endpoint=self.endpoint, model=self.model)))
        return heard

    def _add_call(self, call: FunctionCall) -> str:
        draft = CallDraft(call.id or new_id("cal"), call.name or "")
        self.add_arguments(draft, msgspec.json.encode(call.args or {}).decode())
        self.calls.append(draft)
        return draft.id

    def _stop(self, reason: str) -> None:
        if reason in BROKEN:
            who = self.endpoint.slug
            raise ProviderGarbled(who, f"{who} wrote a tool call that cannot be read ({reason}): ask again.")
        self.reason = REASONS.get(reason, "refused")


def usage_of(wire: WireUsage) -> Usage:
    """Return usage in our words: thinking is part of the output."""
    thinking = token_count(wire.thoughts_token_count)
    return reported_usage(
        prompt=token_count(wire.prompt_token_count) + token_count(wire.tool_use_prompt_token_count),
        output=token_count(wire.candidates_token_count) + thinking,
        cached=token_count(wire.cached_content_token_count),
        thinking=thinking,
    )
