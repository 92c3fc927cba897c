"""Connecting accounts at servers of calendars: what is found, what is refused, and no secret is shown."""

from collections.abc import Generator
from pathlib import Path

import httpx2
import pytest
from tests.accounts_door import ok
from tests.caldav_server import (
    PASSWORD,
    TOKEN,
    USERNAME,
    Fault,
    StandIn,
    event_text,
    radicale_running,
    wait_until,
)
from tests.world import Json, Person, World

pytestmark = pytest.mark.both_engines

#: How soon a change is at the server.
SENT_SECONDS = 2
SIGN_IN = {"username": USERNAME, "password": PASSWORD}
MKCALENDAR = """<c:mkcalendar xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"
  xmlns:i="http://apple.com/ns/ical/"><d:set><d:prop><d:displayname>{name}</d:displayname>
  <c:supported-calendar-component-set><c:comp name="{component}"/></c:supported-calendar-component-set>
  <i:calendar-color>#FF8800ff</i:calendar-color></d:prop></d:set></c:mkcalendar>"""


class Radicale:
    """What somebody else does at the Radicale server."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.client = httpx2.Client(auth=(USERNAME, PASSWORD), trust_env=False, base_url=f"{root}{USERNAME}/")

    def make(self, name: str, component: str = "VEVENT") -> None:
        """Make a calendar."""
        content = MKCALENDAR.format(name=name, component=component).encode()
        assert self.client.request("MKCALENDAR", f"{name}/", content=content).status_code == 201

    def put(self, path: str, content: str) -> None:
        headers = {"Content-Type": "text/calendar"}
        assert self.client.put(path, content=content.encode(), headers=headers).is_success

    def text(self, path: str) -> str:
        answer = self.client.get(path)
        return answer.text if answer.is_success else ""


@pytest.fixture
def radicale(tmp_path: Path) -> Generator[Radicale]:
    with radicale_running(tmp_path / "radicale") as root:
        server = Radicale(root)
        yield server
        server.client.close()


async def connect(person: Person, url: str, **more: str) -> Json:
    body = {"kind": "caldav", "url": url} | (more or SIGN_IN)
    return ok(await person.post("/api/calendars", body), 201)


async def refusal(person: Person, url: str, **more: str) -> Json:
    answered = await person.post("/api/calendars", {"kind": "caldav", "url": url} | (more or SIGN_IN))
    assert answered.status_code >= 400, answered.text
    return answered.json()["error"]


async def calendars_of(person: Person) -> dict[str, Json]:
    """Return the calendars of servers by their names."""
    listed = ok(await person.get("/api/calendars"))["calendars"]
    return {calendar["name"]: calendar for calendar in listed if calendar["kind"] == "caldav"}


async def events_of(person: Person, calendar: Json) -> dict[str, Json]:
    """Return the events of June 2026 by their titles, with the first time of each."""
    span = "start=2026-06-01T00:00:00Z&end=2026-07-01T00:00:00Z"
    page = ok(await person.get(f"/api/calendar/events?{span}&calendars={calendar['id']}"))
    return {event["title"]: event for event in reversed(page["events"])}


async def test_all_calendars_of_an_account_come_with_their_events(ada: Person, radicale: Radicale) -> None:
    radicale.make("work")
    radicale.make("home")
    radicale.make("chores", "VTODO")
    radicale.put("work/a.ics", event_text("a", "Standup", "RRULE:FREQ=DAILY;COUNT=3"))
    answer = await connect(ada, radicale.root)
    assert PASSWORD not in str(answer)
    found = await calendars_of(ada)
    assert found.keys() == {"work", "home"}
    assert found["work"]["account"]["username"] == USERNAME
    assert (found["work"]["color"], found["work"]["is_writable"]) == ("#ff8800", True)
    await wait_until(lambda: events_of(ada, found["work"]))
    assert (await events_of(ada, found["work"]))["Standup"]["is_recurring"]


async def test_an_event_made_here_is_there_right_after(ada: Person, radicale: Radicale) -> None:
    radicale.make("work")
    await connect(ada, radicale.root)
    calendar = (await calendars_of(ada))["work"]
    ok(await ada.post(f"/api/calendars/{calendar['id']}/sync"))
    body = {
        "title": "Lunch",
        "start": "2026-06-03T12:00:00+02:00",
        "end": "2026-06-03T13:00:00+02:00",
        "time_zone": "Europe/Berlin",
        "calendar_id": calendar["id"],
    }
    made = ok(await ada.post("/api/calendar/events", body), 201)

    async def is_there() -> bool:
        return "SUMMARY:Lunch" in radicale.text(f"work/{made['uid']}.ics")

    await wait_until(is_there, seconds=SENT_SECONDS)
    path = f"/api/calendar/events/{made['id']}"
    ok(await ada.put(path, {"title": "Late lunch", "scope": "all", "revision": made["revision"]}))

    async def is_changed() -> bool:
        return "SUMMARY:Late lunch" in radicale.text(f"work/{made['uid']}.ics")

    await wait_until(is_changed, seconds=SENT_SECONDS)


async def test_one_time_of_a_series_changed_here_is_an_exception_there(
    ada: Person, radicale: Radicale
) -> None:
    radicale.make("team")
    lines = ("RRULE:FREQ=DAILY;COUNT=5", "X-MOOD:fine", "CATEGORIES:Team")
    radicale.put("team/a.ics", event_text("a", "Standup", *lines))
    await connect(ada, f"{radicale.root}{USERNAME}/team/")
    calendar = (await calendars_of(ada))["team"]
    ok(await ada.post(f"/api/calendars/{calendar['id']}/sync"))
    event = (await events_of(ada, calendar))["Standup"]
    change = {"title": "Special", "scope": "this", "recurrence_id": event["recurrence_id"]}
    ok(await ada.put(f"/api/calendar/events/{event['id']}", change))
    ok(await ada.post(f"/api/calendars/{calendar['id']}/sync"))
    text = radicale.text("team/a.ics")
    assert text.count("BEGIN:VEVENT") == 2
    assert "RECURRENCE-ID" in text
    assert "X-MOOD:fine" in text
    assert (await events_of(ada, calendar)).keys() == {"Standup", "Special"}


async def test_a_calendar_that_may_only_be_read_is_marked(ada: Person) -> None:
    with StandIn(is_read_only=True).running() as server:
        await connect(ada, server.url, token=TOKEN)
        assert not (await calendars_of(ada))["events"]["is_writable"]


async def test_what_cannot_be_connected_is_refused_in_a_sentence(ada: Person, radicale: Radicale) -> None:
    wrong = await refusal(ada, radicale.root, username=USERNAME, password="guessed-wrongly")
    assert wrong["code"] == "caldav_sign_in_refused"
    assert "guessed-wrongly" not in str(wrong)
    assert (await refusal(ada, ada.client.base_url.__str__()))["code"] == "caldav_not_found"
    assert (await refusal(ada, "http://127.0.0.1:9/"))["code"] == "caldav_unreachable"
    for url in ("ftp://example.org", "http://example.org/dav", "http://169.254.169.254/", "https://a b"):
        assert (await refusal(ada, url))["code"] == "caldav_address_refused"
    both = await refusal(ada, radicale.root, username=USERNAME, password=PASSWORD, token="x")
    assert both["code"] == "caldav_secret_invalid"
    assert await calendars_of(ada) == {}


@pytest.fixture
def elsewhere(world: World, ada: Person) -> Generator[httpx2.Client]:
    """Ada on another device, which does not wait for this one."""
    headers = dict(ada.client.headers)
    with httpx2.Client(base_url=str(ada.client.base_url), headers=headers, trust_env=False) as client:
        yield client


async def test_what_is_changed_of_an_account_while_its_server_is_asked_stays(
    ada: Person, elsewhere: httpx2.Client
) -> None:
    with StandIn().running() as server:
        await connect(ada, server.url, token=TOKEN)
        account = ok(await ada.get("/api/calendar/accounts"))["accounts"][0]
        path = f"/api/calendar/accounts/{account['id']}"
        server.faults.append(Fault("PROPFIND", before=lambda: ok(elsewhere.put(path, json={"name": "Work"}))))
        assert ok(await ada.put(path, {"token": TOKEN}))["name"] == "Work"


async def test_a_sign_in_that_was_refused_stops_no_account_that_signs_in_otherwise_by_then(
    ada: Person, elsewhere: httpx2.Client
) -> None:
    with StandIn().running() as server:
        await connect(ada, server.url, token=TOKEN)
        account = ok(await ada.get("/api/calendar/accounts"))["accounts"][0]
        path = f"/api/calendar/accounts/{account['id']}"
        [calendar] = (await calendars_of(ada)).values()
        ok(await ada.post(f"/api/calendars/{calendar['id']}/sync"))
        server.faults.append(
            Fault("*", status=401, before=lambda: ok(elsewhere.put(path, json={"token": TOKEN})))
        )
        refused = await ada.post(f"/api/calendars/{calendar['id']}/sync")
        assert refused.json()["error"]["code"] == "caldav_sign_in_refused"
        [account] = ok(await ada.get("/api/calendar/accounts"))["accounts"]
        assert account["problem"] == ""
        assert [found["problem"] for found in (await calendars_of(ada)).values()] == [""]


async def test_an_address_that_sends_the_password_elsewhere_is_refused(ada: Person) -> None:
    with StandIn().running() as thief, StandIn().running() as server:
        server.faults.append(Fault("*", status=302, headers={"Location": thief.url}, times=9))
        assert (await refusal(ada, server.url, token=TOKEN))["code"] == "caldav_address_refused"
        assert thief.requests == []


async def test_the_same_account_is_connected_once(ada: Person, radicale: Radicale) -> None:
    radicale.make("work")
    await connect(ada, radicale.root)
    assert (await refusal(ada, radicale.root))["code"] == "caldav_account_taken"


async def test_accounts_are_their_owners_alone_and_never_show_their_secret(world: World, ada: Person) -> None:
    with StandIn().running() as server:
        await connect(ada, server.url, token=TOKEN, name="Google")
        account = ok(await ada.get("/api/calendar/accounts"))["accounts"][0]
        assert (account["name"], account["auth"]) == ("Google", "bearer")
        assert TOKEN not in str(account)
        admin = await world.person(role="admin", like=ada)
        path = f"/api/calendar/accounts/{account['id']}"
        calendar = (await calendars_of(ada))["events"]
        assert ok(await admin.get("/api/calendar/accounts"))["accounts"] == []
        assert (await admin.put(path, {"name": "Mine"})).status_code == 404
        assert (await admin.delete(path)).status_code == 404
        assert (await admin.post(f"/api/calendars/{calendar['id']}/sync")).status_code == 404
        assert ok(await ada.put(path, {"name": "Home"}))["name"] == "Home"
        ok(await ada.delete(path), 204)
        assert await calendars_of(ada) == {}
        assert server.asked("DELETE") == 0
