"""Free time through the API: preferences, slots, and questions of what would be."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from tests.accounts_door import ok, refused
from tests.world import Json, Person, World

from tertulia.core.clock import now

#: A Friday and the Monday after it, far from any change of clocks.
FRIDAY, MONDAY = "2030-11-22", "2030-11-25"


async def find(person: Person, **question: Any) -> Json:
    body = {"duration_minutes": 60, "start_date": FRIDAY, "end_date": FRIDAY, **question}
    return ok(await person.post("/api/calendar/slots", body))


async def starts(person: Person, **question: Any) -> list[str]:
    return [slot["start"] for slot in (await find(person, **question))["slots"]]


async def add_event(person: Person, title: str, start: str, end: str, **more: Any) -> Json:
    body = {"title": title, "start": start, "end": end, **more}
    return ok(await person.post("/api/calendar/events", body), 201)


async def test_people_work_from_nine_to_five_until_they_say_otherwise(ada: Person) -> None:
    nine_to_five = [{"start": "09:00", "end": "17:00"}]
    found = ok(await ada.get("/api/calendar/preferences"))
    assert found["working_hours"]["monday"] == found["working_hours"]["friday"] == nine_to_five
    assert found["working_hours"]["saturday"] == found["working_hours"]["sunday"] == []
    assert (found["time_zone"], found["buffer_minutes"], found["preferred_times"]) == ("UTC", 0, [])


@pytest.mark.both_engines
async def test_what_is_left_out_of_a_change_stays_as_it_is(ada: Person) -> None:
    split = [{"start": "08:00", "end": "12:00"}, {"start": "14:00", "end": "18:30"}]
    ok(await ada.put("/api/calendar/preferences", {"working_hours": {"tuesday": split[::-1], "friday": []}}))
    ok(await ada.put("/api/calendar/preferences", {"buffer_minutes": 10}))
    changed = ok(
        await ada.put(
            "/api/calendar/preferences",
            {"time_zone": "Europe/Madrid", "preferred_times": ["evening", "morning"]},
        )
    )
    assert changed == ok(await ada.get("/api/calendar/preferences"))
    assert changed["working_hours"]["tuesday"] == split
    assert changed["working_hours"]["friday"] == []
    assert changed["working_hours"]["monday"] == [{"start": "09:00", "end": "17:00"}]
    assert (changed["buffer_minutes"], changed["time_zone"]) == (10, "Europe/Madrid")
    assert changed["preferred_times"] == ["evening", "morning"]


@pytest.mark.parametrize(
    "hours",
    [
        {"monday": [{"start": "22:00", "end": "02:00"}]},
        {"monday": [{"start": "9", "end": "26:00"}]},
        {"monday": [{"start": "nine", "end": "ten"}]},
        {"monday": [{"start": "09:00", "end": "12:00"}, {"start": "11:00", "end": "13:00"}]},
        {"someday": [{"start": "09:00", "end": "12:00"}]},
    ],
)
async def test_hours_that_no_day_has_are_refused(ada: Person, hours: Json) -> None:
    answer = await ada.put("/api/calendar/preferences", {"working_hours": hours})
    assert answer.status_code == 422, answer.text


async def test_slots_lie_within_working_hours_and_come_in_order(ada: Person) -> None:
    found = await find(ada, end_date=MONDAY)
    assert found["slots"][0] == {"start": f"{FRIDAY}T09:00:00+00:00", "end": f"{FRIDAY}T10:00:00+00:00"}
    assert found["slots"] == sorted(found["slots"], key=lambda slot: datetime.fromisoformat(slot["start"]))
    assert found["slots"][-1]["end"] == f"{MONDAY}T17:00:00+00:00"
    assert len(found["slots"]) == 2 * 29, "every quarter of an hour of two days: nobody works at the weekend"
    assert (found["more"], found["zone"]) == (False, "UTC")


async def test_as_many_slots_as_asked_and_whether_there_are_more(ada: Person) -> None:
    assert (await find(ada, limit=29))["more"] is False
    first = await find(ada, limit=28)
    assert (len(first["slots"]), first["more"]) == (28, True)


@pytest.mark.both_engines
async def test_what_if_times_block_beside_the_calendar(ada: Person) -> None:
    await add_event(ada, "Meeting", f"{FRIDAY}T09:00:00Z", f"{FRIDAY}T12:00:00Z")
    busy = [{"start": f"{FRIDAY}T13:00", "end": f"{FRIDAY}T15:50:00+00:00", "title": "What if"}]
    assert await starts(ada, busy=busy) == [
        f"{FRIDAY}T{time}:00+00:00" for time in ("12:00", "15:50", "16:00")
    ]
    alone = await starts(ada, busy=busy, calendars=[])
    assert alone[0] == f"{FRIDAY}T09:00:00+00:00"
    assert f"{FRIDAY}T12:15:00+00:00" not in alone


@pytest.mark.both_engines
async def test_recurring_all_day_transparent_and_cancelled_events(ada: Person) -> None:
    await add_event(
        ada, "Standup", "2030-11-04T09:00:00Z", "2030-11-04T09:30:00Z", rrule="FREQ=WEEKLY;BYDAY=MO,FR"
    )
    await add_event(ada, "Reading", f"{FRIDAY}T10:00:00Z", f"{FRIDAY}T16:00:00Z", transparent=True)
    await add_event(ada, "Holiday", MONDAY, "2030-11-26", all_day=True)
    found = await starts(ada, end_date=MONDAY)
    assert found[0] == f"{FRIDAY}T09:30:00+00:00"
    assert len(found) == 27
    assert not any(start.startswith(MONDAY) for start in found)


async def test_only_events_of_the_calendars_named_block(ada: Person) -> None:
    other = ok(await ada.post("/api/calendars", {"kind": "builtin", "name": "Club", "color": "#888888"}), 201)
    await add_event(ada, "Match", f"{FRIDAY}T09:00:00Z", f"{FRIDAY}T16:00:00Z", calendar_id=other["id"])
    assert await starts(ada) == [f"{FRIDAY}T16:00:00+00:00"]
    own = next(
        calendar
        for calendar in ok(await ada.get("/api/calendars"))["calendars"]
        if calendar["id"] != other["id"]
    )
    assert len(await starts(ada, calendars=[own["id"]])) == 29
    refused(
        await ada.post(
            "/api/calendar/slots",
            {"duration_minutes": 30, "start_date": FRIDAY, "end_date": FRIDAY, "calendars": ["cal_nobodys"]},
        ),
        404,
        "not_found",
    )


@pytest.mark.parametrize(
    "hours",
    [
        {"friday": [{"start": "10:00", "end": "11:30"}]},
        {"Fri": [{"start": "10:00", "end": "11:30"}], "monday": None},
        {"friday": {"start": "10:00", "end": "11:30"}},
        {"start": "10:00", "end": "11:30"},
        [{"start": "10:00", "end": "11:30"}],
    ],
)
async def test_hours_are_given_by_weekday_or_for_every_day(ada: Person, hours: Any) -> None:
    assert await starts(ada, working_hours=hours) == [
        f"{FRIDAY}T{time}:00+00:00" for time in ("10:00", "10:15", "10:30")
    ]


async def test_hours_for_every_day_are_those_of_weekends_too(ada: Person) -> None:
    saturday = "2030-11-23"
    hours = {"start": "23:00", "end": "24:00"}
    assert await starts(ada, start_date=saturday, end_date=saturday, working_hours=hours) == [
        f"{saturday}T23:00:00+00:00"
    ]


async def test_parts_of_a_day_and_evenings_after_work(ada: Person) -> None:
    morning = await starts(ada, preferred_time="morning")
    assert (morning[0][11:16], morning[-1][11:16]) == ("09:00", "11:00")
    afternoon = await starts(ada, preferred_time="afternoon")
    assert (afternoon[0][11:16], afternoon[-1][11:16]) == ("12:00", "16:00")
    evening = await starts(ada, preferred_time="evening", end_date="2030-11-24")
    assert (evening[0], evening[-1]) == (f"{FRIDAY}T17:00:00+00:00", f"{FRIDAY}T20:00:00+00:00")
    late = {"friday": [{"start": "14:00", "end": "22:30"}]}
    evening = await starts(ada, preferred_time="evening", working_hours=late)
    assert (evening[0][11:16], evening[-1][11:16]) == ("17:00", "21:30")


async def test_buffers_steps_and_zones(ada: Person) -> None:
    busy = [{"start": f"{FRIDAY}T10:30", "end": f"{FRIDAY}T15:00"}]
    question = {"busy": busy, "buffer_minutes": 15, "step_minutes": 30, "zone": "Asia/Tokyo"}
    assert await starts(ada, **question) == [
        f"{FRIDAY}T{time}:00+09:00" for time in ("09:00", "15:15", "15:30", "16:00")
    ]
    ok(await ada.put("/api/calendar/preferences", {"buffer_minutes": 60}))
    assert await starts(ada, busy=busy) == [f"{FRIDAY}T16:00:00+00:00"]


async def test_days_are_written_or_said_and_times_narrow_them(ada: Person) -> None:
    assert await starts(ada, start_date=f"{FRIDAY}T15:05", end_date=f"{FRIDAY}T16:30") == [
        f"{FRIDAY}T{time}:00+00:00" for time in ("15:05", "15:15", "15:30")
    ]
    ok(
        await ada.post(
            "/api/calendar/slots", {"duration_minutes": 30, "start_date": "today", "end_date": "in two weeks"}
        )
    )


async def test_a_weekday_at_the_end_is_the_one_after_the_start(ada: Person) -> None:
    question = {"duration_minutes": 60, "start_date": "next Monday", "end_date": "Friday"}
    slots = ok(await ada.post("/api/calendar/slots", question))["slots"]
    first, last = (datetime.fromisoformat(slots[place]["start"]).date() for place in (0, -1))
    assert (first.weekday(), last - first) == (0, timedelta(days=4))


async def test_of_today_only_what_is_to_come_is_free(ada: Person) -> None:
    today = now().date()
    all_day = {
        name: [{"start": "00:00", "end": "24:00"}]
        for name in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    }
    ok(await ada.put("/api/calendar/preferences", {"working_hours": all_day}))
    begin = now()
    found = await starts(
        ada, start_date=str(today), end_date=str(today + timedelta(days=1)), duration_minutes=15
    )
    assert begin <= datetime.fromisoformat(found[0]) <= begin + timedelta(minutes=16)
    whole = await starts(ada, start_date=str(today), end_date=str(today), busy=[], duration_minutes=15)
    assert whole[0] == f"{today}T00:00:00+00:00", "a what-if question is about the whole day"


@pytest.mark.parametrize(
    "question",
    [
        {"start_date": MONDAY, "end_date": FRIDAY},
        {"start_date": "2030-01-01", "end_date": "2032-01-01"},
        {"start_date": "whenever"},
        {"start_date": "2030-02-30"},
        {"duration_minutes": 0},
        {"busy": [{"start": f"{FRIDAY}T12:00", "end": f"{FRIDAY}T11:00"}]},
        {"busy": [{"start": "soon", "end": "later"}]},
        {"working_hours": {"friday": [{"start": "17:00", "end": "09:00"}]}},
        {"preferred_time": "dusk"},
    ],
)
async def test_questions_that_cannot_be_answered_say_why(ada: Person, question: Json) -> None:
    body = {"duration_minutes": 60, "start_date": FRIDAY, "end_date": FRIDAY, **question}
    answer = await ada.post("/api/calendar/slots", body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["error"]["message"]


@pytest.mark.both_engines
async def test_the_calendar_of_others_takes_none_of_my_time(ada: Person, world: World) -> None:
    bea = await world.person(like=ada)
    await add_event(bea, "Hers", f"{FRIDAY}T09:00:00Z", f"{FRIDAY}T17:00:00Z")
    assert len(await starts(ada)) == 29
    assert await starts(bea) == []
    ok(await bea.put("/api/calendar/preferences", {"buffer_minutes": 45}))
    assert ok(await ada.get("/api/calendar/preferences"))["buffer_minutes"] == 0


async def test_a_day_on_which_clocks_are_changed(ada: Person) -> None:
    day = str(date(2026, 10, 25))
    hours = {"sunday": [{"start": "02:00", "end": "03:00"}]}
    found = await starts(
        ada, start_date=day, end_date=day, zone="Europe/Madrid", working_hours=hours, step_minutes=60
    )
    assert found == [f"{day}T02:00:00+02:00", f"{day}T02:00:00+01:00"]
