"""Listeners: whoever follows conversations, for as long as they may."""

from collections.abc import Collection

from tertulia.conversations.access import get_for_reading
from tertulia.core.errors import NotSignedIn
from tertulia.core.principal import Principal
from tertulia.infra.db import Database
from tertulia.infra.http.identity import Authenticator


async def check_may_subscribe(
    conversation_ids: Collection[str], *, by: Principal, authenticator: Authenticator, db: Database
) -> None:
    """Raise `NotSignedIn` once the listener may no longer act, `NotFound` for what they may not read."""
    if not await authenticator.is_still_allowed(by):
        raise NotSignedIn
    for conversation_id in conversation_ids:
        await db.read_inline(lambda tx, id_=conversation_id: get_for_reading(tx, id_), by=by)
