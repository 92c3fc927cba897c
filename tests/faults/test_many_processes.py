"""F18: three real processes behind a balancer, every request and every reconnect at another of them."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest
import pytest_asyncio

from tertulia.core.clock import now
from tertulia.core.principal import Role
from tests.accounts_door import ok
from tests.caldav_server import TOKEN, StandIn
from tests.calendar_world import add_event
from tests.cluster import Cluster
from tests.effort import effort
from tests.faults.listener import Listener
from tests.files_world import Shelf
from tests.reminders_world import SENDER, MailServer, reminders_of, serving_mail
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.scripted_provider.script import ScriptedUsage
from tests.tool_servers import add_server, add_service, speaks_mcp, until, web_service
from tests.world import Json, Person, free_port, read_events

pytestmark = [pytest.mark.postgres, pytest.mark.asyncio(loop_scope="module")]

WORDS = " ".join(f"wörd{number}" for number in range(120))
#: So quickly every process acts on what was done at another.
HEARD_SECONDS = 1.0
#: A process is taken for gone when it has not renewed its leases for so long.
LEASE_SECONDS = 2.0
#: Who is reminded at the same moment.
REMINDED_PEOPLE = 12
#: Questions asked at the same moment, of which a few alone can be paid.
DEAR_QUESTIONS = 18
#: Run by a process at its start: the clock of its machine is ahead of all others.
CLOCK_AHEAD = "import time\nreal = time.time_ns\ntime.time_ns = lambda: real() + 20_000_000_000\n"


@pytest.fixture(scope="module")
def mail() -> Generator[MailServer]:
    with serving_mail() as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cluster(
    shared_provider: ScriptedProvider, tmp_path_factory: pytest.TempPathFactory, mail: MailServer
) -> AsyncGenerator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    more = {
        "TERTULIA_BUILTIN_MODEL": "off",
        "TERTULIA_LEASE_SECONDS": str(LEASE_SECONDS),
        "TERTULIA_SMTP_URL": mail.url,
        "TERTULIA_SMTP_FROM": SENDER,
    }
    async with Cluster.running(folder, shared_provider, env=more) as cluster:
        yield cluster


@pytest_asyncio.fixture(loop_scope="module")
async def ada(cluster: Cluster) -> Person:
    return await cluster.person()


async def follow_hopping(listener: Listener, *, events_each: int) -> None:
    """Follow a turn, and reconnect after every few events, each time to another process."""
    conversation = listener.turn["conversation"]["id"]
    while not listener.round_closed:
        taken = 0
        events = listener.person.events(conversation, after=listener.seq)
        async for event in events:
            listener.take(event)
            taken += 1
            if listener.round_closed or taken == events_each:
                break
        await events.aclose()


async def test_a_stream_has_no_gap_double_or_disorder_whichever_process_is_asked(
    ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("slow", Script(reply=WORDS, tokens_per_second=200))
    models = ["openai/slow", "anthropic/slow", "google/slow"]
    turn = await ada.start("Hello", models=models)
    listeners = [Listener(ada, turn) for _ in range(4)]
    async with asyncio.timeout(30):
        await asyncio.gather(
            listeners[0].follow(),
            *(follow_hopping(listener, events_each=7 * n) for n, listener in enumerate(listeners) if n),
        )
    for listener in listeners:
        round_ = await listener.check_stored()
        assert [reply["content"] for reply in round_["replies"]] == [WORDS] * 3
    assert len(provider.requests("slow")) == 3


async def test_every_process_tells_the_same(cluster: Cluster, ada: Person) -> None:
    turn = await ada.start("Hello")
    round_ = await ada.finished(turn)
    conversation: str = turn["conversation"]["id"]
    told = [await there.round(conversation, round_["id"]) for there in cluster.everywhere(ada)]
    assert told == [round_] * 3


async def test_rounds_asked_at_once_are_numbered_without_gap_or_double(ada: Person) -> None:
    turn = await ada.start("First")
    await ada.finished(turn)
    conversation: str = turn["conversation"]["id"]
    answers = await asyncio.gather(
        *(
            ada.post(
                "/api/turn", {"message": f"{n}", "models": ["scripted-fast"], "conversation_id": conversation}
            )
            for n in range(12)
        )
    )
    accepted = [answer.json() for answer in answers if answer.status_code == 202]
    assert all(answer.status_code in {202, 409} for answer in answers), [answer.text for answer in answers]
    for taken in accepted:
        await ada.finished(taken)
    page = (await ada.get(f"/api/conversations/{conversation}?limit=200")).json()
    assert {one["round"]["id"] for one in accepted} <= {one["id"] for one in page["rounds"]}
    numbers = [one["number"] for one in page["rounds"]]
    assert sorted(numbers) == sorted(set(numbers))


async def test_what_was_said_later_stands_later_whatever_the_clocks_of_machines_say(
    cluster: Cluster, ada: Person, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(CLOCK_AHEAD)
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    first = cluster.servers[0]
    ahead = replace(first, data_dir=tmp_path / "data", port=free_port(), env=first.env | {"PYTHONPATH": path})
    ahead.data_dir.mkdir()
    await ahead.start()
    try:
        turn = await cluster.at(ahead, ada).start("1")
        await ada.finished(turn)
        conversation: str = turn["conversation"]["id"]
        await cluster.at(first, ada).ask("2", conversation_id=conversation)
        await cluster.at(ahead, ada).ask("3", conversation_id=conversation)
        await cluster.at(first, ada).ask("4")
    finally:
        ahead.kill()
    messages = (await ada.get(f"/api/conversations/{conversation}/messages")).json()["messages"]
    assert [message["content"] for message in messages if message["speaker"] == "user"] == ["1", "2", "3"]
    listed = (await ada.get("/api/conversations")).json()["conversations"]
    assert [one["id"] for one in listed].index(conversation) == 1


async def test_the_same_question_sent_to_every_process_at_once_is_asked_once(
    cluster: Cluster, ada: Person, provider: ScriptedProvider
) -> None:
    body = {"message": "Once", "models": ["openai/once"], "idempotency_key": "the same"}
    answers = await asyncio.gather(
        *(there.post("/api/turn", body) for there in cluster.everywhere(ada) for _ in range(4))
    )
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["round"]["id"] for answer in answers}) == 1
    await ada.finished(answers[0].json())
    assert len(provider.requests("once")) == 1


async def test_versions_of_a_file_written_at_once_are_all_kept(ada: Person) -> None:
    shelf = await Shelf.of(ada)
    file = await shelf.write("a.md", "First")
    answers = await asyncio.gather(*(shelf.replace(file["id"], f"Text {n}") for n in range(12)))
    assert Counter(answer.status_code for answer in answers) == {200: 12}, [one.text for one in answers]
    versions = (await ada.get(f"{shelf.url}/{file['id']}/versions")).json()["versions"]
    assert sorted(one["version"] for one in versions) == list(range(1, 14))


async def test_of_two_owners_who_step_down_at_once_one_stays(cluster: Cluster, ada: Person) -> None:
    bob = await cluster.person(role=Role.OWNER, like=ada)
    for _ in range(4):
        first, _, _ = cluster.everywhere(ada)
        ids = [bob.principal.user_id, ada.principal.user_id]
        bobs = cluster.at(cluster.servers[1], bob)
        answers = await asyncio.gather(
            first.client.patch(f"/api/members/{ids[0]}", json={"role": "viewer"}),
            bobs.client.patch(f"/api/members/{ids[1]}", json={"role": "viewer"}),
        )
        assert sorted(answer.status_code for answer in answers) != [200, 200]
        owner, demoted = (ada, bob) if answers[0].status_code == 200 else (bob, ada)
        back = await owner.client.patch(f"/api/members/{demoted.principal.user_id}", json={"role": "owner"})
        assert back.status_code == 200, back.text


async def test_a_budget_is_overshot_by_one_call_at_most_wherever_it_is_spent(
    cluster: Cluster, provider: ScriptedProvider
) -> None:
    ada = await cluster.person()
    dear = Script(reply="Dear words.", usage=ScriptedUsage(input=100, output=2_048))
    provider.script("gpt-4o", *[dear] * DEAR_QUESTIONS)
    settings = {"monthly_limit_usd": 0.06}
    assert (await ada.client.patch("/api/workspace", json={"settings": settings})).is_success
    everywhere = cluster.everywhere(ada)
    question = {"message": "Hello", "models": ["openai/gpt-4o"]}
    answers = await asyncio.gather(
        *(everywhere[number % 3].post("/api/turn", question) for number in range(DEAR_QUESTIONS))
    )
    rounds = [await ada.finished(answer.json()) for answer in answers if answer.status_code == 202]
    replies = [round_["replies"][0] for round_ in rounds]
    paid = [reply for reply in replies if reply["status"] == "done"]
    refused = [reply["error"]["code"] for reply in replies if reply["status"] != "done"]

    assert {answer.status_code for answer in answers} <= {202, 402}
    assert set(refused) <= {"spending_limit_reached"}
    assert len(paid) == len(provider.requests("gpt-4o")) >= 1
    assert sum(reply["cost"] for reply in paid) <= settings["monthly_limit_usd"] + paid[0]["cost"]


@pytest.mark.parametrize("place", range(3))
async def test_a_stop_posted_to_any_process_closes_the_upstream(
    cluster: Cluster, ada: Person, provider: ScriptedProvider, place: int
) -> None:
    provider.script("slow", Script(reply=WORDS, tokens_per_second=5))
    writer, stopper = cluster.everywhere(ada)[0], cluster.everywhere(ada)[place]
    turn = await writer.start("Hello", models=["openai/slow"])
    await writer.wait_for(turn, "reply.text")
    stopped_at = time.time()
    assert (await stopper.post(f"/api/rounds/{turn['round']['id']}/stop")).status_code == 202
    round_ = await stopper.finished(turn)
    (call,) = provider.requests("slow")

    assert round_["replies"][0]["status"] == "stopped"
    await asyncio.to_thread(provider.wait_for, lambda: call.ended)
    assert call.disconnected
    assert call.ended_at
    assert call.ended_at - stopped_at < HEARD_SECONDS


async def test_what_is_approved_and_said_at_another_process_arrives(
    cluster: Cluster, ada: Person, provider: ScriptedProvider
) -> None:
    writer, other, third = cluster.everywhere(ada)
    async with web_service() as service:
        await add_service(ada, service.url, allowed=["add_note"])
        call = ScriptedCall(name="notes__add_note", arguments='{"body": {"text": "Milk"}}')
        provider.script("worker", Script(reply="", tool_calls=[call]), Script(reply="Noted."))
        turn = await writer.start("Note it", models=["openai/worker"])
        reply = await waiting_reply(other, turn)
        said = await third.post(f"/api/replies/{reply['id']}/steer", {"text": "Mention the lighthouse."})
        assert said.status_code == 202, said.text
        path = f"/api/replies/{reply['id']}/calls/{reply['tool_calls'][0]['id']}/decision"
        assert (await other.post(path, {"approve": True})).is_success
        async with asyncio.timeout(10):
            done = (await third.finished(turn))["replies"][0]
    assert (done["status"], done["content"]) == ("done", "Noted.")
    assert len(service.heard) == 1
    assert "Mention the lighthouse." in str(provider.requests("worker")[1].body)


async def test_every_process_tells_what_a_check_of_a_tool_server_found(cluster: Cluster, ada: Person) -> None:
    checker = cluster.at(cluster.servers[0], ada)
    made = await checker.post("/api/tool-servers", {"slug": "gone", "command": "/no/such/program"})
    assert (await checker.post(f"/api/tool-servers/{made.json()['id']}/check")).is_error
    async with web_service() as service:
        service.answers = speaks_mcp
        await add_server(checker, f"{service.url}/mcp")
        for there in cluster.everywhere(ada):
            gone, test = (await there.get("/api/tool-servers")).json()["servers"]
            assert (gone["status"], test["status"]) == ("down", "up")
            assert gone["problem"]

    await checker.put(f"/api/tool-servers/{made.json()['id']}", {"command": "/another/program"})
    for there in cluster.everywhere(ada):
        changed = (await there.get("/api/tool-servers")).json()["servers"][0]
        assert (changed["status"], changed["problem"]) == ("unknown", "")


async def test_a_tool_server_that_was_removed_is_called_by_no_reply_anywhere(
    cluster: Cluster, ada: Person, provider: ScriptedProvider
) -> None:
    writer, other, _ = cluster.everywhere(ada)
    look = ScriptedCall(name="test__look")
    slow = Script(reply="word " * 20, tokens_per_second=10, tool_calls=[look], always_calls=True)
    provider.script("looker", Script(reply="", tool_calls=[look]), slow, Script(reply="Done."))
    async with web_service() as service:
        service.answers = speaks_mcp
        server = await add_server(other, f"{service.url}/mcp")
        turn = await writer.start("Look twice", models=["openai/looker"])
        await writer.wait_for(turn, "reply.text")
        assert (await other.delete(f"/api/tool-servers/{server['id']}")).is_success
        (reply,) = (await writer.finished(turn))["replies"]
    assert [call["status"] for call in reply["tool_calls"]] == ["done", "failed"]
    assert len([asked for asked in service.heard if "tools/call" in asked.body]) == 1


async def waiting_reply(person: Person, turn: Json) -> Json:
    """Wait until the reply of a turn waits for a yes, and return it."""
    found: list[Json] = []

    async def look() -> bool:
        round_ = await person.round(turn["conversation"]["id"], turn["round"]["id"])
        found[:] = round_["replies"]
        return found[0]["status"] == "waiting"

    await until(look)
    return found[0]


async def test_a_connection_that_was_removed_is_refused_everywhere(
    cluster: Cluster, ada: Person, provider: ScriptedProvider
) -> None:
    body = {"slug": "own", "kind": "openai", "base_url": provider.openai_url, "key": "sk-own-1234"}
    made = (await ada.post("/api/connections", body)).json()
    everywhere = cluster.everywhere(ada)
    question = {"message": "Hello", "models": ["own/gone"]}

    async def all_answer(status: int) -> bool:
        answers = [await there.post("/api/turn", question) for there in everywhere]
        return all(answer.status_code == status for answer in answers)

    await until(lambda: all_answer(202), seconds=HEARD_SECONDS)
    assert (await ada.delete(f"/api/connections/{made['id']}")).status_code == 204
    await asyncio.sleep(HEARD_SECONDS)
    before = len(provider.requests("gone"))
    refused = [await there.post("/api/turn", question) for there in everywhere]
    assert all(answer.status_code >= 400 for answer in refused), [answer.text for answer in refused]
    assert len(provider.requests("gone")) == before


async def test_a_key_that_was_removed_is_not_used_by_a_reply_under_way(
    cluster: Cluster, ada: Person, provider: ScriptedProvider
) -> None:
    writer, other, third = cluster.everywhere(ada)
    body = {"slug": "own", "kind": "openai", "base_url": provider.openai_url, "key": "sk-own-1234"}
    made = (await writer.post("/api/connections", body)).json()
    call = ScriptedCall(name="notes__list_notes")
    provider.script("worker", Script(reply="", tool_calls=[call]), Script(reply="Seen."))
    async with web_service() as service:
        service.silence = 1.5 * HEARD_SECONDS
        await add_service(ada, service.url, allowed=["list_notes"])
        turn = await writer.start("Look", models=["own/worker"])

        async def is_looking() -> bool:
            return bool(service.heard)

        await until(is_looking)
        assert (await other.delete(f"/api/connections/{made['id']}")).status_code == 204
        done = (await third.finished(turn))["replies"][0]
    assert (done["status"], done["error"]["code"]) == ("failed", "model_unknown")
    assert len(provider.requests("worker")) == 1


async def test_a_member_who_was_removed_hears_and_does_nothing_more_anywhere(
    cluster: Cluster, ada: Person
) -> None:
    bob = await cluster.person(role=Role.MEMBER, like=ada)
    everywhere = cluster.everywhere(bob)
    streams = [asyncio.create_task(listen_to_the_end(there)) for there in everywhere]
    await asyncio.sleep(0.2)
    assert (await ada.delete(f"/api/members/{bob.principal.user_id}")).status_code in {200, 204}
    removed_at = time.monotonic()
    async with asyncio.timeout(5):
        await asyncio.gather(*streams)
    assert time.monotonic() - removed_at < HEARD_SECONDS
    answers = [await there.get("/api/conversations") for there in everywhere]
    assert {answer.status_code for answer in answers} <= {401, 403}


async def test_replies_of_a_member_who_was_removed_are_stopped(
    cluster: Cluster, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("slow", Script(reply=WORDS, tokens_per_second=5))
    bob = await cluster.person(role=Role.MEMBER, like=ada)
    writer, remover = cluster.at(cluster.servers[0], bob), cluster.at(cluster.servers[1], ada)
    turn = await writer.start("Hello", models=["openai/slow"])
    await writer.wait_for(turn, "reply.text")
    (call,) = provider.requests("slow")
    removed_at = time.time()
    assert (await remover.delete(f"/api/members/{bob.principal.user_id}")).status_code == 204
    await asyncio.to_thread(provider.wait_for, lambda: call.ended)
    assert call.disconnected
    assert call.ended_at
    assert call.ended_at - removed_at < HEARD_SECONDS


async def listen_to_the_end(person: Person) -> None:
    """Follow a person's feed until the server ends it."""
    with suppress(httpx2.TransportError):
        async with person.client.stream("GET", "/api/events") as stream:
            async for _ in stream.aiter_bytes():
                pass


