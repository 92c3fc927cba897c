"""A reply while it is being heard: all of its text, and the events that are not stored yet."""

from tertulia.conversations.domain import Reply
from tertulia.conversations.events import ConversationEvent, ReplyText, ReplyThinking, encode_event
from tertulia.core.clock import now
from tertulia.core.principal import Principal
from tertulia.turns.domain import NO_CHARGE, Charge

#: A longer piece is told as several events, each of which is stored quickly.
TEXT_EVENT_MAX_CHARS = 64_000


class ReplyDraft:
    """Collects what a model says; pieces that arrive together become one event."""

    def __init__(
        self,
        reply: Reply,
        *,
        by: Principal,
        text_before: str = "",
        thinking_before: str = "",
        charge_before: Charge = NO_CHARGE,
    ) -> None:
        self.reply = reply
        self.by = by
        #: What limits count for it already, where it waited for a person.
        self.charge_before = charge_before
        self.first_token_at = reply.first_token_at
        self._text = [text_before] if text_before else []
        self._thinking = [thinking_before] if thinking_before else []
        self._length = {ReplyText: len(text_before), ReplyThinking: len(thinking_before)}
        self._kind: type[ReplyText] | type[ReplyThinking] = ReplyText
        self._char_count = len(text_before) + len(thinking_before)
        self._piece: list[str] = []
        self._piece_chars = 0
        self._unsaved: list[str] = []

    @property
    def text(self) -> str:
        """The reply so far, with what it continues."""
        return join_pieces(self._text)

    @property
    def thinking(self) -> str:
        """The thinking so far."""
        return join_pieces(self._thinking)

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing has been said yet."""
        return not self._text and not self._thinking

    def replace_reply(self, reply: Reply) -> None:
        """Go on as the reply that was stored."""
        self.reply = reply

    @property
    def length(self) -> int:
        """How many characters were said and thought so far."""
        return self._char_count

    def add_text(self, text: str) -> bool:
        """Take in a piece of the reply; True when it is the first."""
        return self._add(ReplyText, self._text, text)

    def add_thinking(self, text: str) -> bool:
        """Take in a piece of thinking; True when it is the first thing heard."""
        return self._add(ReplyThinking, self._thinking, text)

    def add_event(self, event: ConversationEvent) -> None:
        """Take in any other event, after all that was heard before it."""
        self._end_piece()
        self._unsaved.append(encode_event(event))

    @property
    def has_unsaved(self) -> bool:
        """Tell whether there is something that was not taken yet."""
        return bool(self._piece or self._unsaved)

    def take_unsaved(self, max_chars: int) -> list[str]:
        """Return the next events to be stored, and forget them: of so many characters, or a single one."""
        self._end_piece()
        count, chars = 0, 0
        for event in self._unsaved:
            chars += len(event)
            if count and chars > max_chars:
                break
            count += 1
        taken, self._unsaved = self._unsaved[:count], self._unsaved[count:]
        return taken

    def put_back(self, events: list[str]) -> None:
        """Return events that could not be stored to the front."""
        self._unsaved = events + self._unsaved

    def _add(self, kind: type[ReplyText] | type[ReplyThinking], whole: list[str], text: str) -> bool:
        if not text:
            return False
        if kind is not self._kind:
            self._end_piece()
            self._kind = kind
        self._piece.append(text)
        self._piece_chars += len(text)
        self._char_count += len(text)
        whole.append(text)
        if self._piece_chars >= TEXT_EVENT_MAX_CHARS:
            self._end_piece()
        if self.first_token_at is not None:
            return False
        self.first_token_at = now()
        return True

    def _end_piece(self) -> None:
        if not self._piece:
            return
        text = "".join(self._piece)
        self._piece.clear()
        self._piece_chars = 0
        for start in range(0, len(text), TEXT_EVENT_MAX_CHARS):
            piece = text[start : start + TEXT_EVENT_MAX_CHARS]
            self._unsaved.append(encode_event(self._kind(self.reply.id, self._length[self._kind], piece)))
            self._length[self._kind] += len(piece)


def join_pieces(pieces: list[str]) -> str:
    """Return pieces as one text, and keep it as one: a long reply is asked for its text more than once."""
    if len(pieces) > 1:
        pieces[:] = ["".join(pieces)]
    return pieces[0] if pieces else ""
