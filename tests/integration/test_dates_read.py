"""Days and times in words through the API."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from tests.accounts_door import ok, refused
from tests.planner_world import live_in
from tests.world import Json, Person


async def read(person: Person, text: str, **more: str) -> Json:
    return ok(await person.post("/api/dates/read", {"text": text, **more}))


async def test_words_are_read_as_people_see_them_before_they_are_saved(ada: Person) -> None:
    found = await read(ada, "Dentist on 20 November 2026 at 4 pm", zone="Europe/Madrid")
    assert found == {
        "start": "2026-11-20T16:00:00+01:00",
        "end": None,
        "all_day": False,
        "rrule": "",
        "said": "on 20 November 2026 at 4 pm",
        "rest": "Dentist",
        "reading": "Friday 20 November 2026, 16:00 (Europe/Madrid)",
        "note": "",
        "zone": "Europe/Madrid",
    }


async def test_days_and_rules_are_read_without_times(ada: Person) -> None:
    found = await read(ada, "Conference from 7 to 9 December 2026")
    assert (found["start"], found["end"], found["all_day"]) == ("2026-12-07", "2026-12-10", True)
    assert found["reading"] == "Monday 7 December 2026 \u2013 Wednesday 9 December 2026"
    weekly = await read(ada, "Standup every Tuesday at 9:15")
    assert weekly["rrule"] == "FREQ=WEEKLY;BYDAY=TU"
    assert weekly["reading"].endswith("(UTC), every week on Tuesday")


@pytest.mark.both_engines
async def test_the_zone_of_the_profile_comes_before_that_of_the_browser(ada: Person) -> None:
    zone = "Asia/Tokyo"
    assert (await read(ada, "now plus nothing, at noon", zone=zone))["zone"] == zone
    await live_in(ada, "America/New_York")
    found = await read(ada, "tomorrow at noon", zone=zone)
    assert found["zone"] == "America/New_York"
    start = datetime.fromisoformat(found["start"])
    assert start.astimezone(ZoneInfo("America/New_York")).hour == 12
    ok(await ada.put("/api/calendar/preferences", {"time_zone": "Europe/Lisbon"}))
    assert (await read(ada, "tomorrow at noon", zone=zone))["zone"] == "Europe/Lisbon"


@pytest.mark.parametrize("text", ["", "Buy milk", "Friday or Monday", "\n", "version 3.12.4"])
async def test_where_nothing_is_read_a_sentence_says_so(ada: Person, text: str) -> None:
    refused(await ada.post("/api/dates/read", {"text": text}), 422, "nothing_read")


async def test_an_unknown_zone_is_refused(ada: Person) -> None:
    assert (await ada.post("/api/dates/read", {"text": "tomorrow", "zone": "Mars/Base"})).status_code == 422


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "2031-02-30"])
async def test_days_that_no_calendar_has_are_refused_wherever_a_program_names_one(
    ada: Person, day: str
) -> None:
    answers = [
        await ada.get(f"/api/today?date={day}"),
        await ada.get(f"/api/calendar/events?start=2031-11-21&end={day}"),
        await ada.post("/api/calendar/events", {"title": "Lunch", "start": day}),
        await ada.post("/api/tasks", {"title": "Report", "due_date": day}),
        await ada.post("/api/conversations", {"anchor": {"kind": "day", "id": day}}),
    ]
    assert [answer.status_code for answer in answers] == [422] * len(answers)
    assert all("isoformat" not in answer.text for answer in answers)