async def make_due_event(person: Person, title: str) -> None:
    """Have a person make an event of which they are to be reminded right now."""
    start = now().replace(second=0, microsecond=0) + timedelta(minutes=10)
    await add_event(
        person, title, start.isoformat(), (start + timedelta(hours=1)).isoformat(), reminders=[10]
    )


async def test_each_reminder_goes_out_once_and_is_heard_at_every_process(
    cluster: Cluster, mail: MailServer
) -> None:
    ada = await cluster.person()
    people = [ada, *[await cluster.person(like=ada) for _ in range(REMINDED_PEOPLE - 1)]]
    for person in people:
        ok(await person.put("/api/reminders/settings", {"channels": ["app", "email"]}))

    async def hear_reminder(person: Person) -> None:
        async with person.client.stream("GET", "/api/events") as stream:
            async for event in read_events(stream):
                if event["type"].startswith("reminder"):
                    return

    listening = [asyncio.create_task(hear_reminder(there)) for there in cluster.everywhere(ada)]
    await asyncio.gather(*(make_due_event(person, f"Train {n}") for n, person in enumerate(people)))
    async with asyncio.timeout(20):
        await asyncio.gather(*listening)

    for person in people:
        await until(lambda person=person: is_told_everywhere(person))
    assert Counter(mail.recipients) == Counter(set(mail.recipients))
    assert len(mail.recipients) == REMINDED_PEOPLE


