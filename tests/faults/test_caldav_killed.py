"""A server that is killed at each step of a sync: afterwards nothing is there twice, and nothing is lost."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tertulia.calendars.caldav.factory import open_caldav
from tertulia.infra.events import EventLog
from tertulia.infra.http.outbound import make_client
from tertulia.settings import Settings
from tests.caldav_server import Fault, StandIn, event_text
from tests.caldav_world import CalDavPerson, titles_at
from tests.databases import open_database
from tests.faults.truth import check_integrity
from tests.process import ServerProcess
from tests.world import Person

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def there() -> AsyncGenerator[StandIn]:
    """A server with Google's gaps."""
    with StandIn().running() as server:
        yield server


@pytest_asyncio.fixture(loop_scope="module")
async def ada(server: ServerProcess) -> AsyncGenerator[Person]:
    person = await server.person()
    async with person.client:
        yield person


@pytest_asyncio.fixture(loop_scope="module")
async def here(server: ServerProcess, ada: Person, there: StandIn) -> AsyncGenerator[CalDavPerson]:
    """Ada with three events, the same here and there."""
    for name in ("lunch", "tea", "cake"):
        there.write(f"{name}.ics", event_text(name, name.title()))
    db = open_database(server.database)
    client = make_client(("127.0.0.1",))
    parts = open_caldav(db, Settings.from_env(server.env), events=EventLog(db), client=client)
    connected = await CalDavPerson.connected(parts.accounts, ada, there.url)
    await connected.sync()
    assert await connected.titles() == ["Cake", "Lunch", "Tea"]
    yield connected
    await client.aclose()
    db.close()


@pytest.mark.parametrize(
    "step",
    [
        ("PUT", "UID:new", True),
        ("PUT", "UID:lunch", True),
        ("DELETE", "cake", True),
        ("REPORT", "multiget", False),
    ],
)
async def test_killed_at_a_step_of_a_sync_all_is_there_once(
    server: ServerProcess, here: CalDavPerson, there: StandIn, step: tuple[str, str, bool]
) -> None:
    method, holds, is_done = step
    await here.add("new", "New")
    await here.edit("lunch", "SUMMARY:Lunch", "SUMMARY:Late lunch")
    await here.delete("cake")
    there.write("tea.ics", event_text("tea", "Green tea"))
    there.write("other.ics", event_text("other", "Other"))
    there.faults.append(
        Fault(method, holds=holds, before=server.kill, status=0 if is_done else 500, drops_answer=is_done)
    )
    asking = asyncio.create_task(here.sync())
    await asyncio.wait([asking])
    assert asking.exception() is not None
    check_integrity(server.database)
    # What came in before the restart is sent on top of what had arrived.
    await here.edit("new", "SUMMARY:New", "SUMMARY:Newest")

    await server.start()
    await here.sync()
    await here.sync()
    expected = ["Green tea", "Late lunch", "Newest", "Other"]
    assert titles_at(there) == await here.titles() == expected
    assert sorted(there.texts()) == ["lunch.ics", "new.ics", "other.ics", "tea.ics"]
    assert [found.problem for found in await here.objects()] == [""] * 4
    assert [found.pending for found in await here.objects()] == [""] * 4
