"""The calendar before a browser: written in words, dragged, repeated, contested, kept in settings."""

import re
from collections.abc import AsyncGenerator
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Locator, Page, expect
from tests.e2e.axe import serious
from tests.e2e.screen import NewContext, bearer, lane, show
from tests.e2e.watching import Watch
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.world import Json, Person, World

MADRID = ZoneInfo("Europe/Madrid")
PHONE = {"width": 390, "height": 844}
#: Whole weeks from now, so that no journey depends on the day on which it is made.
TODAY = datetime.now(MADRID).date()
MONDAY = TODAY + timedelta(days=21 - TODAY.weekday())


@pytest.fixture(autouse=True)
async def zone(ada: Person) -> None:
    await ada.client.patch("/api/me", json={"time_zone": "Europe/Madrid"})


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


def at(day: date, hour: int) -> str:
    return datetime(day.year, day.month, day.day, hour, tzinfo=MADRID).isoformat()


def span(start: str, end: str) -> str:
    """Write from when to when as the calendar does."""
    return f"{start} \N{EN DASH} {end}"


def spoken(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"


async def add(person: Person, title: str, day: date, hour: int = 10, **more: object) -> Json:
    body = {"title": title, "start": at(day, hour), "end": at(day, hour + 1), "time_zone": "Europe/Madrid"}
    answer = await person.post("/api/calendar/events", body | more)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def starts(person: Person, event: Json) -> str:
    """Return when an event starts now, by the clock in Madrid."""
    found = (await person.get(f"/api/calendar/events/{event['id']}")).json()
    return datetime.fromisoformat(found["start"]).astimezone(MADRID).strftime("%Y-%m-%d %H:%M")


def block(page: Page, title: str) -> Locator:
    return page.locator("[data-event]").filter(has_text=title)


async def test_an_event_is_written_in_words_seen_as_it_is_read_and_taken_back(
    page: Page, ada: Person
) -> None:
    friday = MONDAY + timedelta(days=4)
    await page.goto(f"/calendar?view=week&date={MONDAY}")
    await expect(page.get_by_role("group", name=spoken(friday))).to_be_visible()
    await page.keyboard.press("q")
    await page.keyboard.type(f"Lunch with Mara on {friday:%B} {friday.day} {friday.year} at 1 pm")
    await expect(page.get_by_role("status").filter(has_text="Lunch with Mara")).to_contain_text(
        spoken(friday)
    )
    assert (await ada.get(f"/api/calendar/events?start={MONDAY}&end={friday}")).json()["events"] == []
    await page.keyboard.press("Enter")
    await expect(block(page, "Lunch with Mara")).to_be_visible()

    await block(page, "Lunch with Mara").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text(f"{spoken(friday)}, {span('13:00', '14:00')}")
    await dialog.get_by_role("button", name="Edit").click()
    await dialog.get_by_label("Place").fill("Casa Pepe")
    await dialog.get_by_label("Start time").fill("13:30")
    await expect(dialog.get_by_label("End time")).to_have_value("14:30")
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_have_count(0)
    await expect(block(page, "Lunch with Mara")).to_have_accessible_name(
        f"Lunch with Mara {span('13:30', '14:30')}, {spoken(friday)}, Casa Pepe, Calendar"
    )

    await block(page, "Lunch with Mara").click()
    await dialog.get_by_role("button", name="Delete").click()
    await expect(block(page, "Lunch with Mara")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(block(page, "Lunch with Mara")).to_be_visible()


async def test_an_event_is_dragged_to_another_day_stretched_by_keys_and_put_back(
    page: Page, ada: Person
) -> None:
    event = await add(ada, "Dentist", MONDAY)
    await page.goto(f"/calendar?view=week&date={MONDAY}")
    box = await block(page, "Dentist").bounding_box()
    wednesday = await page.get_by_role("group", name=spoken(MONDAY + timedelta(days=2))).bounding_box()
    assert box
    assert wednesday
    await page.mouse.move(box["x"] + 20, box["y"] + 20)
    await page.mouse.down()
    await page.mouse.move(wednesday["x"] + 10, box["y"] + 60, steps=5)
    await page.mouse.move(wednesday["x"] + 20, box["y"] + 20 + 96, steps=5)
    await page.mouse.up()
    moved = MONDAY + timedelta(days=2)
    await expect(page.get_by_text(f"Now {spoken(moved)}, {span('12:00', '13:00')}")).to_be_visible()
    assert await starts(ada, event) == f"{moved} 12:00"
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_text("Back where it was.")).to_be_visible()
    assert await starts(ada, event) == f"{MONDAY} 10:00"

    there = page.get_by_role("group", name=spoken(MONDAY)).locator("[data-event]")
    await there.focus()
    await page.keyboard.press("Shift+ArrowRight")
    await page.keyboard.press("Control+Shift+ArrowDown")
    await page.keyboard.press("Enter")
    tuesday = MONDAY + timedelta(days=1)
    await expect(page.get_by_text(f"Now {spoken(tuesday)}, {span('10:00', '11:15')}")).to_be_visible()
    await expect(block(page, "Dentist")).to_be_focused()
    await page.keyboard.press("m")
    await expect(page.get_by_role("region", name=f"{MONDAY:%B %Y}")).to_be_visible()
    await page.keyboard.press("w")
    await page.keyboard.press("ArrowRight")
    await expect(page).to_have_url(re.compile(f"date={MONDAY + timedelta(days=7)}"))


async def test_one_time_of_a_series_is_changed_alone(page: Page, ada: Person) -> None:
    await add(ada, "Stand-up", MONDAY, rrule="FREQ=DAILY;COUNT=3")
    await page.goto(f"/calendar?view=week&date={MONDAY}")
    await expect(block(page, "Stand-up")).to_have_count(3)
    await block(page, "Stand-up").nth(1).click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Every day, 3 times")
    await dialog.get_by_role("button", name="Edit").click()
    await dialog.get_by_label("Title").fill("Long stand-up")
    await dialog.get_by_role("button", name="Save").click()
    await page.get_by_role("button", name="This time only").click()
    await expect(block(page, "Long stand-up")).to_have_count(1)
    await expect(page.get_by_role("button", name=re.compile("^Stand-up"))).to_have_count(2)


async def test_a_whole_series_that_was_moved_by_one_of_its_times_is_put_back(page: Page, ada: Person) -> None:
    series = await add(ada, "Stand-up", MONDAY, rrule="FREQ=DAILY;COUNT=3")
    await page.goto(f"/calendar?view=week&date={MONDAY}")
    await block(page, "Stand-up").nth(2).focus()
    await page.keyboard.press("Shift+ArrowRight")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="All times").click()
    await expect(page.get_by_text(f"Now {spoken(MONDAY + timedelta(days=3))}")).to_be_visible()
    assert await starts(ada, series) == f"{MONDAY + timedelta(days=1)} 10:00"
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_text("Back where it was.")).to_be_visible()
    assert await starts(ada, series) == f"{MONDAY} 10:00"


