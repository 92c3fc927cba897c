"""Conversations on the wire: what callers send, and pages of what they are shown."""

from typing import Annotated

from pydantic import Field, model_validator

from tertulia.conversations.conversation_reader import BranchPage
from tertulia.conversations.domain import Anchor, Conversation, Mark, Visibility
from tertulia.conversations.views import ConversationView, MessageView, RoundView
from tertulia.dates.day_texts import read_day_text
from tertulia.infra.http.schema import (
    AnyCaseId,
    CursorPage,
    LongText,
    Schema,
    ShortText,
)
from tertulia.projects.domain import Level, Strategy, ToolOffer
from tertulia.projects.views import MaxTokens


class AnchorChoice(Schema):
    """What a conversation is about: `id` is a project's, a task's, or a day as YYYY-MM-DD."""

    kind: Anchor
    id: AnyCaseId | None = None

    @model_validator(mode="after")
    def check_id(self) -> "AnchorChoice":
        """Refuse an anchor that names nothing, or a day that is none."""
        if (self.kind is Anchor.WORKSPACE) != (self.id is None):
            message = "a project, task or day needs an id, and the workspace has none"
            raise ValueError(message)
        if self.kind is Anchor.DAY:
            read_day_text(self.id or "")
        return self


class NewConversation(Schema):
    """A conversation to be made; without an anchor it belongs to the default project."""

    title: ShortText | None = None
    anchor: AnchorChoice | None = None
    project_id: AnyCaseId | None = None
    instructions: LongText = ""
    temporary: bool = False


class ContextChange(Schema):
    """How much models are shown, and how; null leaves it to the project and to each model's tier."""

    strategy: Strategy | None = None
    level: Level | None = None
    max_tokens: MaxTokens | None = None
    tools: ToolOffer | None = None


class ConversationChange(Schema):
    """What to change; fields that are left out stay as they are, those of `context` too.

    A temporary conversation is kept with `temporary` set to false; one that stays can become temporary only
    before something is asked in it.
    """

    title: ShortText = ""
    archived: bool = False
    pinned: bool = False
    visibility: Visibility = Visibility.PRIVATE
    instructions: LongText = ""
    context: ContextChange = ContextChange()
    temporary: bool = False


class NewTitle(Schema):
    """A title given by a person."""

    title: ShortText


class NewHead(Schema):
    """The branch to show: the newest one through this round."""

    round_id: AnyCaseId


class MarksChange(Schema):
    """What to say of a message; fields that are left out stay as they are."""

    pinned: bool = False
    excluded: bool = False
    local_only: bool = False


class MarksView(Schema):
    """All that is said of a message."""

    marks: list[Mark]


class RoundPage(Schema):
    """Part of one branch, oldest first.

    Send `before` back to go further towards the start; follow the events after
    `last_event_id` to keep the page up to date.
    """

    rounds: list[RoundView]
    before: str | None
    last_event_id: int

    @classmethod
    def of(cls, page: BranchPage) -> "RoundPage":
        """Show a page."""
        return cls(
            rounds=[RoundView.of(full_round, page.partial_texts) for full_round in page.rounds],
            before=page.before,
            last_event_id=page.last_event_id,
        )


class OpenConversation(RoundPage):
    """A conversation and the last page of the branch that is shown."""

    conversation: ConversationView

    @classmethod
    def at_page(cls, conversation: Conversation, page: BranchPage) -> "OpenConversation":
        """Show a conversation opened at a page."""
        shown = RoundPage.of(page)
        return cls(
            conversation=ConversationView.of(conversation),
            rounds=shown.rounds,
            before=shown.before,
            last_event_id=shown.last_event_id,
        )


class ConversationPage(CursorPage):
    """Some conversations, the latest used first."""

    conversations: list[ConversationView]


class MessagePage(CursorPage):
    """Some messages of all branches, in the order they were written."""

    messages: list[MessageView]


PageSize = Annotated[int, Field(ge=1, le=200)]
