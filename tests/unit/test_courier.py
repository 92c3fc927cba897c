"""News within one process: heard at once, by all who asked for its kind, whoever of them fails."""

import asyncio

from tertulia.core.tasks import cancel_tasks
from tertulia.infra.courier import InProcessCourier
from tertulia.infra.courier.news import JobsQueued, KeysChanged, NewsMayBeLost
from tertulia.infra.courier.polling import PollingCourier


def test_news_is_heard_at_once_by_those_who_asked_for_its_kind() -> None:
    courier, heard = InProcessCourier(), list[object]()
    courier.subscribe(KeysChanged, heard.append)
    courier.subscribe(KeysChanged, heard.append)

    courier.publish(JobsQueued())
    courier.publish(KeysChanged("wsp_1"))

    assert heard == [KeysChanged("wsp_1")] * 2


def test_a_handler_that_fails_keeps_news_from_nobody() -> None:
    courier, heard = InProcessCourier(), list[object]()

    def fail(_: JobsQueued) -> None:
        raise LookupError

    courier.subscribe(JobsQueued, fail)
    courier.subscribe(JobsQueued, heard.append)

    courier.publish(JobsQueued())

    assert heard == [JobsQueued()]


async def test_processes_that_share_only_a_database_look_again_and_again() -> None:
    courier, looks = PollingCourier(), asyncio.Semaphore(0)
    courier.subscribe(NewsMayBeLost, lambda _: looks.release())
    running = asyncio.create_task(courier.run())
    async with asyncio.timeout(10):
        for _ in range(2):
            await looks.acquire()
    await cancel_tasks([running])
