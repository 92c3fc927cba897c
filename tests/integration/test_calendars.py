"""Calendars and events through the API: made, listed, changed and told to nobody else."""

import pytest
from tests.accounts_door import ok, refused
from tests.calendar_world import (
    add_event,
    change_event,
    export_text,
    list_events,
    list_own_calendars,
    list_starts,
    live_in_zone,
    remove_event,
)
from tests.world import Person, World, read_events

#: Every minute of an hour, or second of a minute.
SIXTY = ",".join(map(str, range(60)))


@pytest.mark.both_engines
async def test_everybody_has_a_calendar_from_the_start(ada: Person) -> None:
    (first,) = await list_own_calendars(ada)
    assert (first["kind"], first["name"], first["is_default"]) == ("builtin", "Calendar", True)
    assert ok(await ada.get(f"/api/calendars/{first['id']}")) == first
    assert "END:VCALENDAR" in await export_text(ada, first["id"])
    made = await add_event(ada, "Lunch", "2026-11-20T12:00:00+00:00", "2026-11-20T13:00:00+00:00")
    assert made["calendar_id"] == first["id"]
    assert await list_own_calendars(ada) == [first]
    refused(await ada.delete(f"/api/calendars/{first['id']}"), 409, "calendar_needed")


async def test_an_event_is_shown_in_the_zone_of_the_person(ada: Person) -> None:
    await live_in_zone(ada, "Europe/Madrid")
    made = await add_event(ada, "Dentist", "2026-07-01T10:00:00", "2026-07-01T10:30:00", reminders=[15])
    assert (made["start"], made["end"]) == ("2026-07-01T10:00:00+02:00", "2026-07-01T10:30:00+02:00")
    assert (made["time_zone"], made["weekday"], made["reminders"]) == ("Europe/Madrid", "Wednesday", [15])
    assert (made["all_day"], made["is_recurring"], made["recurrence_id"]) == (False, False, None)
    assert await list_events(ada, "2026-07-01", "2026-07-01") == [made]
    assert await list_events(ada, "2026-07-02", "2026-07-03") == []
    (elsewhere,) = await list_events(ada, "2026-07-01", "2026-07-01", "&zone=America/New_York")
    assert elsewhere["start"] == "2026-07-01T04:00:00-04:00"
    assert ok(await ada.get(f"/api/calendar/events/{made['id']}")) == made


async def test_an_all_day_event_ends_on_the_day_after(ada: Person) -> None:
    await live_in_zone(ada, "America/New_York")
    made = await add_event(ada, "Fair", "2026-03-07", "2026-03-09", all_day=True)
    assert (made["start"], made["end"], made["all_day"]) == ("2026-03-07", "2026-03-09", True)
    assert len(await list_events(ada, "2026-03-08", "2026-03-08")) == 1
    assert await list_events(ada, "2026-03-09", "2026-03-09") == []
    assert await list_events(ada, "2026-03-06", "2026-03-06") == []


async def test_fields_change_and_the_rest_stays(ada: Person) -> None:
    made = await add_event(ada, "Dentist", "2026-07-01T10:00:00Z", "2026-07-01T10:30:00Z", location="Town")
    changed = await change_event(ada, made, title="Dentist, again", transparent=True)
    assert changed == made | {"title": "Dentist, again", "transparent": True, "revision": 2}
    moved = await change_event(ada, changed, start="2026-07-02T09:00:00Z")
    assert (moved["start"], moved["end"]) == ("2026-07-02T09:00:00+00:00", "2026-07-02T09:30:00+00:00")
    whole = await change_event(ada, moved, start="2026-07-02", end="2026-07-03", all_day=True)
    assert (whole["start"], whole["all_day"]) == ("2026-07-02", True)


async def test_who_saw_an_earlier_revision_is_told(ada: Person) -> None:
    made = await add_event(ada, "Dentist", "2026-07-01T10:00:00Z", "2026-07-01T10:30:00Z")
    await change_event(ada, made, title="Doctor")
    stale = {"title": "Surgeon", "revision": made["revision"]}
    refused(await ada.put(f"/api/calendar/events/{made['id']}", stale), 409, "event_changed")
    path = f"/api/calendar/events/{made['id']}?revision={made['revision']}"
    refused(await ada.delete(path), 409, "event_changed")


