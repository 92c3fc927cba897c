"""Reminders before a browser: the bell, putting off and dismissing, and how one wants to be told."""

from datetime import timedelta

from playwright.async_api import Page, expect
from tests.e2e.axe import serious
from tests.world import Person, World

from tertulia.core.clock import now
from tertulia.reminders.domain import DueReminder, ReminderChannel, ReminderKind
from tertulia.reminders.planner import add_reminder
from tertulia.reminders.store import find_preferences

CHANNELS = frozenset({ReminderChannel.APP})


async def remind(world: World, person: Person, title: str) -> None:
    """Let a task be due today and its person be reminded of it."""
    at = now()
    body = {"title": title, "due_date": at.date().isoformat()}
    made = await person.post("/api/tasks", body)
    assert made.status_code == 201, made.text
    due = DueReminder(ReminderKind.TASK, made.json()["id"], body["due_date"], at, at)
    later = at + timedelta(seconds=1)
    await world.db.write(
        lambda tx: add_reminder(tx, due, find_preferences(tx), at=later, channels=CHANNELS),
        by=person.principal,
    )


async def test_the_bell_counts_what_waits_and_is_done_with_it(page: Page, world: World, ada: Person) -> None:
    await ada.put("/api/reminders/settings", {"reminds_of_tasks": False})
    await page.goto("/")
    await expect(page.get_by_role("button", name="Reminders", exact=True).first).to_be_visible()
    await remind(world, ada, "Water the plants")
    await remind(world, ada, "Call Bea")
    bell = page.get_by_role("button", name="Reminders: 2 reminders").first
    await bell.click()
    waiting = page.get_by_role("list", name="2 reminders").get_by_role("listitem")
    await expect(waiting).to_have_count(2)
    await page.get_by_role("button", name="Dismiss: Call Bea").click()
    await expect(page.get_by_role("list", name="One reminder").get_by_role("listitem")).to_have_count(1)
    assert await serious(page) == []
    await page.get_by_role("button", name="Remind me later: Water the plants").click()
    await page.get_by_role("menuitem", name="In an hour").click()
    await expect(page.get_by_text("Nothing to be reminded of")).to_be_visible()
    assert (await ada.get("/api/reminders")).json()["waiting"] == []


async def test_each_person_says_how_they_are_reminded(page: Page, ada: Person) -> None:
    await page.goto("/settings/reminders")
    await expect(page.get_by_role("checkbox", name="In the app")).to_be_checked()
    await expect(page.get_by_role("checkbox", name="By e-mail")).to_be_disabled()
    await page.get_by_role("checkbox", name="As a notification").uncheck()
    await page.get_by_label("At", exact=True).fill("07:30")
    await page.get_by_label("At", exact=True).blur()

    async with page.expect_response(lambda answer: answer.url.endswith("/api/reminders/settings")):
        await page.get_by_role("checkbox", name="Remind me of tasks that are due").uncheck()
    await page.reload()
    await expect(page.get_by_role("checkbox", name="As a notification")).not_to_be_checked()
    settings = (await ada.get("/api/reminders/settings")).json()
    assert (settings["channels"], settings["task_time"]) == (["app", "email"], "07:30")
    assert settings["reminds_of_tasks"] is False
    assert await serious(page) == []
