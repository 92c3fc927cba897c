"""Reminders of tasks: told on the day, by the channels that were chosen, to whom they belong, and once."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
from tests.accounts_door import ok, refused
from tests.clocks import Machine
from tests.reminders_world import (
    MailServer,
    PushService,
    deliveries,
    make_task,
    open_reminder_world,
    pass_minutes,
    reminders_of,
    serving_mail,
    serving_push,
    until_settled,
    waiting,
)
from tests.search_world import until
from tests.world import Person, World

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH")


@pytest.fixture
def mail() -> Generator[MailServer]:
    with serving_mail() as server:
        yield server


@pytest.fixture
async def push() -> AsyncGenerator[PushService]:
    async with serving_push() as service:
        yield service


@pytest.fixture
async def world(
    tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch, mail: MailServer
) -> AsyncGenerator[World]:
    async with open_reminder_world(tmp_path, machine, monkeypatch, mail=mail) as world:
        yield world


async def pass_nine(world: World, machine: Machine) -> None:
    """Let it be a minute past nine, and wait until everybody was reminded."""
    await until_settled(world)
    pass_minutes(machine, 11)
    await until_settled(world)


async def test_a_task_is_told_on_its_day_once_by_each_channel(
    world: World, ada: Person, machine: Machine, mail: MailServer, push: PushService
) -> None:
    browser = push.browser()
    assert (await ada.post("/api/reminders/push", browser.subscription)).status_code == 204
    await make_task(ada, "Water the plants")
    await until_settled(world)
    assert await waiting(ada) == []

    await pass_nine(world, machine)
    [reminder] = (await reminders_of(ada))["waiting"]
    assert (reminder["title"], reminder["day"], reminder["is_late"]) == (
        "Water the plants",
        "2027-03-01",
        False,
    )
    assert await deliveries(ada) == {"app": "sent", "email": "sent", "push": "sent"}

    pass_minutes(machine, 60)
    await until_settled(world)
    [sent] = mail.taken
    assert sent["Subject"] == "Water the plants · Due on Monday 1 March 2027"
    assert mail.recipients == ["p0@example.org"]
    [request] = push.requests
    told = browser.decrypt(request.body)
    assert (told["title"], told["text"]) == ("Water the plants", "Due on Monday 1 March 2027")
    assert b"plants" not in request.body


async def test_nobody_is_reminded_of_what_is_done_gone_or_others_to_do(
    world: World, ada: Person, machine: Machine
) -> None:
    bea = await world.person(like=ada)
    project = ok(await ada.post("/api/projects", {"name": "Garden"}), 201)["id"]
    done, gone = await make_task(ada, "Done"), await make_task(ada, "Gone")
    await make_task(ada, "For Bea", project_id=project, assignee_id=bea.principal.user_id)
    await make_task(ada, "Tomorrow", due_date="2027-03-02")
    await make_task(ada, "Mine", project_id=project)
    ok(await ada.put(f"/api/tasks/{done['id']}", {"status": "done"}))
    assert (await ada.delete(f"/api/tasks/{gone['id']}")).status_code in (200, 201, 204)

    await pass_nine(world, machine)
    assert await waiting(ada) == ["Mine"]
    assert await waiting(bea) == ["For Bea"]
    foreign = (await reminders_of(bea))["waiting"][0]["id"]
    refused(await ada.post(f"/api/reminders/{foreign}/dismiss"), 404, "not_found")
    refused(await ada.post(f"/api/reminders/{foreign}/snooze", {}), 404, "not_found")


async def test_each_person_chooses_when_and_how(
    world: World, ada: Person, machine: Machine, mail: MailServer
) -> None:
    settings = ok(await ada.get("/api/reminders/settings"))
    assert settings["channels"] == settings["available"] == ["app", "email", "push"]
    assert (settings["task_time"], settings["email"], settings["browsers"]) == ("09:00", "p0@example.org", 0)
    await make_task(ada)
    changed = ok(await ada.put("/api/reminders/settings", {"task_time": "08:55", "channels": ["app"]}))
    assert changed["reminds_of_tasks"] is True
    await until_settled(world)
    pass_minutes(machine, 6)
    await until_settled(world)
    assert await deliveries(ada) == {"app": "sent"}
    assert mail.taken == []

    ok(await ada.put("/api/reminders/settings", {"reminds_of_tasks": False}))
    await make_task(ada, "Another", due_date="2027-03-01")
    pass_minutes(machine, 60)
    await until_settled(world)
    assert await waiting(ada) == ["Water the plants"]
    assert (await ada.put("/api/reminders/settings", {"task_time": "24:00"})).status_code == 422


async def test_the_day_and_the_time_are_those_of_the_person(
    world: World, ada: Person, machine: Machine
) -> None:
    assert (await ada.client.patch("/api/me", json={"time_zone": "Asia/Tokyo"})).status_code == 200
    await make_task(ada, "In Tokyo it was due at midnight of Greenwich")
    await make_task(ada, "Tomorrow there", due_date="2027-03-02")
    await pass_nine(world, machine)
    assert await waiting(ada) == []
    pass_minutes(machine, 14.9 * 60)
    await until_settled(world)
    assert await waiting(ada) == []
    pass_minutes(machine, 10)
    await until_settled(world)
    assert await waiting(ada) == ["Tomorrow there"]


async def test_what_was_dismissed_is_over_and_what_was_put_off_comes_again(
    world: World, ada: Person, machine: Machine, mail: MailServer
) -> None:
    await make_task(ada)
    await pass_nine(world, machine)
    [reminder] = (await reminders_of(ada))["waiting"]
    snooze = f"/api/reminders/{reminder['id']}/snooze"
    assert (await ada.post(snooze, {"minutes": 30})).status_code == 204
    await until_settled(world)
    assert await waiting(ada) == []
    assert len(mail.taken) == 1
    pass_minutes(machine, 31)
    await until_settled(world)
    assert await waiting(ada) == ["Water the plants"]
    assert len(mail.taken) == 2

    assert (await ada.post(snooze, {"minutes": 30})).status_code == 204
    assert (await ada.post(f"/api/reminders/{reminder['id']}/dismiss")).status_code == 204
    pass_minutes(machine, 31)
    await until_settled(world)
    told = await reminders_of(ada)
    assert (told["waiting"], [one["id"] for one in told["recent"]]) == ([], [reminder["id"]])
    assert len(mail.taken) == 2
    assert (await ada.post(snooze, {"minutes": 0})).status_code == 422


async def test_all_that_waits_is_dismissed_at_once(world: World, ada: Person, machine: Machine) -> None:
    await make_task(ada, "One")
    await make_task(ada, "Two")
    await pass_nine(world, machine)
    assert sorted(await waiting(ada)) == ["One", "Two"]
    assert (await ada.post("/api/reminders/dismiss")).status_code == 204
    assert await waiting(ada) == []


async def test_devices_hear_of_a_reminder_and_of_its_end(world: World, ada: Person, machine: Machine) -> None:
    await make_task(ada)
    await pass_nine(world, machine)
    [reminder] = (await reminders_of(ada))["waiting"]
    assert (await ada.post(f"/api/reminders/{reminder['id']}/dismiss")).status_code == 204
    topic = f"{ada.principal.workspace_id}/{ada.principal.user_id}"
    sql = "SELECT body FROM events WHERE topic = :topic AND body LIKE '%reminder.due%' ORDER BY seq"
    told = await world.db.read(lambda tx: tx.column(sql, topic=topic), by=None)
    assert [reminder["id"] in body for body in told] == [True, True]
    assert "plants" not in "".join(told)


async def test_what_changed_before_it_was_sent_is_not_sent(
    world: World, ada: Person, machine: Machine, mail: MailServer
) -> None:
    mail.stop()
    task = await make_task(ada)
    await pass_nine(world, machine)
    assert await deliveries(ada) == {"app": "sent", "email": "waiting"}
    ok(await ada.put(f"/api/tasks/{task['id']}", {"due_date": "2027-03-05"}))
    mail.start()
    pass_minutes(machine, 20)
    await until_settled(world)
    assert mail.taken == []
    assert (await reminders_of(ada))["waiting"] == []


async def test_a_member_who_is_suspended_is_reminded_of_nothing(
    world: World, ada: Person, machine: Machine, mail: MailServer
) -> None:
    bea = await world.person(like=ada)
    await make_task(bea)
    await until_settled(world)
    path = f"/api/members/{bea.principal.user_id}"
    assert (await ada.client.patch(path, json={"status": "suspended"})).status_code == 200
    pass_minutes(machine, 11)
    await until(lambda: no_reminders(world))
    assert mail.taken == []


async def no_reminders(world: World) -> bool:
    sql = "SELECT count(*) FROM reminders"
    assert not await world.db.read(lambda tx: tx.value(sql), by=None)
    plans = "SELECT count(*) FROM reminder_plans WHERE planned_at IS NOT NULL"
    return not await world.db.read(lambda tx: tx.value(plans), by=None)
