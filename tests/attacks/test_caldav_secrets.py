"""A20: the password of a calendar is in no answer, log, error or file; the way out leads where it should."""

import logging
from pathlib import Path

import pytest
from tests.caldav_server import TOKEN, Fault, StandIn, event_text
from tests.caldav_world import CalDavPerson
from tests.world import Person, World

CANARY = TOKEN


def files_with(folder: Path, text: str) -> list[Path]:
    """Return the files that hold a text."""
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


async def test_a_token_is_nowhere_in_clear(
    world: World, ada: Person, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="tertulia")
    with StandIn().running() as server:
        server.write("lunch.ics", event_text("lunch", "Lunch"))
        connected = await CalDavPerson.connected(world.server.parts.caldav.accounts, ada, server.url)
        await connected.sync()
        answers = [await ada.get("/api/calendars"), await ada.get("/api/calendar/accounts")]
        for fault in (
            Fault("*", status=500, body=CANARY),
            Fault("*", status=401),
            Fault("*", drops_answer=True),
        ):
            server.faults = [fault]
            answers.append(await ada.post(f"/api/calendars/{connected.calendar_id}/sync"))
        answers.append(await ada.get(f"/api/calendars/{connected.calendar_id}/export"))
    assert all(CANARY not in answer.text for answer in answers)
    assert CANARY not in caplog.text
    assert files_with(tmp_path, CANARY) == []


@pytest.mark.parametrize(
    "href",
    [
        "https://evil.example/caldav/",
        "//evil.example/caldav/",
        "http://127.0.0.1:9/caldav/",
        "http://169.254.169.254/latest/meta-data/",
        "http://2130706433/",
        "http://[::ffff:169.254.169.254]/",
    ],
)
async def test_an_answer_sends_the_password_nowhere_else(ada: Person, href: str) -> None:
    home = (
        '<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:response>'
        "<d:href>/caldav/v2/ada/</d:href><d:propstat><d:prop><c:calendar-home-set><d:href>"
        f"{href}</d:href></c:calendar-home-set></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>"
        "</d:response></d:multistatus>"
    )
    with StandIn().running() as server:
        server.faults = [Fault("PROPFIND", status=207, body=home, times=9)]
        body = {"kind": "caldav", "url": server.url, "token": CANARY}
        answered = await ada.post("/api/calendars", body)
    assert answered.json()["error"]["code"] == "caldav_address_refused"
    assert (await ada.get("/api/calendar/accounts")).json() == {"accounts": []}


async def test_xml_with_entities_is_refused(ada: Person) -> None:
    bomb = (
        '<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
        '<d:multistatus xmlns:d="DAV:">&b;</d:multistatus>'
    )
    with StandIn().running() as server:
        server.faults = [Fault("PROPFIND", status=207, body=bomb, times=9)]
        answered = await ada.post("/api/calendars", {"kind": "caldav", "url": server.url, "token": CANARY})
    assert answered.json()["error"]["code"] == "caldav_incomplete"
