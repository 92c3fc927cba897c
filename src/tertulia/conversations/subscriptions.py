"""Listeners: whoever follows conversations, for as long as they may."""

from collections.abc import Collection

from tertulia.accounts.authentication import may_still_act
from tertulia.conversations.access import check_readable
from tertulia.core.errors import NotSignedIn
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx


async def check_may_subscribe(conversation_ids: Collection[str], *, by: Principal, db: Database) -> None:
    """Raise `NotSignedIn` once the listener may no longer act, `NotFound` for what they may not read."""

    def check(tx: Tx) -> None:
        if not may_still_act(tx):
            raise NotSignedIn
        for conversation_id in conversation_ids:
            check_readable(tx, conversation_id)

    # Every stream asks this before all that it sends: once for both, and nothing is read that is not needed.
    await db.read_inline(check, by=by)