async def is_told_everywhere(person: Person) -> bool:
    """Tell whether the one reminder of somebody has gone out by every channel."""
    [reminder] = (await reminders_of(person))["waiting"]
    return {delivery["status"] for delivery in reminder["deliveries"]} == {"sent"}


async def test_each_change_of_a_calendar_is_sent_once_by_whichever_process(cluster: Cluster) -> None:
    ada = await cluster.person()
    with StandIn().running() as there:
        body = {"kind": "caldav", "url": there.url, "token": TOKEN}
        [calendar] = ok(await ada.post("/api/calendars", body), 201)["calendars"]
        start = now() + timedelta(days=1)
        times = start.isoformat(), (start + timedelta(hours=1)).isoformat()
        await asyncio.gather(
            *(
                add_event(person, f"Meeting {n}", *times, calendar_id=calendar["id"])
                for n in range(4)
                for person in cluster.everywhere(ada)
            )
        )

        async def is_there() -> bool:
            return len(there.texts()) == 12

        await until(is_there)
        for _ in range(2):
            ok(await ada.post(f"/api/calendars/{calendar['id']}/sync"))
        written = Counter(there.history)
        assert set(written.values()) == {1}
        assert len(there.texts()) == len(written) == 12


@pytest.mark.parametrize("kill", range(effort(2)))
async def test_when_one_process_is_killed_the_others_end_what_it_wrote(
    cluster: Cluster, ada: Person, provider: ScriptedProvider, kill: int
) -> None:
    provider.script("slow", Script(reply=WORDS, tokens_per_second=40))
    doomed, other, _ = (cluster.servers[(kill + place) % 3] for place in range(3))
    turn = await cluster.at(doomed, ada).start("Hello", models=["openai/slow"])
    remote = Listener(cluster.at(other, ada), turn)
    await remote.follow(until="reply.text", pieces=5)
    doomed.kill()
    try:
        async with asyncio.timeout(3 * LEASE_SECONDS + HEARD_SECONDS):
            await remote.follow()
        round_ = await remote.check_stored()
        (reply,) = round_["replies"]
        assert reply["status"] in {"interrupted", "done"}
        assert WORDS.startswith(reply["content"])
        assert (await ada.ask("And now?", conversation_id=turn["conversation"]["id"]))["replies"]
    finally:
        await doomed.start()