async def test_who_is_late_is_told_and_nothing_is_overwritten(page: Page, ada: Person) -> None:
    event = await add(ada, "Dentist", MONDAY)
    await page.goto(f"/calendar?view=day&date={MONDAY}&event={event['id']}")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Edit").click()
    await dialog.get_by_label("Title").fill("Dentist, at last")
    await ada.put(f"/api/calendar/events/{event['id']}", {"title": "Dentist in Porto"})
    await expect(block(page, "Dentist in Porto")).to_have_count(1)
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("changed elsewhere")
    await expect(dialog.get_by_label("Title")).to_have_value("Dentist, at last")
    assert (await ada.get(f"/api/calendar/events/{event['id']}")).json()["title"] == "Dentist in Porto"
    await dialog.get_by_role("button", name="Save").click()
    await expect(block(page, "Dentist, at last")).to_have_count(1)


async def test_a_phone_shows_the_day_and_nobody_is_shut_out(phone: Page, ada: Person) -> None:
    await add(ada, "Dentist", TODAY)
    await phone.goto("/calendar")
    await expect(phone.get_by_role("heading", name=spoken(TODAY))).to_be_visible()
    for view in ("Agenda", "Month", "Day"):
        await phone.get_by_role("navigation", name="What to show").get_by_role("link", name=view).tap()
        await expect(phone).to_have_url(re.compile(f"view={view.lower()}"))
        assert await serious(phone) == []
        assert await phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await block(phone, "Dentist").tap()
    await phone.get_by_role("button", name="Edit").tap()
    assert await serious(phone) == []
    assert await phone.get_by_role("dialog").evaluate("(box) => box.scrollWidth <= box.clientWidth")


