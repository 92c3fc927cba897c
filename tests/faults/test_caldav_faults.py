"""Calendars at a server that fails, forgets, loses answers and is changed by others at the same moment."""

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
import pytest_asyncio

from tertulia.accounts import users
from tertulia.accounts.domain import MemberStatus
from tertulia.calendars.caldav.sync_queue import SYNC_JOB
from tests.accounts_door import ok
from tests.caldav_server import TOKEN, Fault, StandIn, event_text, wait_until
from tests.caldav_world import CalDavPerson, titles_at
from tests.effort import effort
from tests.world import Person, World

#: With a `SOAK_FACTOR` of 50 it is a thousand.
RACES = effort(20)
pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def there() -> AsyncGenerator[StandIn]:
    """A server with Google's gaps."""
    with StandIn().running() as server:
        yield server


@pytest_asyncio.fixture(loop_scope="session")
async def here(world: World, ada: Person, there: StandIn) -> CalDavPerson:
    """Ada with one event, the same here and there."""
    there.write("lunch.ics", event_text("lunch", "Lunch", "LOCATION:Porto", "X-COLOUR-OF-TIE:green"))
    connected = await CalDavPerson.connected(world.server.parts.caldav.accounts, ada, there.url)
    await connected.sync()
    assert await connected.titles() == ["Lunch"]
    there.requests.clear()
    return connected


async def test_what_changed_there_is_here_and_nothing_else_is_asked_for(
    here: CalDavPerson, there: StandIn
) -> None:
    there.write("tea.ics", event_text("tea", "Tea"))
    assert (await here.sync())["added"] == 1
    assert await here.titles() == ["Lunch", "Tea"]
    there.requests.clear()
    await here.sync()
    assert [method for method, _, _ in there.requests] == ["PROPFIND"]


async def test_what_changed_here_is_there_with_all_that_we_do_not_understand(
    here: CalDavPerson, there: StandIn
) -> None:
    await here.edit("lunch", "Lunch", "Late lunch")
    await here.add("tea", "Tea")
    assert (await here.sync())["sent"] == 2
    assert titles_at(there) == ["Late lunch", "Tea"]
    assert "X-COLOUR-OF-TIE:green" in there.texts()["lunch.ics"]
    assert (await here.find("tea")).pending == ""
    assert list(there.texts()) == ["lunch.ics", "tea.ics"]


async def test_what_is_deleted_on_one_side_is_gone_on_both(here: CalDavPerson, there: StandIn) -> None:
    await here.delete("lunch")
    await here.sync()
    assert there.texts() == {}
    there.write("tea.ics", event_text("tea", "Tea"))
    await here.sync()
    there.remove("tea.ics")
    assert (await here.sync())["deleted"] == 1
    assert await here.titles() == []


async def test_both_changed_something_else_and_both_changes_are_kept(
    here: CalDavPerson, there: StandIn
) -> None:
    await here.edit("lunch", "SUMMARY:Lunch", "SUMMARY:Late lunch")
    there.write("lunch.ics", event_text("lunch", "Lunch", "LOCATION:Lisbon"))
    await here.sync()
    assert titles_at(there) == ["Late lunch"]
    assert "LOCATION:Lisbon" in there.texts()["lunch.ics"]
    assert "LOCATION:Lisbon" in (await here.find("lunch")).ics


async def test_both_changed_the_same_and_the_loss_is_told(here: CalDavPerson, there: StandIn) -> None:
    await here.edit("lunch", "SUMMARY:Lunch", "SUMMARY:Late lunch")
    there.write("lunch.ics", event_text("lunch", "Early lunch"))
    assert (await here.sync())["conflicts"] == 1
    assert titles_at(there) == ["Early lunch"]
    found = await here.find("lunch")
    assert (found.title, found.pending) == ("Early lunch", "")
    assert "“Late lunch”" in found.problem
    assert "Change the event again" in found.problem
    await here.sync()
    assert (await here.find("lunch")).problem == found.problem, "it stays told"
    await here.edit("lunch", "Early lunch", "Late lunch")
    await here.sync()
    assert titles_at(there) == ["Late lunch"]
    assert (await here.find("lunch")).problem == ""


