"""The calendar from the command line, against a real server."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.accounts_door import ok
from tests.task_world import list_tasks
from tests.world import Json, Person

from tertulia.cli.commands import root
from tertulia.cli.errors import FileUnreadable, InTheWay, ServerRefused

Run = Callable[..., Awaitable[Result]]
YEAR = "2030-01-01&end=2031-01-01"


@pytest.fixture
async def tertulia(ada: Person, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `tertulia` as Ada, who lives in Madrid."""
    monkeypatch.setenv("TERTULIA_URL", str(ada.client.base_url))
    ok(await ada.client.patch("/api/me", json={"time_zone": "Europe/Madrid"}))

    async def run(*args: str | Path, piped: str = "") -> Result:
        runner = CliRunner(env={"TERTULIA_TOKEN": ada.token})
        return await asyncio.to_thread(runner.invoke, root, list(map(str, args)), input=piped or None)

    return run


def rows(result: Result) -> list[list[str]]:
    """Return the lines of a list that succeeded, cell by cell."""
    assert result.exit_code == 0, (result.output, result.exception)
    return [line.split("\t") for line in result.stdout.splitlines()]


async def events_of(person: Person) -> list[Json]:
    return ok(await person.get(f"/api/calendar/events?start={YEAR}"))["events"]


async def test_an_event_is_added_in_words_and_shown_in_the_agenda(ada: Person, tertulia: Run) -> None:
    made = await tertulia(
        "calendar", "add", "Dentist on 18 January 2030 at 4pm for 30 minutes", "--location", "Porto"
    )
    (event,) = await events_of(ada)
    assert rows(made) == [[event["id"]]]
    assert (event["title"], event["start"], event["end"]) == (
        "Dentist",
        "2030-01-18T16:00:00+01:00",
        "2030-01-18T16:30:00+01:00",
    )
    await tertulia("calendar", "add", "Fair from 19 January 2030 to 20 January 2030", "--free")
    listed = await tertulia("calendar", "agenda", "18 January 2030", "--days", "5")
    assert [row[1:5] for row in rows(listed)] == [
        ["Fri 2030-01-18", "16:00-16:30", "Dentist", "Porto"],
        ["Sat 2030-01-19", "until Sun 2030-01-20", "Fair", ""],
    ]
    assert rows(listed)[1][6] == "free"
    found = json.loads(
        (await tertulia("calendar", "agenda", "2030-01-18", "--text", "dent", "--json")).stdout
    )
    assert [shown["id"] for shown in found] == [event["id"]]
    assert "Nothing in 7 days" in (await tertulia("calendar", "agenda")).stderr


async def test_without_a_day_or_a_title_nothing_is_added(ada: Person, tertulia: Run) -> None:
    for words in ("Dentist", "18 January 2030 at 4pm"):
        assert (await tertulia("calendar", "add", words)).exit_code == 2
    assert await events_of(ada) == []


async def test_an_event_is_deleted_by_the_end_of_its_id_and_restored(ada: Person, tertulia: Run) -> None:
    soon = ok(await ada.post("/api/dates/read", {"text": "tomorrow at 4pm"}))["start"]
    made = await ada.post("/api/calendar/events", {"title": "Dentist", "start": soon})
    event = ok(made, 201)
    deleted = await tertulia("calendar", "delete", event["id"][-6:], "--yes")
    assert deleted.exit_code == 0, deleted.output
    assert (await ada.get(f"/api/calendar/events/{event['id']}")).status_code == 404
    deletion = next(word for word in deleted.stderr.split() if word.startswith("del_")).rstrip("`")
    assert (await tertulia("calendar", "restore", deletion)).exit_code == 0
    assert ok(await ada.get(f"/api/calendar/events/{event['id']}"))["title"] == "Dentist"


