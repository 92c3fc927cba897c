"""Calendar files: imported, exported and subscribed to, with nothing lost and nothing doubled."""

import time

import httpx2
import pytest
from tests.accounts_door import ok, refused
from tests.calendar_world import (
    add_event,
    calendar_file,
    change_event,
    export_text,
    import_text,
    list_events,
    list_own_calendars,
    list_starts,
    live_in_zone,
    remove_event,
)
from tests.world import Person, World

from tertulia.accounts import users
from tertulia.accounts.domain import MemberStatus

RICH = """
UID:rich@elsewhere
DTSTAMP:20260101T000000Z
SUMMARY:Review\\, quarterly
DTSTART;TZID=W. Europe Standard Time:20260309T093000
DTEND;TZID=W. Europe Standard Time:20260309T103000
RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=5
EXDATE;TZID=W. Europe Standard Time:20260316T093000
ATTENDEE;CN="Mara; the boss";PARTSTAT=ACCEPTED;X-NUM=0:mailto:mara@example.org
CONFERENCE;VALUE=URI;FEATURE=AUDIO:tel:+1-555-0100
X-ELSEWHERE-MOOD;X-LEVEL=3:a\\,b\\;c
BEGIN:VALARM
ACTION:EMAIL
TRIGGER:-PT30M
SUMMARY:Review
DESCRIPTION:Soon
ATTENDEE:mailto:mara@example.org
END:VALARM
BEGIN:X-PART
X-INSIDE:kept
END:X-PART
"""
OVERRIDE = """
UID:rich@elsewhere
RECURRENCE-ID;TZID=W. Europe Standard Time:20260323T093000
DTSTART;TZID=W. Europe Standard Time:20260324T140000
DTEND;TZID=W. Europe Standard Time:20260324T150000
SUMMARY:Review elsewhere
"""


async def first_calendar(person: Person) -> str:
    return (await list_own_calendars(person))[0]["id"]


@pytest.mark.both_engines
async def test_a_file_goes_in_and_comes_out_with_all_that_it_says(ada: Person) -> None:
    await live_in_zone(ada, "Europe/Berlin")
    calendar = await first_calendar(ada)
    report = await import_text(ada, calendar, calendar_file(RICH, OVERRIDE))
    assert (report["created"], report["replaced"], report["skipped"]) == (1, 0, [])
    assert await list_starts(ada, "2026-03-01", "2026-05-01") == [
        "2026-03-09T09:30:00+01:00",
        "2026-03-24T14:00:00+01:00",
        "2026-03-30T09:30:00+02:00",
        "2026-04-06T09:30:00+02:00",
    ]
    first = (await list_events(ada, "2026-03-09", "2026-03-09"))[0]
    assert (first["title"], first["reminders"]) == ("Review, quarterly", [30])
    await change_event(ada, first, title="Check; up", reminders=[30, 5])
    text = await export_text(ada, calendar)
    for line in RICH.strip().splitlines():
        if not line.startswith(("SUMMARY:Review\\,", "DTSTAMP")):
            assert line in text, line
    assert r"SUMMARY:Check\; up" in text
    assert "SUMMARY:Review elsewhere" in text
    assert text.count("BEGIN:VALARM") == 2


@pytest.mark.both_engines
async def test_the_same_file_again_changes_nothing_and_a_newer_one_replaces(ada: Person) -> None:
    calendar = await first_calendar(ada)
    await import_text(ada, calendar, calendar_file(RICH, OVERRIDE))
    again = await import_text(ada, calendar, calendar_file(RICH, OVERRIDE))
    assert (again["created"], again["replaced"], again["unchanged"]) == (0, 0, 1)
    newer = await import_text(ada, calendar, calendar_file(RICH.replace("COUNT=5", "COUNT=2")))
    assert (newer["created"], newer["replaced"]) == (0, 1)
    assert len(await list_events(ada, "2026-03-01", "2026-05-01")) == 1


