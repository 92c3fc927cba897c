"""`/ready` tells the truth about each thing that the process needs, and soon."""

import asyncio

import pytest

from tertulia.infra.courier import InProcessCourier
from tertulia.infra.courier.valkey import ValkeyCourier
from tertulia.infra.db.errors import DiskFull
from tertulia.infra.dependency_checks import Dependency, DependencyChecks, DependencyUnreachable, Draining
from tertulia.server_parts import check_courier


async def works() -> None:
    return


async def hangs() -> None:
    await asyncio.Event().wait()


async def is_full() -> None:
    raise DiskFull


async def is_gone() -> None:
    raise ConnectionError


async def test_everything_that_answers_is_ok() -> None:
    checks = DependencyChecks([Dependency("disk", works), Dependency("database", works)])
    assert await checks.check() == {"disk": "ok", "database": "ok"}


async def test_what_is_required_and_fails_is_told_with_the_state_of_the_others() -> None:
    checks = DependencyChecks([Dependency("disk", is_full), Dependency("database", works)])
    with pytest.raises(DiskFull) as refused:
        await checks.check()
    assert refused.value.data["dependencies"] == {"disk": DiskFull().message, "database": "ok"}


async def test_what_the_rest_can_do_without_is_told_and_refuses_nothing() -> None:
    checks = DependencyChecks([Dependency("courier", is_gone, required=False), Dependency("disk", works)])
    told = await checks.check()
    assert told == {"courier": "The courier could not be reached (ConnectionError).", "disk": "ok"}


async def test_a_dependency_that_does_not_answer_is_not_waited_for() -> None:
    checks = DependencyChecks([Dependency("database", hangs), Dependency("disk", works)], seconds=0.05)
    with pytest.raises(DependencyUnreachable, match="did not answer within"):
        await checks.check()


async def test_a_process_that_was_told_to_stop_is_not_ready() -> None:
    checks = DependencyChecks([Dependency("disk", works)], is_draining=lambda: True)
    with pytest.raises(Draining):
        await checks.check()


async def test_news_that_come_late_are_told_and_refuse_nothing() -> None:
    courier = ValkeyCourier("redis://127.0.0.1:9", channel="nobody listens here")
    checks = DependencyChecks([Dependency("courier", lambda: check_courier(courier), required=False)])
    assert (await checks.check())["courier"].startswith("Valkey cannot be used")
    assert await DependencyChecks(
        [Dependency("courier", lambda: check_courier(InProcessCourier()))]
    ).check() == {"courier": "ok"}