async def test_one_time_of_a_recurring_event_is_deleted(ada: Person, tertulia: Run) -> None:
    start = ok(await ada.post("/api/dates/read", {"text": "tomorrow at 4pm"}))["start"]
    body = {"title": "Swim", "start": start, "rrule": "FREQ=DAILY;COUNT=3"}
    event = ok(await ada.post("/api/calendar/events", body), 201)
    deleted = await tertulia("calendar", "delete", event["id"], "--day", "tomorrow", "--yes")
    assert deleted.exit_code == 0, (deleted.output, deleted.exception)
    assert len(rows(await tertulia("calendar", "agenda"))) == 2


async def test_free_times_are_printed_and_none_is_a_failure(ada: Person, tertulia: Run) -> None:
    await tertulia("calendar", "add", "Workshop on 18 January 2030 from 9:00 to 16:00")
    asked = ("calendar", "slots", "60", "--from", "2030-01-18", "--to", "2030-01-18")
    found = await tertulia(*asked)
    assert rows(found)[0][:2] == ["Fri 2030-01-18", "16:00"]
    assert json.loads((await tertulia(*asked, "--json")).stdout)[0]["start"].startswith("2030-01-18T16:00")
    none = await tertulia("calendar", "slots", "600", "--from", "2030-01-18", "--to", "2030-01-18")
    assert none.exit_code == 1
    assert "There is no free time" in none.stderr


async def test_calendars_are_taken_from_one_place_to_another(
    ada: Person, tertulia: Run, tmp_path: Path
) -> None:
    ok(await ada.post("/api/calendars", {"kind": "builtin", "name": "Work", "color": "#336699"}), 201)
    await tertulia("calendar", "add", "Dentist on 18 January 2030 at 4pm")
    file = tmp_path / "own.ics"
    assert (await tertulia("calendar", "export", file)).exit_code == 0
    assert isinstance((await tertulia("calendar", "export", file)).exception, InTheWay)
    for _ in range(2):
        taken = await tertulia("calendar", "import", file, "--calendar", "work")
        assert taken.exit_code == 0, taken.output
        assert "Imported into Work" in taken.stderr
    assert [event["title"] for event in await events_of(ada)] == ["Dentist", "Dentist"]
    assert "BEGIN:VEVENT" in (await tertulia("calendar", "export", "-", "--calendar", "Work")).stdout
    file.write_bytes(b"\xff\xfe")
    assert isinstance((await tertulia("calendar", "import", file)).exception, FileUnreadable)

    listed = rows(await tertulia("calendar", "calendars"))
    assert [row[1:3] for row in listed][-1] == ["builtin", "Work"]
    address = (await tertulia("calendar", "subscribe", "Work")).stdout.strip()
    assert "BEGIN:VEVENT" in (await ada.get(address)).text
    assert (await tertulia("calendar", "subscribe", "Work", "--revoke")).exit_code == 0
    assert (await ada.get(address)).status_code == 404
    wrong = await tertulia("calendar", "export", "-", "--calendar", "Sport")
    assert wrong.exit_code == 2
    assert "Work." in wrong.stderr


async def test_an_account_that_cannot_be_reached_is_refused_with_the_servers_words(tertulia: Run) -> None:
    connect = ("calendar", "connect", "https://127.0.0.1:9", "--username", "ada", "--secret-stdin")
    refused = await tertulia(*connect, piped="secret-word\n")
    assert isinstance(refused.exception, ServerRefused)
    assert "secret-word" not in refused.output + str(refused.exception)
    assert "There is nothing to sync" in (await tertulia("calendar", "sync")).stderr


async def test_a_task_with_a_time_is_put_on_the_calendar(ada: Person, tertulia: Run) -> None:
    made = await tertulia("tasks", "add", "Call Mara on 18 January 2030 at 4pm for 45 minutes #home")
    assert made.exit_code == 0, (made.output, made.exception)
    (task,) = await list_tasks(ada)
    assert (task["title"], task["due_date"], task["duration_minutes"]) == ("Call Mara", "2030-01-18", 45)
    (event,) = await events_of(ada)
    assert (event["start"], event["end"], event["task_id"]) == (
        "2030-01-18T16:00:00+01:00",
        "2030-01-18T16:45:00+01:00",
        task["id"],
    )
    assert task["schedule"]["event_id"] == event["id"]
    assert "On your calendar:" in made.stderr
