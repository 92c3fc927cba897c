"""Today before a browser: what is due is done or planned with one press, and planning again is one undo."""

import re
from collections.abc import AsyncGenerator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Locator, Page, expect
from tests.e2e.axe import serious
from tests.e2e.screen import NewContext, bearer
from tests.e2e.watching import Watch
from tests.world import Json, Person, World

MADRID = ZoneInfo("Europe/Madrid")
PHONE = {"width": 390, "height": 844}
TODAY = datetime.now(MADRID).date()
#: So far ahead, and on the same day of the week, that no journey depends on the clock.
AHEAD = TODAY + timedelta(days=7)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@pytest.fixture(autouse=True)
async def hours(ada: Person) -> None:
    """Ada works around the clock in Madrid."""
    await ada.client.patch("/api/me", json={"time_zone": "Europe/Madrid"})
    whole = [{"start": "00:00", "end": "24:00"}]
    await ada.put("/api/calendar/preferences", {"working_hours": dict.fromkeys(WEEKDAYS, whole)})


@pytest.fixture
async def phone(new_context: NewContext, world: World, ada: Person) -> AsyncGenerator[Page]:
    """Ada's phone, with nothing that moves."""
    context = await new_context(
        base_url=world.url,
        extra_http_headers=bearer(ada),
        viewport=PHONE,
        has_touch=True,
        is_mobile=True,
        reduced_motion="reduce",
    )
    page = await context.new_page()
    watch = Watch(page, world.url)
    yield page
    watch.check()


async def add_task(person: Person, title: str, days: int, **more: object) -> Json:
    due = str(TODAY + timedelta(days=days))
    answer = await person.post("/api/tasks", {"title": title, "due_date": due} | more)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def add_event(person: Person, title: str, start: datetime, minutes: int = 60) -> Json:
    body = {
        "title": title,
        "start": start.isoformat(),
        "end": (start + timedelta(minutes=minutes)).isoformat(),
    }
    answer = await person.post("/api/calendar/events", body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def part(page: Page, title: str) -> Locator:
    return page.get_by_role("region", name=title, exact=True)


async def test_what_is_due_is_scheduled_with_one_press_and_taken_back(page: Page, ada: Person) -> None:
    await add_event(ada, "Dentist", datetime(AHEAD.year, AHEAD.month, AHEAD.day, 11, tzinfo=MADRID))
    task = await add_task(ada, "Order paint", 7, duration_minutes=45)
    await page.goto(f"/today?date={AHEAD}")
    await expect(part(page, "Events").get_by_role("listitem")).to_contain_text(["Dentist"])
    await part(page, "Due").get_by_role("button", name=re.compile("Schedule at .*: Order paint")).click()
    await expect(page.get_by_text("“Order paint” is on the calendar:")).to_be_visible()
    await expect(part(page, "Events").get_by_role("listitem")).to_have_count(2)
    assert (await ada.get(f"/api/tasks/{task['id']}")).json()["schedule"] is not None
    await page.get_by_role("button", name="Undo").click()
    await expect(part(page, "Events").get_by_role("listitem")).to_have_count(1)

    await part(page, "Due").get_by_role("button", name="Order paint").first.click()
    await expect(part(page, "Due").get_by_role("link", name="Order paint")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(part(page, "Due").get_by_role("link", name="Order paint")).to_be_visible()


async def test_planning_again_says_each_move_and_why_and_is_one_undo(page: Page, ada: Person) -> None:
    start = (datetime.now(MADRID) + timedelta(days=2)).replace(hour=10, minute=0, second=0, microsecond=0)
    task = await add_task(ada, "Write the report", 5, duration_minutes=60)
    answer = await ada.post(f"/api/tasks/{task['id']}/schedule", {"start": start.isoformat()})
    assert answer.status_code == 200, answer.text
    await page.goto("/today")
    await page.get_by_role("button", name="See what would move").click()
    await expect(page.get_by_text("Everything can stay where it is.")).to_be_visible()
    await page.get_by_role("button", name="Leave all as it is").click()

    await add_event(ada, "Swimming", start)
    await page.get_by_role("button", name="See what would move").click()
    move = page.get_by_role("list", name="What would move").get_by_role("listitem")
    await expect(move).to_contain_text("Write the report")
    await expect(move).to_contain_text("Swimming")
    before = (await ada.get(f"/api/tasks/{task['id']}")).json()["schedule"]["start"]
    assert datetime.fromisoformat(before) == start
    await page.get_by_role("button", name="Move it", exact=True).click()
    await expect(page.get_by_text("1 task was moved.")).to_be_visible()
    after = (await ada.get(f"/api/tasks/{task['id']}")).json()["schedule"]["start"]
    assert datetime.fromisoformat(after) != start
    await page.get_by_role("button", name="Undo all").click()
    await expect(page.get_by_text("All are back where they were.")).to_be_visible()
    back = (await ada.get(f"/api/tasks/{task['id']}")).json()["schedule"]["start"]
    assert datetime.fromisoformat(back) == start


async def test_a_conversation_about_a_day_or_a_task_says_so(page: Page, ada: Person) -> None:
    await page.goto("/today")
    await page.get_by_role("button", name="Talk about this day").click()
    await expect(page).to_have_url(re.compile("/c/cnv_"))
    about = page.get_by_role("link", name=f"About {TODAY:%A} {TODAY.day} {TODAY:%B %Y}")
    await about.click()
    await expect(page).to_have_url(re.compile(f"/calendar\\?view=day&date={TODAY}"))
    task = await add_task(ada, "Order paint", 0)
    anchor = {"kind": "task", "id": task["id"]}
    conversation = (await ada.post("/api/conversations", {"anchor": anchor})).json()
    await page.goto(f"/c/{conversation['id']}")
    await expect(page.get_by_role("link", name="About the task “Order paint”")).to_be_visible()


async def test_a_thumb_sees_the_day_and_nobody_is_shut_out(phone: Page, ada: Person) -> None:
    await add_task(ada, "Renew the insurance", -3, duration_minutes=30)
    await phone.goto("/today")
    await expect(part(phone, "Overdue").get_by_role("link", name="Renew the insurance")).to_be_visible()
    assert await serious(phone) == []
    assert await phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await add_event(ada, "Dentist", datetime(TODAY.year, TODAY.month, TODAY.day, 12, tzinfo=MADRID))
    await part(phone, "Events").get_by_role("link", name="Dentist").tap()
    await expect(phone.get_by_role("dialog")).to_contain_text("Dentist")
