"""A reply as it comes in, whatever the wire format: what each format's reader builds on."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from tertulia.core.ids import new_id
from tertulia.core.untrusted_json import JsonUnreadable
from tertulia.models.calls import Finished, Heard, Thought, ToolCall, Usage
from tertulia.models.errors import ArgumentsTooLong
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.figures import ImplausibleFigure

Reason = Literal["done", "length", "tools", "refused"]
#: What all calls of one answer may have as arguments: each is read, stored, shown and sent back whole.
ARGUMENTS_MAX_CHARS = 1_000_000
#: A part of an event that is not there.
NOTHING = msgspec.Raw(b"null")


@dataclass(slots=True)
class CallDraft:
    """A tool call while its pieces arrive."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])

    def finished(self) -> ToolCall:
        """Return the call with all its pieces put together."""
        return ToolCall(self.id or new_id("cal"), self.name, "".join(self.arguments))


class Reply(ABC):
    """What one call has given so far. `reason` is set once the model says that it stopped."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self.endpoint = endpoint
        self.model = model
        self.reason: Reason | None = None
        #: Nothing that matters can follow: stop reading.
        self.over = False
        self.calls: list[CallDraft] = []
        self.usage: Usage | None = None
        self._told_usage: Usage | None = None
        self._arguments_chars = 0

    @abstractmethod
    def hear(self, data: bytes) -> list[Heard] | None:
        """Return what an event says; None where it only keeps the connection alive."""

    def blocks(self) -> list[Thought]:
        """Return thinking that must be sent back and could not be told earlier."""
        return []

    def add_arguments(self, call: CallDraft, piece: str) -> None:
        """Take in a piece of a call's arguments, as long as they have not become too long."""
        self._arguments_chars += len(piece)
        if self._arguments_chars > ARGUMENTS_MAX_CHARS:
            raise ArgumentsTooLong(self.endpoint.slug, ARGUMENTS_MAX_CHARS)
        call.arguments.append(piece)

    def note_usage(self, told: msgspec.Raw, read: Callable[[bytes], Usage]) -> list[Heard]:
        """Remember usage; the first one is told at once, so that a reply cut short has one too.

        Usage that makes no sense is passed over: it must not take the words with it.
        """
        if told == NOTHING:
            return []
        try:
            self.usage = read(bytes(told))
        except (JsonUnreadable, ImplausibleFigure):
            return []
        return self.untold_usage() if self._told_usage is None else []

    def untold_usage(self) -> list[Heard]:
        """Return the newest usage unless it was told."""
        if self.usage is None or self.usage == self._told_usage:
            return []
        self._told_usage = self.usage
        return [self.usage]

    def ending(self) -> list[Heard]:
        """Return all that is left to say once the model stopped."""
        reason: Reason = self.reason or "done"
        # A call that ran into the output limit is only half written.
        calls = [call.finished() for call in self.calls] if reason in ("done", "tools") else []
        if reason in ("done", "tools"):
            reason = "tools" if calls else "done"
        return [*self.blocks(), *calls, *self.untold_usage(), Finished(reason)]
