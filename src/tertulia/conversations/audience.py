"""As whom everything is looked up that a reply is written from.

A prompt holds only what everyone may see who will read the reply or receive the
prompt: the readers of the conversation, the person who asks, and the owner of
the connection. A private conversation has one reader, who is the one who asks.
A shared one is read by every member, so nothing private goes into its prompts,
whoever asks. A personal connection is used by its owner alone
(`models/connection_store.py`), who is among the readers in both cases.
"""

from tertulia.conversations.access import get_for_reading
from tertulia.conversations.domain import Conversation, Visibility
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx


def audience_of(conversation: Conversation | None, asker: Principal) -> Principal:
    """Return the audience of a conversation that `asker` may see; None stands for one yet to be begun."""
    if conversation is None:
        return asker
    is_alone = conversation.visibility is Visibility.PRIVATE and conversation.owner_id == asker.user_id
    return asker if is_alone else asker.as_any_member()


def find_audience(tx: Tx, conversation_id: str | None) -> Principal:
    """Return the audience of what the caller asks in a conversation, or raise where they may not see it."""
    return audience_of(get_for_reading(tx, conversation_id) if conversation_id else None, tx.by)
