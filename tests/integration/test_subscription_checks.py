"""Whether a listener may hear more: answered together with others as it would be alone."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any, cast

import pytest
from tests.world import Person, World

from tertulia.conversations.subscriptions import ListenerCheck, SubscriptionChecks, answer_all, answer_one
from tertulia.core.errors import NotFound, NotSignedIn, TertuliaError
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx

pytestmark = pytest.mark.both_engines


class GatedDatabase:
    """A database whose answers wait until they are let through, and which counts its reads."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.gate = asyncio.Event()
        self.reads = 0

    async def read_inline(self, call: Callable[[Tx], Any], *, by: Principal | None) -> Any:
        """Answer from what is stored now, once the gate is open."""
        self.reads += 1
        try:
            return await self._db.read_inline(call, by=by)
        finally:
            await self.gate.wait()


async def conversation_of(person: Person, visibility: str = "private") -> str:
    """Begin a conversation."""
    id_ = str((await person.post("/api/conversations", {})).json()["id"])
    await person.client.patch(f"/api/conversations/{id_}", json={"visibility": visibility})
    return id_


async def outcome_of(world: World, check: ListenerCheck) -> type[TertuliaError] | None:
    """Return what a listener is refused with who asks alone."""
    try:
        await world.db.read_inline(lambda tx: answer_one(tx, check), by=check.by)
    except TertuliaError as error:
        return type(error)
    return None


async def test_many_are_answered_as_each_would_be_alone(world: World, ada: Person) -> None:
    ben, cyd = await world.person(like=ada), await world.person(role="owner")
    gone = await world.person(like=ada)
    await ada.delete(f"/api/members/{gone.principal.user_id}")
    deleted = await conversation_of(ada)
    await ada.delete(f"/api/conversations/{deleted}")
    conversations = [
        deleted,
        await conversation_of(ada),
        await conversation_of(ada, visibility="workspace"),
        await conversation_of(ben),
        await conversation_of(cyd, visibility="workspace"),
        "cnv_unheard_of",
    ]
    people = [
        *(person.principal for person in (ada, ben, cyd, gone)),
        replace(ben.principal, role=Role.OWNER),
        replace(ada.principal, credential_id="tok_revoked"),
    ]
    checks = [ListenerCheck(by, frozenset({id_})) for by, id_ in product(people, conversations)]
    checks += [ListenerCheck(by, frozenset()) for by in people]
    checks += [ListenerCheck(by, frozenset(conversations[1:3])) for by in people]
    together = await world.db.read_inline(lambda tx: answer_all(tx, checks), by=None)
    alone = [await outcome_of(world, check) for check in checks]
    assert [answer and type(answer) for answer in together] == alone
    assert {None, NotFound, NotSignedIn} == set(alone)


async def test_those_who_ask_meanwhile_are_answered_together(world: World, ada: Person) -> None:
    ben = await world.person(like=ada)
    private = await conversation_of(ada)
    database = GatedDatabase(world.db)
    checks = SubscriptionChecks(cast("Database", database))
    asked = [
        asyncio.create_task(checks.check([private], by=person.principal))
        for person in [ada, *[ada, ben] * 20]
    ]
    await asyncio.sleep(0)
    asked[5].cancel()
    database.gate.set()
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert database.reads == 2
    refused = [type(result) for result in results]
    assert refused.pop(5) is asyncio.CancelledError
    assert refused.count(NotFound) == 20
    assert refused.count(type(None)) == 20


async def test_nobody_is_answered_from_before_they_asked(world: World, ada: Person) -> None:
    private = await conversation_of(ada)
    database = GatedDatabase(world.db)
    checks = SubscriptionChecks(cast("Database", database))
    first = asyncio.create_task(checks.check([private], by=ada.principal))
    await asyncio.sleep(0)
    await ada.delete(f"/api/conversations/{private}")
    second = asyncio.create_task(checks.check([private], by=ada.principal))
    await asyncio.sleep(0)
    database.gate.set()
    with pytest.raises(NotFound):
        await second
    with suppress(NotFound):
        await first


async def test_a_failure_is_told_to_all_who_wait_and_to_nobody_later(world: World, ada: Person) -> None:
    private = await conversation_of(ada)

    class Failing(GatedDatabase):
        async def read_inline(self, call: Callable[[Tx], Any], *, by: Principal | None) -> Any:
            found = await super().read_inline(call, by=by)
            if self.reads == 2:
                raise NotFound("database")
            return found

    database = Failing(world.db)
    checks = SubscriptionChecks(cast("Database", database))
    asked = [asyncio.create_task(checks.check([private], by=ada.principal)) for _ in range(3)]
    await asyncio.sleep(0)
    database.gate.set()
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(result) for result in results] == [type(None), NotFound, NotFound]
    await checks.check([private], by=ada.principal)