async def test_what_makes_no_sense_is_refused(ada: Person) -> None:
    body = {"title": "Lunch", "start": "2026-07-01T10:00:00Z", "end": "2026-07-01T11:00:00Z"}
    for values, code in (
        ({"end": "2026-07-01T09:00:00Z"}, "event_times_reversed"),
        ({"end": "2026-07-02"}, "event_time_invalid"),
        ({"time_zone": "Europe/Atlantis"}, "event_time_invalid"),
        ({"rrule": "FREQ=SECONDLY"}, "event_rule_invalid"),
        ({"rrule": f"FREQ=DAILY;BYMINUTE={SIXTY};BYSECOND={SIXTY}"}, "event_rule_invalid"),
        ({"rrule": "FREQ=HOURLY;BYMINUTE=0,30"}, "event_rule_invalid"),
        ({"rrule": "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"}, "event_rule_invalid"),
        ({"rrule": "FREQ=DAILY;COUNT=2;UNTIL=20270101"}, "event_rule_invalid"),
        ({"rrule": "FREQ=DAILY;UNTIL=20250101"}, "event_rule_invalid"),
        ({"rrule": "FREQ=DAILY\nX"}, "invalid_request"),
        ({"start": "next week"}, "invalid_request"),
        ({"reminders": [-5]}, "invalid_request"),
        ({"start": "1500-01-01T00:00:00Z"}, "event_time_invalid"),
    ):
        refused(await ada.post("/api/calendar/events", body | values), 422, code)
    assert await list_events(ada, "2026-07-01", "2026-07-02") == []


async def test_too_much_time_is_not_looked_through(ada: Person) -> None:
    answer = await ada.get("/api/calendar/events?start=1990-01-01&end=2050-01-01")
    refused(answer, 422, "event_range_too_long")


async def test_one_time_of_a_series_differs_and_the_series_goes_on(ada: Person) -> None:
    await live_in_zone(ada, "Europe/Berlin")
    made = await add_event(
        ada, "Stand-up", "2026-03-23T09:00:00", "2026-03-23T09:15:00", rrule="FREQ=WEEKLY;BYDAY=MO"
    )
    assert made["recurrence_id"] == "20260323T080000Z"
    _, second, third = await list_events(ada, "2026-03-23", "2026-04-06")
    assert [second["start"], third["start"]] == ["2026-03-30T09:00:00+02:00", "2026-04-06T09:00:00+02:00"]
    moved = await change_event(ada, second, "this", start="2026-03-31T11:00:00+02:00", title="Stand-up, late")
    assert (moved["is_exception"], moved["recurrence_id"]) == (True, second["recurrence_id"])
    assert (moved["end"], moved["title"]) == ("2026-03-31T11:15:00+02:00", "Stand-up, late")
    assert await list_starts(ada, "2026-03-23", "2026-04-06") == [
        "2026-03-23T09:00:00+01:00",
        "2026-03-31T11:00:00+02:00",
        "2026-04-06T09:00:00+02:00",
    ]
    await remove_event(ada, moved, "this")
    assert await list_starts(ada, "2026-03-24", "2026-04-06") == ["2026-04-06T09:00:00+02:00"]


async def test_times_that_follow_become_a_series_of_their_own(ada: Person) -> None:
    made = await add_event(
        ada, "Class", "2026-01-05T10:00:00Z", "2026-01-05T11:00:00Z", rrule="FREQ=WEEKLY;COUNT=6"
    )
    times = await list_events(ada, "2026-01-01", "2026-03-01")
    await change_event(ada, times[4], "this", title="Exam")
    third = (await list_events(ada, "2026-01-01", "2026-03-01"))[2]
    later = await change_event(ada, third, "following", start="2026-01-20T12:00:00Z")
    assert later["id"] != made["id"]
    assert later["uid"] != made["uid"]
    shown = await list_events(ada, "2026-01-01", "2026-03-01")
    assert [(event["start"][5:16], event["title"]) for event in shown] == [
        ("01-05T10:00", "Class"),
        ("01-12T10:00", "Class"),
        ("01-20T12:00", "Class"),
        ("01-27T12:00", "Class"),
        ("02-03T12:00", "Exam"),
        ("02-10T12:00", "Class"),
    ]
    assert [event["id"] for event in shown] == [made["id"]] * 2 + [later["id"]] * 4


