"""Listeners: whoever follows conversations, for as long as they may."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tertulia.accounts.authentication import find_allowed, may_still_act
from tertulia.conversations.access import check_readable, find_readable
from tertulia.core.errors import NotFound, NotSignedIn
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx


@dataclass(frozen=True, slots=True)
class ListenerCheck:
    """A listener, and the conversations of which they are about to hear."""

    by: Principal
    conversation_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class CheckGroup:
    """Checks that wait for the database together, and what will be said of each."""

    checks: list[ListenerCheck]
    answers: "asyncio.Task[list[Exception | None]]"


class SubscriptionChecks:
    """Tells listeners whether they may hear more, as the database knows it at this moment.

    Every stream asks before all that it sends. Whoever asks while the database answers somebody else is
    answered next, together with all others who do: in two statements, however many they are.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._asking = asyncio.Lock()
        self._next_group: CheckGroup | None = None

    async def check(self, conversation_ids: Collection[str], *, by: Principal) -> None:
        """Raise `NotSignedIn` once the listener may no longer act, `NotFound` for what they may not read."""
        check = ListenerCheck(by, frozenset(conversation_ids))
        if self._asking.locked() or self._next_group is not None:
            await self._ask_with_others(check)
        else:
            async with self._asking:
                await self._db.read_inline(lambda tx: answer_one(tx, check), by=by)

    async def _ask_with_others(self, check: ListenerCheck) -> None:
        group = self._next_group or self._start_group()
        place = len(group.checks)
        group.checks.append(check)
        # The others' answers do not end with a listener who goes.
        answers = await asyncio.shield(group.answers)
        if (refusal := answers[place]) is not None:
            raise refusal

    def _start_group(self) -> CheckGroup:
        checks = list[ListenerCheck]()
        self._next_group = CheckGroup(checks, asyncio.create_task(self._answer(checks)))
        return self._next_group

    async def _answer(self, checks: Sequence[ListenerCheck]) -> list[Exception | None]:
        async with self._asking:
            # Whoever asks from here on may ask about what is written later, and waits for another group.
            self._next_group = None
            return await self._db.read_inline(lambda tx: answer_all(tx, checks), by=None)


def answer_one(tx: Tx, check: ListenerCheck) -> None:
    """Raise what keeps the caller from hearing more."""
    if not may_still_act(tx):
        raise NotSignedIn
    for conversation_id in check.conversation_ids:
        check_readable(tx, conversation_id)


def answer_all(tx: Tx, checks: Sequence[ListenerCheck]) -> list[Exception | None]:
    """Return what keeps each listener from hearing more; None for those who may."""
    allowed = find_allowed(tx, {check.by for check in checks})
    readable = find_readable(
        tx, {(check.by, conversation_id) for check in checks for conversation_id in check.conversation_ids}
    )
    answers: list[Exception | None] = []
    for check in checks:
        if check.by not in allowed:
            answers.append(NotSignedIn())
        elif any((check.by, conversation_id) not in readable for conversation_id in check.conversation_ids):
            answers.append(NotFound("conversation"))
        else:
            answers.append(None)
    return answers
