"""What can happen in a conversation, or beside it in a feed: one closed union of numbered events.

The number is the server-sent event's `id`. `text` and `offset` of a piece of a
reply are in characters, so a listener can check that it missed nothing.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar, Union, cast

import msgspec

from tertulia.conversations.domain import Mark
from tertulia.conversations.views import (
    ConversationView,
    NoteView,
    PassageView,
    ReplyView,
    RoundView,
    ToolCallView,
)
from tertulia.core.nul_characters import encode_storable_json
from tertulia.live.personal_events import CalendarsChanged, MemoriesChanged, ProfileChanged
from tertulia.projects.events import ProjectChanged, ProjectDeleted
from tertulia.reminders.events import ReminderDue
from tertulia.tasks.events import TasksChanged

E = TypeVar("E", bound="Event")


class Event(msgspec.Struct, frozen=True, omit_defaults=False):
    """The base of all events."""


class RoundOpened(Event, frozen=True, tag="round.opened"):
    """A question was asked; `replies` are the ones to come, in the order of the table.

    `sort_key` is the conversation's own, now that it is the latest used.
    """

    round: RoundView
    sort_key: str


class ReplyAdded(Event, frozen=True, tag="reply.added"):
    """A further reply joins a round: one more attempt, a continuation, a merge or a judgement."""

    reply: ReplyView


class ReplyStarted(Event, frozen=True, tag="reply.started"):
    """The model is being asked; `passages` are the ones it was shown, which its reply cites by number."""

    round_id: str
    reply_id: str
    passages: list[PassageView] = []


class ReplyText(Event, frozen=True, tag="reply.text"):
    """A piece of a reply."""

    reply_id: str
    offset: int
    text: str


class ReplyThinking(Event, frozen=True, tag="reply.thinking"):
    """A piece of a model's thinking."""

    reply_id: str
    offset: int
    text: str


class ReplyToolCall(Event, frozen=True, tag="reply.tool_call"):
    """A tool was called, waits for a yes, or has ended: `call` is how that call stands now."""

    reply_id: str
    call: ToolCallView


class ReplyToolOutput(Event, frozen=True, tag="reply.tool_output"):
    """A tool that is running says something, or how far it is: `share` is between 0 and 1."""

    reply_id: str
    call_id: str
    text: str
    share: float | None = None


class ReplyWaits(Event, frozen=True, tag="reply.waiting"):
    """A reply does not go on before a person has said yes or no to its tools that wait."""

    reply_id: str


class ReplyNoted(Event, frozen=True, tag="reply.noted"):
    """A person told a model something while it works, or the model has read it."""

    reply_id: str
    note: NoteView


class ReplyStatusChanged(Event, frozen=True, tag="reply.status"):
    """Something worth knowing while one waits, such as that a busy provider is asked again."""

    reply_id: str
    code: str
    message: str
    wait_seconds: float


class ReplyClosed(Event, frozen=True, tag="reply.closed"):
    """A reply is final; the text of `reply` equals all pieces joined.

    A long text, or long thinking, is left out of it: whoever heard as many characters of it has them all.
    """

    reply: ReplyView
    omitted_content_chars: int = 0
    omitted_thinking_chars: int = 0


class RoundClosed(Event, frozen=True, tag="round.closed"):
    """Every reply of the round is final."""

    round_id: str


class MessageMarked(Event, frozen=True, tag="message.marked"):
    """A message is to be shown to models always, never, or only to local ones: these are all its marks."""

    message_id: str
    marks: list[Mark]


class ContextChanged(Event, frozen=True, tag="context.changed"):
    """The conversation was summarised or compressed, or that was undone: fetch its context anew."""

    summary_id: str | None
    watermark: int


class ConversationChanged(Event, frozen=True, tag="conversation.changed"):
    """Title, head, archive, pin or visibility changed."""

    conversation: ConversationView


class ConversationDeleted(Event, frozen=True, tag="conversation.deleted"):
    """The conversation is gone; this is its last event."""

    conversation_id: str


class Reset(Event, frozen=True, tag="reset"):
    """Events were asked for that are no longer kept: fetch the conversation anew. It has no number."""


ConversationEvent = (
    RoundOpened
    | ReplyAdded
    | ReplyStarted
    | ReplyText
    | ReplyThinking
    | ReplyToolCall
    | ReplyToolOutput
    | ReplyWaits
    | ReplyNoted
    | ReplyStatusChanged
    | ReplyClosed
    | RoundClosed
    | MessageMarked
    | ContextChanged
    | ConversationChanged
    | ConversationDeleted
    | ProjectChanged
    | ProjectDeleted
    | ProfileChanged
    | MemoriesChanged
    | CalendarsChanged
    | TasksChanged
    | ReminderDue
    | Reset
)

_decoder = msgspec.json.Decoder(ConversationEvent)


def encode_event(event: ConversationEvent) -> str:
    """Write an event as JSON."""
    return encode_storable_json(event)


def decode_event(body: str) -> ConversationEvent:
    """Read an event back."""
    return _decoder.decode(body)


class EventReader(Generic[E]):
    """Reads stored events of some kinds; those of others, however old or long, are not even decoded."""

    def __init__(self, *kinds: type[E]) -> None:
        self._beginnings = tuple(f'{{"type":"{kind.__struct_config__.tag}"' for kind in kinds)
        self._decoder: msgspec.json.Decoder[E] = msgspec.json.Decoder(cast("Any", Union)[kinds])

    def read(self, bodies: Iterable[str]) -> Iterator[E]:
        """Yield the events of these kinds."""
        for body in bodies:
            if body.startswith(self._beginnings):
                yield self._decoder.decode(body)
