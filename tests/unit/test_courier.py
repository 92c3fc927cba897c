"""News within one process: heard at once, by all who asked for its kind, whoever of them fails."""

import asyncio
from pathlib import Path

import pytest

from tertulia.core.errors import TertuliaError
from tertulia.core.tasks import cancel_tasks
from tertulia.infra.courier import InProcessCourier
from tertulia.infra.courier.news import JobsQueued, NewsMayBeLost, StopRequested
from tertulia.infra.courier.opening import channel_name, check_courier_address, open_courier
from tertulia.infra.courier.polling import PollingCourier
from tertulia.infra.courier.valkey import ValkeyCourier
from tertulia.settings import SettingInvalid, Settings


def test_news_is_heard_at_once_by_those_who_asked_for_its_kind() -> None:
    courier, heard = InProcessCourier(), list[object]()
    courier.subscribe(StopRequested, heard.append)
    courier.subscribe(StopRequested, heard.append)

    courier.publish(JobsQueued())
    courier.publish(StopRequested(("msg_1",)))

    assert heard == [StopRequested(("msg_1",))] * 2


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


def test_a_process_that_shares_its_database_has_a_courier_for_that(tmp_path: Path) -> None:
    alone = Settings(tmp_path, redis_url="redis://127.0.0.1:1")
    assert type(open_courier(alone, is_shared=False)) is InProcessCourier
    assert type(open_courier(Settings(tmp_path), is_shared=True)) is PollingCourier
    assert type(open_courier(alone, is_shared=True)) is ValkeyCourier


def test_servers_that_use_the_same_valkey_do_not_hear_each_other() -> None:
    assert channel_name("first key") != channel_name("second key")
    assert "first key" not in channel_name("first key")


@pytest.mark.parametrize(
    ("address", "used"),
    [
        ("redis://127.0.0.1:6379/1", "redis://127.0.0.1:6379/1"),
        ("valkeys://user:pass@news.example.org", "rediss://user:pass@news.example.org"),
        ("unix:///run/valkey.sock", "unix:///run/valkey.sock"),
    ],
)
def test_the_address_of_valkey_is_read_from_redis_url(address: str, used: str) -> None:
    assert Settings.from_env({"REDIS_URL": address}).redis_url == used
    assert Settings.from_env({"TERTULIA_REDIS_URL": address}).redis_url == ""


@pytest.mark.parametrize("address", ["127.0.0.1:6379", "http://127.0.0.1", "redis://"])
def test_an_address_that_is_none_of_valkey_is_refused(address: str) -> None:
    with pytest.raises(SettingInvalid, match="REDIS_URL must be an address"):
        Settings.from_env({"REDIS_URL": address})


@pytest.mark.parametrize(
    "address",
    [
        "redis://:hidden@127.0.0.1:port",
        "redis://:hid#den@127.0.0.1:6379",
        "redis://:hid/den@127.0.0.1:6379",
        "redis://:hidden@[::1",
        "redis://:hidden@127.0.0.1:99999",
    ],
)
def test_an_address_of_valkey_that_cannot_be_read_is_not_shown(address: str) -> None:
    with pytest.raises(SettingInvalid, match="In a password write") as refused:
        Settings.from_env({"REDIS_URL": address})
    assert "hid" not in refused.value.message


@pytest.mark.parametrize("option", ["colour=red", "socket_timeout=soon", "max_connections=many"])
def test_an_option_that_valkeys_client_does_not_know_is_named(tmp_path: Path, option: str) -> None:
    settings = Settings(
        tmp_path, database_url="postgresql://h/d", redis_url=f"redis://:hidden@127.0.0.1:6379?{option}"
    )
    with pytest.raises(
        TertuliaError, match=f"REDIS_URL has an option.*{option.partition('=')[0]}"
    ) as refused:
        check_courier_address(settings)
    assert "hidden" not in refused.value.message
