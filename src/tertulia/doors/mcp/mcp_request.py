"""An outside agent at the door: for whom it looks, where, and with what."""

from dataclasses import dataclass

from tertulia.conversations import marks
from tertulia.conversations.domain import Conversation
from tertulia.core.principal import Principal
from tertulia.files.service import Files
from tertulia.infra.db import Database, Tx
from tertulia.retrieval.search import Search
from tertulia.tools.domain import ToolCaller


@dataclass(frozen=True, slots=True)
class McpRequest:
    """One request of an agent that acts for a person."""

    by: Principal
    #: The one project it came for; None for all of the workspace.
    project_id: str | None
    db: Database
    files: Files
    search: Search

    def caller(self, project_id: str | None) -> ToolCaller:
        """Return the visitor as our tools know callers: never a local model."""
        return ToolCaller(self.by, project_id, conversation_id="", model_is_local=False)


def shown_title(tx: Tx, conversation: Conversation) -> str:
    """Return a title, unless it may be made of words that are for local models alone."""
    if not conversation.title:
        return "(no title)"
    return "(title not shown)" if has_local_only_messages(tx, conversation.id) else conversation.title


def has_local_only_messages(tx: Tx, conversation_id: str) -> bool:
    """Tell whether anything in a conversation is for local models alone."""
    return bool(marks.find_conversations_with_local_only(tx, [conversation_id]))