@pytest.mark.both_engines
async def test_a_whole_series_moves_and_its_exceptions_stay_where_they_fit(ada: Person) -> None:
    await live_in_zone(ada, "Europe/Berlin")
    made = await add_event(
        ada, "Class", "2026-03-02T10:00:00", "2026-03-02T11:00:00", rrule="FREQ=WEEKLY;BYDAY=MO;COUNT=6"
    )
    times = await list_events(ada, "2026-03-01", "2026-05-01")
    await change_event(ada, times[1], "this", title="Test")
    times = await list_events(ada, "2026-03-01", "2026-05-01")
    own = await change_event(ada, times[2], "this", start="2026-03-18T15:00:00", end="2026-03-18T17:00:00")
    fourth = (await list_events(ada, "2026-03-01", "2026-05-01"))[3]
    await remove_event(ada, fourth, "this")
    last = (await list_events(ada, "2026-03-01", "2026-05-01"))[-1]
    assert last["start"] == "2026-04-06T10:00:00+02:00"
    moved = await change_event(ada, last, "all", start="2026-04-07T08:30:00", location="Hall")
    assert (moved["id"], moved["start"]) == (made["id"], "2026-03-03T08:30:00+01:00")
    shown = await list_events(ada, "2026-03-01", "2026-05-01")
    assert [(event["start"][5:16], event["title"], event["location"]) for event in shown] == [
        ("03-03T08:30", "Class", "Hall"),
        ("03-10T08:30", "Test", "Hall"),
        ("03-18T15:00", "Class", "Hall"),
        ("03-31T08:30", "Class", "Hall"),
        ("04-07T08:30", "Class", "Hall"),
    ]
    assert own["recurrence_id"] != shown[2]["recurrence_id"], "it stands for the moved time now"


@pytest.mark.both_engines
async def test_a_deleted_event_comes_back(ada: Person) -> None:
    made = await add_event(
        ada, "Class", "2026-01-05T10:00:00Z", "2026-01-05T11:00:00Z", rrule="FREQ=WEEKLY;COUNT=4"
    )
    times = await list_events(ada, "2026-01-01", "2026-03-01")
    for scope, left in (("this", 3), ("following", 2), ("all", 0)):
        third = next(
            event
            for event in await list_events(ada, "2026-01-01", "2026-03-01")
            if event["recurrence_id"] == times[2]["recurrence_id"]
        )
        deletion = await remove_event(ada, third, scope)
        assert len(await list_events(ada, "2026-01-01", "2026-03-01")) == left
        answer = await ada.post(f"/api/deletions/{deletion['id']}/restore")
        assert answer.status_code == 204, answer.text
        assert len(await list_events(ada, "2026-01-01", "2026-03-01")) == 4
    deletion = await remove_event(ada, times[1], "this")
    current = ok(await ada.get(f"/api/calendar/events/{made['id']}"))
    await change_event(ada, current, title="Course")
    refused(await ada.post(f"/api/deletions/{deletion['id']}/restore"), 409, "event_changed")