async def test_what_stays_out_is_told(ada: Person) -> None:
    calendar = await first_calendar(ada)
    text = calendar_file(
        "UID:1\nDTSTART:20260701T100000Z\nSUMMARY:Fine",
        "UID:2\nSUMMARY:Without a start",
        "UID:3\nDTSTART:20260701T100000Z\nRRULE:FREQ=SECONDLY\nSUMMARY:Explodes",
        "DTSTART;VALUE=DATE:20260702\nSUMMARY:Without a UID",
    ).replace("END:VCALENDAR", "BEGIN:VTODO\r\nUID:4\r\nEND:VTODO\r\nEND:VCALENDAR")
    report = await import_text(ada, calendar, "\ufeff" + text)
    assert (report["created"], report["skipped_count"]) == (2, 3)
    assert [skipped["title"] for skipped in report["skipped"]] == ["Without a start", "Explodes", ""]
    assert report["skipped"][0]["reason"] == "An event has no start."
    assert report["skipped"][2]["reason"] == "Only events are kept: 1 task left out."
    assert (await import_text(ada, calendar, text))["unchanged"] == 2


async def test_what_is_no_calendar_is_refused(ada: Person) -> None:
    calendar = await first_calendar(ada)
    path = f"/api/calendars/{calendar}/import"
    for text in ("hello", "BEGIN:VCALENDAR\r\n", "<html></html>", "BEGIN:VEVENT\r\nEND:VEVENT\r\n"):
        refused(await ada.post(path, {"ics": text}), 422, "calendar_text_invalid")
    far = calendar_file(
        "UID:a\nDTSTART:99991231T235959Z\nRRULE:FREQ=DAILY",
        "UID:b\nDTSTART;VALUE=DATE:20260101\nDURATION:P99999999D",
        "UID:c\nDTSTART;TZID=Asia/Tokyo:20260101T000000\nRDATE:99991231T235959Z",
        "UID:d\nDTSTART:00010101T000000Z\nDTEND:20260101T000000Z",
    )
    assert (await import_text(ada, calendar, far))["skipped_count"] == 4
    deep = "BEGIN:VCALENDAR\n" + "BEGIN:VEVENT\n" * 500 + "END:VEVENT\n" * 500 + "END:VCALENDAR\n"
    refused(await ada.post(path, {"ics": deep}), 422, "calendar_text_invalid")


async def test_bombs_do_not_hang(ada: Person) -> None:
    calendar = await first_calendar(ada)
    never = "DTSTART:20260101T000000Z\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"
    hourly = "DTSTART:19010101T000000Z\nDTEND:19011231T000000Z\nRRULE:FREQ=HOURLY"
    lasting = "UID:l\nDTSTART:19010101T000000Z\nDTEND:19991231T000000Z\nRRULE:FREQ=HOURLY"
    started = time.monotonic()
    rules = [f"UID:{number}\n{never}" for number in range(20)]
    report = await import_text(ada, calendar, calendar_file(*rules, f"UID:h\n{hourly}", lasting))
    assert (report["created"], report["skipped_count"]) == (21, 1)
    answer = await ada.get("/api/calendar/events?start=2026-05-01&end=2026-05-31")
    assert answer.status_code in (200, 429), answer.text
    assert time.monotonic() - started < 10


async def test_floating_times_happen_on_whatever_clock_is_there(ada: Person) -> None:
    await live_in_zone(ada, "Asia/Tokyo")
    floating = "UID:f\nDTSTART:20260701T080000\nDTEND:20260701T090000\nSUMMARY:Wake up"
    await import_text(ada, await first_calendar(ada), calendar_file(floating))
    assert await list_starts(ada, "2026-07-01", "2026-07-01") == ["2026-07-01T08:00:00+09:00"]
    (there,) = await list_events(ada, "2026-07-01", "2026-07-01", "&zone=America/Los_Angeles")
    assert there["start"] == "2026-07-01T08:00:00-07:00"
    (event,) = await list_events(ada, "2026-07-01", "2026-07-01")
    await change_event(ada, event, start="2026-07-02T08:30:00")
    assert "DTSTART:20260702T083000\r\n" in await export_text(ada, event["calendar_id"])