async def test_changed_there_while_we_send_it_is_merged(here: CalDavPerson, there: StandIn) -> None:
    await here.edit("lunch", "SUMMARY:Lunch", "SUMMARY:Late lunch")
    changed = event_text("lunch", "Lunch", "LOCATION:Lisbon", "X-COLOUR-OF-TIE:green")
    there.faults.append(Fault("PUT", before=lambda: there.write("lunch.ics", changed)))
    await here.sync()
    assert titles_at(there) == ["Late lunch"]
    assert "LOCATION:Lisbon" in there.texts()["lunch.ics"]


async def test_deleted_here_while_changed_there_it_stays_and_is_told(
    here: CalDavPerson, there: StandIn
) -> None:
    await here.delete("lunch")
    there.write("lunch.ics", event_text("lunch", "Early lunch"))
    await here.sync()
    assert titles_at(there) == ["Early lunch"]
    assert "You deleted this event" in (await here.find("lunch")).problem
    await here.delete("lunch")
    await here.sync()
    assert there.texts() == {}


async def test_changed_here_while_deleted_there_it_is_kept_and_told(
    here: CalDavPerson, there: StandIn
) -> None:
    await here.edit("lunch", "SUMMARY:Lunch", "SUMMARY:Late lunch")
    there.remove("lunch.ics")
    await here.sync()
    assert there.texts() == {}
    assert "was deleted on 127.0.0.1" in (await here.find("lunch")).problem
    await here.edit("lunch", "Late lunch", "Lunch")
    await here.sync()
    assert titles_at(there) == ["Lunch"]
    assert (await here.find("lunch")).problem == ""


@pytest.mark.parametrize("forgets", ["403", "410", "no tokens", "no tokens, no ctag"])
async def test_a_server_without_memory_is_listed_anew(
    here: CalDavPerson, there: StandIn, forgets: str
) -> None:
    there.write("tea.ics", event_text("tea", "Tea"))
    there.remove("lunch.ics")
    there.has_tokens = "no tokens" not in forgets
    there.has_ctag = "no ctag" not in forgets
    if forgets == "403":
        there.forget_tokens()
    elif forgets == "410":
        there.faults.append(Fault("REPORT", status=410, holds="sync-collection"))
    done = await here.sync()
    assert (done["added"], done["deleted"]) == (1, 1)
    assert await here.titles() == ["Tea"]
    await here.edit("tea", "SUMMARY:Tea", "SUMMARY:Green tea")
    await here.sync()
    there.write("coffee.ics", event_text("coffee", "Coffee"))
    await here.sync()
    assert await here.titles() == ["Coffee", "Green tea"]


HALF_ANSWERS = {
    "dropped": Fault("", drops_answer=True),
    "truncated": Fault("", truncates_at=60),
    "500": Fault("", status=500),
    "garbage": Fault("", status=207, body="<html>Welcome to the hotel's network"),
}


@pytest.mark.parametrize(
    "case",
    [
        "dropped PROPFIND",
        "garbage PROPFIND",
        "truncated REPORT",
        "500 REPORT",
        "dropped PUT",
        "500 PUT",
        "garbage PUT",
        "truncated GET",
        "garbage GET",
    ],
)
async def test_half_an_answer_changes_nothing_and_the_next_sync_makes_up_for_it(
    here: CalDavPerson, there: StandIn, case: str
) -> None:
    fault, method = case.split()
    there.write("tea.ics", event_text("tea", "Tea"))
    await here.edit("lunch", "SUMMARY:Lunch", "SUMMARY:Late lunch")
    await here.add("cake", "Cake")
    there.faults.append(replace(HALF_ANSWERS[fault], method=method))
    await here.person.post(f"/api/calendars/{here.calendar_id}/sync")
    assert {"Late lunch", "Cake"} <= set(await here.titles()) <= {"Late lunch", "Cake", "Tea"}
    for _ in range(2):
        await here.sync()
    assert await here.titles() == titles_at(there) == ["Cake", "Late lunch", "Tea"]
    assert [found.problem for found in await here.objects()] == ["", "", ""]
    assert sorted(there.texts()) == ["cake.ics", "lunch.ics", "tea.ics"]


async def test_a_list_without_its_calendar_deletes_nothing(here: CalDavPerson, there: StandIn) -> None:
    there.forget_tokens()
    empty = '<d:multistatus xmlns:d="DAV:"></d:multistatus>'
    there.faults += [
        Fault("REPORT", status=410),
        Fault("PROPFIND", status=207, body=empty, holds="resourcetype"),
    ]
    assert (await here.try_sync())["code"] == "caldav_incomplete"
    assert await here.titles() == ["Lunch"]