@pytest.mark.both_engines
async def test_calendars_are_made_changed_and_deleted(ada: Person) -> None:
    made = ok(await ada.post("/api/calendars", {"kind": "builtin", "name": "Work", "color": "#AA0000"}), 201)
    assert (made["name"], made["color"], made["kind"]) == ("Work", "#aa0000", "builtin")
    changed = ok(await ada.put(f"/api/calendars/{made['id']}", {"is_default": True, "is_blocking": False}))
    assert (changed["is_default"], changed["is_blocking"]) == (True, False)
    assert [calendar["is_default"] for calendar in await list_own_calendars(ada)] == [False, True]
    event = await add_event(ada, "Talk", "2026-07-01T10:00:00Z", "2026-07-01T10:30:00Z")
    assert event["calendar_id"] == made["id"]
    first = (await list_own_calendars(ada))[0]
    moved = await change_event(ada, event, calendar_id=first["id"])
    assert (moved["calendar_id"], moved["id"]) == (first["id"], event["id"])
    await change_event(ada, moved, calendar_id=made["id"])
    deletion = ok(await ada.delete(f"/api/calendars/{made['id']}"))
    assert await list_events(ada, "2026-07-01", "2026-07-01") == []
    refused(await ada.get(f"/api/calendar/events/{event['id']}"), 404, "not_found")
    assert [calendar["is_default"] for calendar in await list_own_calendars(ada)] == [True]
    await ada.post(f"/api/deletions/{deletion['id']}/restore")
    assert len(await list_events(ada, "2026-07-01", "2026-07-01")) == 1


@pytest.mark.both_engines
async def test_events_are_found_by_their_words(ada: Person) -> None:
    await add_event(ada, "Visit to Öhringen", "2026-07-01T10:00:00Z", "2026-07-01T10:30:00Z")
    await add_event(ada, "Lunch", "2026-07-01T12:00:00Z", "2026-07-01T12:30:00Z", location="Old inn, 100%")
    for text, titles in (
        ("öHR", ["Visit to Öhringen"]),
        ("100%25", ["Lunch"]),
        ("inn", ["Lunch"]),
        ("_", []),
    ):
        found = await list_events(ada, "2026-07-01", "2026-07-01", f"&q={text}")
        assert [event["title"] for event in found] == titles


async def test_nobody_else_sees_them(ada: Person, world: World) -> None:
    event = await add_event(ada, "Secret", "2026-07-01T10:00:00Z", "2026-07-01T10:30:00Z")
    bea = await world.person(like=ada)
    assert await list_events(bea, "2026-07-01", "2026-07-01") == []
    assert (await list_own_calendars(bea))[0]["id"] != event["calendar_id"]
    refused(await bea.get(f"/api/calendar/events/{event['id']}"), 404, "not_found")
    chosen = f"/api/calendar/events?start=2026-07-01&end=2026-07-01&calendars={event['calendar_id']}"
    refused(await bea.get(chosen), 404, "not_found")


async def test_ones_own_devices_hear_of_changes_and_nobody_else(ada: Person, world: World) -> None:
    bea = await world.person(like=ada)
    async with ada.client.stream("GET", "/api/events?after=0") as stream:
        await add_event(ada, "Secret", "2026-07-01T10:00:00Z", "2026-07-01T10:30:00Z")
        async for event in read_events(stream):
            if event["type"] == "calendars.changed":
                assert event.keys() == {"type", "id", "seq"}
                break
    async with bea.client.stream("GET", "/api/events?after=0") as stream:
        await bea.post("/api/conversations", {"title": "Something else"})
        async for event in read_events(stream):
            assert event["type"] != "calendars.changed"
            break


@pytest.mark.both_engines
async def test_a_conversation_knows_what_was_made_in_it(ada: Person, world: World) -> None:
    conversation = ok(await ada.post("/api/conversations", {"title": "Trip"}), 201)["id"]
    link = {"conversation_id": conversation}
    made = await add_event(ada, "Train", "2026-07-01T10:00:00Z", "2026-07-01T10:30:00Z", link=link)
    created = f"/api/conversations/{conversation}/created"
    assert ok(await ada.get(created))["events"] == [made]
    bea = await world.person(like=ada)
    await ada.put(f"/api/conversations/{conversation}", {"visibility": "workspace"})
    assert ok(await bea.get(created))["events"] == [], "her calendar stays hers"
    answer = await ada.delete(f"/api/conversations/{conversation}")
    assert answer.status_code == 204, answer.text
    assert len(await list_events(ada, "2026-07-01", "2026-07-01")) == 1
