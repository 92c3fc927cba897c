"""Turns on the wire."""

import base64
from typing import Annotated

from fastapi import Header
from pydantic import Field

from tertulia.conversations.domain import Policy
from tertulia.conversations.message_pictures import PictureInvalid, check_picture
from tertulia.conversations.round_writer import HEAD_PARENT
from tertulia.conversations.views import ConversationView, RoundView
from tertulia.infra.http.body_limits import BodyLimit
from tertulia.infra.http.schema import AnyCaseId, LongText, Schema, ShortText
from tertulia.models.calls import Effort, Image
from tertulia.turns.domain import Ask, InvitedModel
from tertulia.turns.service import OpenedRound

#: A question with its pictures, which grow by a third on the way.
TURN_BODY_LIMIT = BodyLimit(40_000_000)
QuestionText = Annotated[LongText, Field(min_length=1)]
#: How many names are read at all; how many a round may ask is a setting.
NAMED_MODELS_MAX = 1_000
IdempotencyKeyText = Annotated[ShortText, Field(max_length=200)]
#: The key of a request, as a header.
IdempotencyKey = Annotated[IdempotencyKeyText | None, Header()]


class Guest(Schema):
    """A model to ask, and how it should answer."""

    model: ShortText
    effort: Effort | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    output_limit: Annotated[int, Field(ge=1, le=1_000_000)] | None = None

    def to_invited(self) -> InvitedModel:
        """Return who is asked."""
        return InvitedModel(self.model, self.effort, self.temperature, self.output_limit)


class Picture(Schema):
    """A PNG, JPEG, GIF or WebP picture in base64."""

    data: Annotated[str, Field(max_length=8_000_000)]

    def to_image(self) -> Image:
        """Return the picture, or raise when it is none."""
        try:
            return check_picture(base64.b64decode(self.data, validate=True))
        except ValueError:
            raise PictureInvalid from None


class Wording(Schema):
    """What to ask, and whom; without models those of the round before are asked."""

    message: QuestionText
    models: Annotated[list[ShortText | Guest], Field(max_length=NAMED_MODELS_MAX)] = Field(
        default_factory=list[ShortText | Guest]
    )
    policy: Policy = Policy.EVERYONE
    images: Annotated[list[Picture], Field(max_length=8)] = Field(default_factory=list[Picture])
    idempotency_key: IdempotencyKeyText | None = None

    def to_ask(self, *, key: str | None) -> Ask:
        """Return what is asked; the key may come in the body or in the `Idempotency-Key` header."""
        guests = [Guest(model=model) if isinstance(model, str) else model for model in self.models]
        return Ask(
            message=self.message,
            invited=tuple(guest.to_invited() for guest in guests),
            policy=self.policy,
            images=tuple(picture.to_image() for picture in self.images),
            idempotency_key=self.idempotency_key or key,
        )


class NewRound(Wording):
    """A question and its place: after the round that is shown last, unless `parent_id` names a message."""

    parent_id: AnyCaseId | None = HEAD_PARENT


class NewTurn(NewRound):
    """A question to a conversation, or to a new one, which may be temporary."""

    conversation_id: AnyCaseId | None = None
    project_id: AnyCaseId | None = None
    temporary: bool = False


class OneMore(Schema):
    """The model that merges or judges."""

    model: ShortText
    idempotency_key: IdempotencyKeyText | None = None


class Again(Schema):
    """The model to write a reply once more, when it should be another one.

    `leave_out` names items of the earlier reply's receipt that are not to be shown this time.
    """

    model: ShortText | None = None
    idempotency_key: IdempotencyKeyText | None = None
    leave_out: Annotated[list[ShortText], Field(max_length=100)] = Field(default_factory=list[str])


class TurnView(Schema):
    """A round that was accepted: its replies are in the conversation's events after `last_event_id`."""

    conversation: ConversationView
    round: RoundView
    last_event_id: int

    @classmethod
    def of(cls, opened: OpenedRound) -> "TurnView":
        """Show a round that was opened or added to."""
        return cls(
            conversation=ConversationView.of(opened.conversation),
            round=RoundView.of(opened.round, opened.heard),
            last_event_id=opened.last_event_id,
        )