async def test_what_one_answer_leaves_out_is_asked_for_again(here: CalDavPerson, there: StandIn) -> None:
    there.write("tea.ics", event_text("tea", "Tea"))
    there.write("cake.ics", event_text("cake", "Cake"))
    half = event_text("tea", "Tea").partition("END:VEVENT")[0]
    answer = (
        '<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:response><d:href>'
        f"/caldav/v2/ada/events/tea.ics</d:href><d:propstat><d:prop><d:getetag>x</d:getetag>"
        f"<c:calendar-data>{half}</c:calendar-data></d:prop><d:status>HTTP/1.1 200 OK</d:status>"
        "</d:propstat></d:response></d:multistatus>"
    )
    there.faults.append(Fault("REPORT", status=207, body=answer, holds="multiget"))
    await here.sync()
    assert await here.titles() == ["Lunch"]
    assert "could not be read" in (await here.calendar())["problem"]
    await here.sync()
    assert await here.titles() == ["Cake", "Lunch", "Tea"]
    assert (await here.calendar())["problem"] == ""


async def test_a_refused_sign_in_is_told_once_and_stops_all_asking(
    here: CalDavPerson, there: StandIn
) -> None:
    there.auth = "Bearer another"
    await here.edit("lunch", "SUMMARY:Lunch", "SUMMARY:Late lunch")
    error = await here.try_sync()
    assert error["code"] == "caldav_sign_in_refused"
    assert TOKEN not in error["message"]
    listed = (await here.person.get("/api/calendar/accounts")).json()["accounts"]
    assert "does not accept" in listed[0]["problem"]
    assert TOKEN not in str(listed)
    asked = len(there.requests)
    sync = here.person_sync
    await sync._run_job(here.payload)
    assert len(there.requests) == asked, "no job asks again"
    path = f"/api/calendar/accounts/{listed[0]['id']}"
    wrong = await here.person.put(path, {"token": "wrong"})
    assert wrong.json()["error"]["code"] == "caldav_sign_in_refused"
    there.auth = "Bearer new"
    changed = await here.person.put(path, {"token": "new"})
    assert (changed.status_code, changed.json()["problem"]) == (200, "")
    await here.sync()
    assert titles_at(there) == ["Late lunch"]


async def test_a_server_that_is_away_gets_what_waited_and_is_not_pestered(
    here: CalDavPerson, there: StandIn
) -> None:
    await here.edit("lunch", "SUMMARY:Lunch", "SUMMARY:Late lunch")
    there.faults.append(Fault("*", status=503, headers={"Retry-After": "300"}, times=2))
    assert (await here.try_sync())["code"] == "caldav_busy"
    asked = len(there.requests)
    await here.person_sync._run_job(here.payload)
    assert len(there.requests) == asked, "it asked for five minutes of rest"
    there.faults.clear()
    assert (await here.sync())["sent"] == 1, "a person may ask at any time"
    assert titles_at(there) == ["Late lunch"]


async def test_a_full_server_is_told_and_gets_the_event_later(here: CalDavPerson, there: StandIn) -> None:
    await here.add("tea", "Tea")
    there.faults.append(Fault("PUT", status=507))
    done = await here.sync()
    assert done["pending"] == 1
    assert "no room" in (await here.find("tea")).problem
    there.write("cake.ics", event_text("cake", "Cake"))
    await here.sync()
    assert await here.titles() == titles_at(there) == ["Cake", "Lunch", "Tea"]
    assert (await here.find("tea")).problem == ""


async def test_an_event_that_the_server_refuses_holds_up_no_other(here: CalDavPerson, there: StandIn) -> None:
    await here.add("bad", "Bad")
    await here.add("good", "Good")
    there.faults.append(Fault("PUT", status=403, holds="UID:bad", times=9))
    done = await here.sync()
    assert (done["sent"], done["pending"]) == (1, 1)
    assert "does not take this event" in (await here.find("bad")).problem
    there.faults.clear()
    await here.edit("bad", "SUMMARY:Bad", "SUMMARY:Better")
    await here.sync()
    assert titles_at(there) == ["Better", "Good", "Lunch"]


async def test_a_deletion_that_the_server_refuses_is_taken_back(here: CalDavPerson, there: StandIn) -> None:
    await here.delete("lunch")
    there.faults.append(Fault("DELETE", status=403))
    await here.sync()
    assert titles_at(there) == await here.titles() == ["Lunch"]
    assert "be deleted" in (await here.find("lunch")).problem