async def test_calendars_and_working_hours_are_kept_in_the_settings(look: Page, ada: Person) -> None:
    await look.goto("/settings/calendars")
    added = look.get_by_role("region", name="Add a calendar")
    await added.get_by_label("Name").fill("Garden")
    await added.get_by_role("radio", name="Violet").check()
    await added.get_by_role("button", name="Add").click()
    await expect(look.get_by_role("heading", name="Garden")).to_be_visible()
    assert await serious(look) == []

    await look.get_by_role("button", name="More for Garden").click()
    await look.get_by_role("menuitem", name="Secret address…").click()
    await look.get_by_role("button", name="Make an address").click()
    address = (await look.get_by_role("region", name="Address").inner_text()).strip()
    assert "BEGIN:VCALENDAR" in (await ada.get(address)).text
    await look.keyboard.press("Escape")

    hours = look.get_by_role("region", name="Working hours")
    await hours.get_by_role("button", name="Add hours on Saturday").click()
    await hours.get_by_role("checkbox", name="In the morning").check()
    await hours.get_by_role("button", name="Save").click()
    await expect(hours.get_by_text("Saved.")).to_be_visible()
    kept = (await ada.get("/api/calendar/preferences")).json()
    assert kept["working_hours"]["saturday"] == [{"start": "09:00", "end": "17:00"}]
    assert kept["preferred_times"] == ["morning"]


async def test_an_event_made_in_a_conversation_is_a_card_that_leads_to_it(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    friday = MONDAY + timedelta(days=4)
    call = ScriptedCall(
        name="create_event", arguments=f'{{"title": "Lunch with Mara", "start_time": "{friday}T13:00"}}'
    )
    wrong = friday + timedelta(days=1)
    said = f"Done: it is on {spoken(wrong)}."
    provider.script("scripted-fast", Script(reply="", tool_calls=[call]), Script(reply=said))
    await show(page, await ada.start("Put lunch with Mara on Friday into my calendar"))
    asked = page.get_by_role("group", name="May it run create_event?")
    await expect(asked).to_contain_text(f"{friday:%A}")
    await expect(asked).to_contain_text("Europe/Madrid")
    await asked.get_by_role("button", name="Allow once").click()
    answer = lane(page, "scripted-fast")
    made = answer.get_by_role("list", name="What the models planned").get_by_role("link")
    await expect(made).to_contain_text(f"{spoken(friday)}, {span('13:00', '14:00')} (Europe/Madrid)")
    star = answer.get_by_role("list", name="The date in this answer is wrong")
    await expect(star).to_contain_text(f"{friday:%A} {friday.day} {friday:%B %Y}")

    await page.get_by_role("button", name="1 thing was planned here").click()
    await expect(page.get_by_role("dialog").get_by_role("link", name="Lunch with Mara")).to_be_visible()
    await page.keyboard.press("Escape")
    await made.click()
    await expect(page).to_have_url(re.compile(r"/calendar\?"))
    await expect(page.get_by_role("dialog")).to_contain_text(spoken(friday))