async def test_zones_are_told_where_they_are_named(ada: Person) -> None:
    await live_in_zone(ada, "America/New_York")
    made = await add_event(
        ada, "Lunch", "2026-03-06T12:00:00", "2026-03-06T13:00:00", rrule="FREQ=DAILY;COUNT=3"
    )
    text = await export_text(ada, made["calendar_id"])
    assert "DTSTART;TZID=America/New_York:20260306T120000" in text
    assert text.count("BEGIN:VTIMEZONE") == 1
    assert await list_starts(ada, "2026-03-01", "2026-03-10") == [
        "2026-03-06T12:00:00-05:00",
        "2026-03-07T12:00:00-05:00",
        "2026-03-08T12:00:00-04:00",
    ]


def zoned_file(uid: str, offset: str, *, tzid: str = "Customized Time Zone") -> str:
    """Return a file with an event at nine in a zone that it describes itself."""
    escaped = tzid.replace(",", r"\,")
    zone = (
        f"BEGIN:VTIMEZONE\r\nTZID:{escaped}\r\nBEGIN:STANDARD\r\nDTSTART:16010101T000000\r\n"
        f"TZOFFSETFROM:{offset}\r\nTZOFFSETTO:{offset}\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
    )
    event = f'UID:{uid}\nDTSTART;TZID="{tzid}":20260702T090000\nDURATION:PT1H\nSUMMARY:{uid}'
    return calendar_file(event).replace("BEGIN:VEVENT", f"{zone}BEGIN:VEVENT")


@pytest.mark.parametrize("tzid", ["Customized Time Zone", "(UTC+01:00) Amsterdam, Berlin"])
async def test_a_zone_of_one_file_says_nothing_of_another_files(ada: Person, world: World, tzid: str) -> None:
    bob = await world.person()
    await import_text(ada, await first_calendar(ada), zoned_file("a", "-0800", tzid=tzid))
    await import_text(bob, await first_calendar(bob), zoned_file("b", "+0545", tzid=tzid))
    assert await list_starts(ada, "2026-07-02", "2026-07-02") == ["2026-07-02T17:00:00+00:00"]
    assert await list_starts(bob, "2026-07-02", "2026-07-02") == ["2026-07-02T03:15:00+00:00"]


async def test_zones_of_one_name_stay_apart_when_a_calendar_goes_out(ada: Person, world: World) -> None:
    calendar, bob = await first_calendar(ada), await world.person()
    for uid, offset in (("a", "-0800"), ("b", "+0545"), ("c", "-0800")):
        await import_text(ada, calendar, zoned_file(uid, offset))
    await import_text(bob, await first_calendar(bob), await export_text(ada, calendar))
    starts = ["2026-07-02T03:15:00+00:00", "2026-07-02T17:00:00+00:00", "2026-07-02T17:00:00+00:00"]
    assert await list_starts(ada, "2026-07-02", "2026-07-02") == starts
    assert await list_starts(bob, "2026-07-02", "2026-07-02") == starts


async def test_a_zone_is_told_for_the_years_of_all_events(ada: Person, world: World) -> None:
    await live_in_zone(ada, "Europe/Madrid")
    early = await add_event(ada, "Early", "2026-07-02T09:00:00", "2026-07-02T10:00:00")
    await add_event(ada, "Late", "2035-07-02T09:00:00", "2035-07-02T10:00:00")
    moved = await add_event(ada, "Moved", "2026-07-02T11:00:00", "2026-07-02T12:00:00")
    await change_event(ada, moved, start="2033-07-02T11:00:00", rrule="FREQ=YEARLY;COUNT=3")
    # Whoever knows no zone by its name has to find all in the file.
    text = (await export_text(ada, early["calendar_id"])).replace("Europe/Madrid", "Somewhere")
    bob = await world.person()
    await import_text(bob, await first_calendar(bob), text)
    for year, hours in (("2026", ["07"]), ("2033", ["09"]), ("2035", ["07", "09"])):
        found = await list_starts(bob, f"{year}-07-02", f"{year}-07-02")
        assert found == [f"{year}-07-02T{hour}:00:00+00:00" for hour in hours]