async def test_a_calendar_that_became_read_only_is_marked(here: CalDavPerson, there: StandIn) -> None:
    there.is_read_only = True
    there.write("tea.ics", event_text("tea", "Tea"))
    await here.sync()
    assert not (await here.calendar())["is_writable"]


async def test_an_event_moved_to_another_name_stays_the_same_event(
    here: CalDavPerson, there: StandIn
) -> None:
    before = (await here.find("lunch")).id
    text = there.texts()["lunch.ics"]
    there.remove("lunch.ics")
    there.write("renamed.ics", text)
    await here.sync()
    assert [found.id for found in await here.objects()] == [before]
    await here.edit("lunch", "SUMMARY:Lunch", "SUMMARY:Late lunch")
    await here.sync()
    assert list(there.texts()) == ["renamed.ics"]


async def test_a_deletion_that_can_be_undone_is_not_told_there_and_loses_no_change(
    here: CalDavPerson, there: StandIn
) -> None:
    event = await here.find("lunch")
    deletion = ok(await here.person.delete(f"/api/calendar/events/{event.id}"))
    await here.sync()
    assert titles_at(there) == ["Lunch"]
    assert await here.titles() == []
    there.write("lunch.ics", event_text("lunch", "Early lunch"))
    await here.sync()
    ok(await here.person.post(f"/api/deletions/{deletion['id']}/restore"), 204)
    await here.sync()
    assert await here.titles() == titles_at(there) == ["Early lunch"]


async def test_a_calendar_restored_after_its_deletion_is_synced_again(
    here: CalDavPerson, there: StandIn
) -> None:
    deletion = ok(await here.person.delete(f"/api/calendars/{here.calendar_id}"))
    there.write("tea.ics", event_text("tea", "Tea"))
    ok(await here.person.post(f"/api/deletions/{deletion['id']}/restore"), 204)

    async def is_synced() -> bool:
        return await here.titles() == ["Lunch", "Tea"]

    await wait_until(is_synced)
    assert there.asked("DELETE") == 0


async def test_what_would_be_sent_elsewhere_is_not_sent(here: CalDavPerson, there: StandIn) -> None:
    with StandIn().running() as thief:
        for status in (301, 302, 307, 308):
            there.faults.append(Fault("*", status=status, headers={"Location": thief.url}))
            assert (await here.try_sync())["code"] in ("caldav_address_refused", "caldav_refused")
        assert thief.requests == []
    await here.sync()


async def test_a_thousand_races_in_short_lose_no_update(here: CalDavPerson, there: StandIn) -> None:
    """Each side adds words of its own to fields of its own, most of them while the other does."""
    lines = [f"X-FIELD-{number}:0" for number in range(4)]
    there.write("lunch.ics", event_text("lunch", "Lunch", "LOCATION:0", *lines))
    await here.sync()
    for turn in range(1, RACES + 1):
        await here.edit("lunch", f"LOCATION:{turn - 1}", f"LOCATION:{turn}")

        def change(turn: int = turn) -> None:
            text = there.texts()["lunch.ics"]
            there.write("lunch.ics", text.replace(f"X-FIELD-1:{turn - 1}", f"X-FIELD-1:{turn}"))

        there.faults.append(Fault("PUT", before=change, drops_answer=turn % 3 == 0))
        await here.person.post(f"/api/calendars/{here.calendar_id}/sync")
        if there.faults:
            there.faults.clear()
    await here.sync()
    await here.sync()
    found = await here.find("lunch")
    for text in (there.texts()["lunch.ics"], found.ics):
        assert f"LOCATION:{RACES}\n" in text.replace("\r", "")
        assert f"X-FIELD-1:{RACES}\n" in text.replace("\r", "")
    assert found.problem == ""


@pytest.mark.parametrize("status", [MemberStatus.SUSPENDED, MemberStatus.ACTIVE])
async def test_a_server_is_asked_for_nobody_whose_account_is_suspended(
    world: World, here: CalDavPerson, there: StandIn, status: MemberStatus
) -> None:
    await world.person(role="owner", like=here.person)
    email = ok(await here.person.get("/api/me"))["user"]["email"]
    await users.set_status(world.db, email=email, status=status)
    await here.person_sync.handlers[SYNC_JOB](here.payload)
    assert bool(there.requests) is (status is MemberStatus.ACTIVE)
