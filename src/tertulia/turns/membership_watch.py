"""Ending the replies of those who belong to a workspace no more: nobody of it pays for what they asked."""

import asyncio
import logging

from tertulia.accounts.authentication import find_allowed
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database
from tertulia.turns.runner import ReplyRunner

log = logging.getLogger("tertulia.turns")

#: A membership may end in another process: a reply is stopped within a second.
MEMBERSHIP_POLL_SECONDS = 0.5


class MembershipWatch:
    """Looks again and again whether all may still ask whose replies are written here, in one query."""

    def __init__(self, db: Database, runner: ReplyRunner) -> None:
        self._db = db
        self._runner = runner

    async def run(self) -> None:
        """Look for ever."""
        while True:
            await asyncio.sleep(MEMBERSHIP_POLL_SECONDS)
            try:
                await self.stop_replies()
            except TertuliaError as error:
                log.warning("It could not be looked up who may still ask: %s", error.message)

    async def stop_replies(self) -> None:
        """Stop the replies of those who may not ask any more; whoever only signed out still may."""
        asked = {draft.reply.id: asker_of(draft.by) for draft in self._runner.drafts}
        if asked:
            askers = frozenset(asked.values())
            allowed = await self._db.read(lambda tx: find_allowed(tx, askers), by=None)
            self._runner.stop([reply_id for reply_id, asker in asked.items() if asker not in allowed])


def asker_of(by: Principal) -> Principal:
    """Return somebody as the member they were when they asked, whatever they signed in with."""
    return Principal(by.user_id, by.workspace_id, Role.MEMBER)