async def test_an_event_in_a_zone_that_nobody_knows_is_told(ada: Person) -> None:
    event = "UID:u\nDTSTART;TZID=Foo/Bar:20260702T090000\nDURATION:PT1H\nSUMMARY:Where?"
    report = await import_text(ada, await first_calendar(ada), calendar_file(event))
    assert report["created"] == 0
    assert "time zone “Foo/Bar”" in report["skipped"][0]["reason"]


@pytest.mark.both_engines
async def test_a_secret_address_is_read_without_signing_in_until_it_ends(ada: Person, world: World) -> None:
    made = await add_event(ada, "Fair", "2026-03-07", "2026-03-08")
    path = f"/api/calendars/{made['calendar_id']}/subscription"
    first = ok(await ada.post(path), 201)["url"]
    second = ok(await ada.post(path), 201)["url"]
    assert (await list_own_calendars(ada))[0]["subscription"] is True
    async with httpx2.AsyncClient(trust_env=False) as nobody:
        assert (await nobody.get(first)).status_code == 404
        shown = await nobody.get(second)
        assert (shown.status_code, "SUMMARY:Fair" in shown.text) == (200, True)
        assert shown.headers["content-type"] == "text/calendar; charset=utf-8"
        assert shown.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in shown.headers["content-security-policy"]
        assert "set-cookie" not in shown.headers
        assert len(second.rsplit("/", 1)[1].removesuffix(".ics")) >= 43
        assert (await nobody.get(second.replace(".ics", "x.ics"))).status_code == 404
        assert (await ada.delete(path)).status_code == 204
        assert (await nobody.get(second)).status_code == 404
        third = ok(await ada.post(path), 201)["url"]
        deletion = await remove_event(ada, made)
        assert "SUMMARY:Fair" not in (await nobody.get(third)).text
        assert deletion["id"]
        boss = await world.person(role="owner", like=ada)
        left = await boss.client.patch(f"/api/members/{ada.principal.user_id}", json={"status": "suspended"})
        assert left.status_code == 200, left.text
        assert (await nobody.get(third)).status_code == 404


@pytest.mark.both_engines
async def test_a_secret_address_ends_with_the_suspension_of_an_account(ada: Person, world: World) -> None:
    await world.person(role="owner", like=ada)
    made = await add_event(ada, "Fair", "2026-03-07", "2026-03-08")
    address = ok(await ada.post(f"/api/calendars/{made['calendar_id']}/subscription"), 201)["url"]
    email = ok(await ada.get("/api/me"))["user"]["email"]
    async with httpx2.AsyncClient(trust_env=False) as nobody:
        for status, answer in ((MemberStatus.SUSPENDED, 404), (MemberStatus.ACTIVE, 200)):
            await users.set_status(world.db, email=email, status=status)
            assert (await nobody.get(address)).status_code == answer


@pytest.mark.parametrize(
    "broken",
    [
        "DTSTART:20261320T100000",
        "DTSTART;VALUE=DATE:20261199",
        "DTSTART:20261120T100000Z\nDTEND:20261199T100000Z",
        "DTSTART:20261120T100000Z\nDURATION:P1Y",
        "DTSTART:20261120T100000Z\nRRULE:FREQ=DAILY\nEXDATE:20261199T100000Z",
        "DTSTART:20261120T100000Z\nRDATE:soon",
        "DTSTART:20261120T100000Z\nRECURRENCE-ID:20261199T1",
    ],
)
async def test_a_time_that_is_none_keeps_out_its_event_alone(ada: Person, broken: str) -> None:
    good = "UID:good\nSUMMARY:Good\nDTSTART:20261120T100000Z\nDTEND:20261120T110000Z"
    file = calendar_file(f"UID:bad\nSUMMARY:Bad\n{broken}", good)
    report = await import_text(ada, await first_calendar(ada), file)
    assert report["created"] == 1
    assert [skipped["title"] for skipped in report["skipped"]] == ["Bad"]
    assert broken.splitlines()[-1].partition(":")[0].partition(";")[0] in report["skipped"][0]["reason"]
    assert [event["title"] for event in await list_events(ada, "2026-11-20", "2026-11-20")] == ["Good"]
