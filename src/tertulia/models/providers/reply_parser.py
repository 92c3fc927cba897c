"""A reply as it comes in, whatever the wire format: what each format's reader builds on."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from tertulia.core.ids import new_id
from tertulia.core.untrusted_json import JsonUnreadable
from tertulia.models.calls import Finished, StreamEvent, ThinkingDelta, ToolCall, Usage
from tertulia.models.errors import ArgumentsTooLong
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.usage_validation import ImplausibleFigure

FinishReason = Literal["done", "length", "tools", "refused"]
#: What all calls of one answer may have as arguments: each is read, stored, shown and sent back whole.
TOOL_ARGUMENTS_MAX_CHARS = 1_000_000
#: A part of an event that is not there.
RAW_NULL = msgspec.Raw(b"null")


@dataclass(slots=True)
class ToolCallDraft:
    """A tool call while its pieces arrive."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])

    def finish(self) -> ToolCall:
        """Return the call with all its pieces put together."""
        return ToolCall(self.id or new_id("cal"), self.name, "".join(self.arguments))


class ReplyParser(ABC):
    """What one call has given so far. `reason` is set once the model says that it stopped."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self.endpoint = endpoint
        self.model = model
        self.reason: FinishReason | None = None
        #: Nothing that matters can follow: stop reading.
        self.is_over = False
        self.calls: list[ToolCallDraft] = []
        self.usage: Usage | None = None
        self._reported_usage: Usage | None = None
        self._arguments_chars = 0

    @abstractmethod
    def parse_event(self, data: bytes) -> list[StreamEvent] | None:
        """Return what an event says; None where it only keeps the connection alive."""

    def final_thinking(self) -> list[ThinkingDelta]:
        """Return thinking that must be sent back and could not be told earlier."""
        return []

    def add_arguments(self, call: ToolCallDraft, piece: str) -> None:
        """Take in a piece of a call's arguments, as long as they have not become too long."""
        self._arguments_chars += len(piece)
        if self._arguments_chars > TOOL_ARGUMENTS_MAX_CHARS:
            raise ArgumentsTooLong(self.endpoint.slug, TOOL_ARGUMENTS_MAX_CHARS)
        call.arguments.append(piece)

    def record_usage(self, raw: msgspec.Raw, read: Callable[[bytes], Usage]) -> list[StreamEvent]:
        """Remember usage; the first one is told at once, so that a reply cut short has one too.

        Usage that makes no sense is passed over: it must not take the words with it.
        """
        if raw == RAW_NULL:
            return []
        try:
            self.usage = read(bytes(raw))
        except (JsonUnreadable, ImplausibleFigure):
            return []
        return self.take_unreported_usage() if self._reported_usage is None else []

    def take_unreported_usage(self) -> list[StreamEvent]:
        """Return the newest usage unless it was told."""
        if self.usage is None or self.usage == self._reported_usage:
            return []
        self._reported_usage = self.usage
        return [self.usage]

    def final_events(self) -> list[StreamEvent]:
        """Return all that is left to say once the model stopped."""
        reason: FinishReason = self.reason or "done"
        # A call that ran into the output limit is only half written.
        calls = [call.finish() for call in self.calls] if reason in ("done", "tools") else []
        if reason in ("done", "tools"):
            reason = "tools" if calls else "done"
        return [*self.final_thinking(), *calls, *self.take_unreported_usage(), Finished(reason)]
