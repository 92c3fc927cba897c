"""F18: several processes on one database. A run has one owner, and one that lost it writes no more."""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeVar

import pytest

from tertulia.core.principal import Principal, Role
from tertulia.infra.courier.news import NewsMayBeLost
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.errors import CommitUnknown
from tertulia.models.tokens import count
from tertulia.server_parts import ServerParts, build_parts
from tertulia.settings import Settings
from tertulia.tools import grants
from tertulia.turns import recorder
from tertulia.turns.approvals import ApprovalDecision
from tertulia.turns.domain import Ask, InvitedModel
from tertulia.turns.errors import AlreadyDecided
from tertulia.turns.reply_draft import ReplyDraft
from tertulia.turns.service import OpenedRound
from tertulia.turns.steering import Steering
from tests.faults.truth import check_integrity, rows
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.tools_world import SendLetter
from tests.world import add_person, environment

WORDS = " ".join(f"word{number}" for number in range(300))
LEASE = 0.6
T = TypeVar("T")
LETTER = ScriptedCall(name="send_letter", arguments='{"text": "Dear Ada"}')


class Table:
    """Several workers in one process, each with its own connections, at one database."""

    def __init__(self, settings: Settings, stack: AsyncExitStack) -> None:
        self._settings = settings
        self._stack = stack

    @property
    def database(self) -> Path:
        return self._settings.database

    async def worker(self) -> ServerParts:
        parts = build_parts(self._settings)
        self._stack.push_async_callback(parts.stop)
        return parts

    async def person(self, parts: ServerParts, *, like: Principal | None = None) -> Principal:
        workspace = like.workspace_id if like else None
        email = f"p{len(rows(self.database, 'SELECT id FROM users'))}@example.org"
        return (await add_person(parts.db, role=Role.OWNER, workspace=workspace, email=email))[0]

    def replies(self) -> list[tuple[object, ...]]:
        sql = """SELECT r.status, m.content FROM replies AS r LEFT JOIN messages AS m ON m.id = r.id
            ORDER BY r.id"""
        return rows(self.database, sql)

    async def until(self, so: Callable[[], object]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(10):
            while not so():  # noqa: ASYNC110 - what is waited for happens in a file
                await asyncio.sleep(0.02)


@pytest.fixture
async def table(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Table]:
    more = {
        "TERTULIA_LEASE_SECONDS": str(LEASE),
        "TERTULIA_DRAIN_SECONDS": "0",
        "TERTULIA_BUILTIN_MODEL": "off",
    }
    settings = Settings.from_env(environment(tmp_path / "data", provider, **more))
    provider.script("slow", Script(reply=WORDS, tokens_per_second=40))
    async with AsyncExitStack() as stack:
        yield Table(settings, stack)
    check_integrity(settings.database)


def has_spoken(table: Table, number: int) -> bool:
    """Tell whether a word of the reply with this number is stored."""
    sql = """SELECT 1 FROM events WHERE body LIKE '%reply.text%'
        AND body LIKE '%' || (SELECT id FROM replies ORDER BY id LIMIT 1 OFFSET ?) || '%'"""
    return bool(rows(table.database, sql, number))


async def ask(
    parts: ServerParts, by: Principal, model: str = "openai/slow", *, conversation_id: str | None = None
) -> OpenedRound:
    question = Ask("Hello", invited=(InvitedModel(model),), conversation_id=conversation_id)
    return await parts.turns.start_turn(question, by=by)


def stop_heartbeat(parts: ServerParts) -> None:
    """Have a worker renew its leases no more."""
    (heartbeat,) = [task for task in parts.tasks if task.get_name() == "ReplyRunner.maintain_leases"]
    heartbeat.cancel()


def freeze(parts: ServerParts) -> list[ReplyDraft]:
    """Make a worker accept questions and then do nothing; return what it would have begun."""
    held: list[ReplyDraft] = []
    stop_heartbeat(parts)
    parts.runner.start = held.extend  # type: ignore[method-assign] - a process that hangs
    return held


async def test_one_run_is_produced_by_one_worker(table: Table, provider: ScriptedProvider) -> None:
    provider.script("quick", Script(reply="Once.", first_token_seconds=2 * LEASE))
    workers = [await table.worker() for _ in range(3)]
    person = await table.person(workers[0])
    await ask(workers[0], person, "openai/quick")
    await table.until(lambda: table.replies() == [("done", "Once.")])

    assert len(provider.requests("quick")) == 1


async def test_what_a_hanging_worker_left_is_begun_by_exactly_one_other(
    table: Table, provider: ScriptedProvider
) -> None:
    hanging = await table.worker()
    person = await table.person(hanging)
    held = freeze(hanging)
    for _ in range(5):
        await ask(hanging, person, "openai/quick")
    others = [await table.worker() for _ in range(3)]
    await table.until(lambda: [status for status, _ in table.replies()] == ["done"] * 5)

    assert others
    assert len(held) == 5
    assert len(provider.requests("quick")) == 5


async def test_a_worker_that_wakes_up_too_late_asks_nobody(table: Table, provider: ScriptedProvider) -> None:
    hanging = await table.worker()
    person = await table.person(hanging)
    begin = hanging.runner.start
    held = freeze(hanging)
    await ask(hanging, person, "openai/quick")
    await table.worker()
    await table.until(lambda: table.replies()[0][0] == "done")
    said = "SELECT * FROM events WHERE body LIKE '%reply.%' ORDER BY seq"
    before = rows(table.database, said)
    begin(held)
    await asyncio.sleep(0.3)

    assert len(provider.requests("quick")) == 1
    assert rows(table.database, said) == before


async def test_a_worker_that_lost_its_lease_cannot_write_any_more(
    table: Table, provider: ScriptedProvider
) -> None:
    provider.script("slow", Script(reply=WORDS, tokens_per_second=20))
    silent = await table.worker()
    person = await table.person(silent)
    await ask(silent, person)
    await table.until(lambda: has_spoken(table, 0))
    stop_heartbeat(silent)  # the process is alive but others cannot know
    await table.worker()
    await table.until(lambda: table.replies()[0][0] == "interrupted")
    taken = table.replies()
    call = provider.requests("slow")[0]
    await table.until(lambda: call.ended)
    await table.until(lambda: not silent.runner.is_busy)

    assert call.disconnected, "it learnt of its loss when it wanted to store words"
    assert table.replies() == taken
    assert WORDS.startswith(str(taken[0][1]))
    assert rows(table.database, "SELECT count(*) FROM events WHERE body LIKE '%reply.closed%'") == [(1,)]
    assert rows(table.database, "SELECT count(*) FROM spending WHERE purpose = 'answer'") == [(1,)]


async def test_a_worker_that_learns_of_its_loss_hangs_up(table: Table, provider: ScriptedProvider) -> None:
    worker = await table.worker()
    person = await table.person(worker)
    await ask(worker, person)
    await table.until(lambda: provider.requests("slow"))
    rows(table.database, "UPDATE runs SET worker = 'another', lease_until = lease_until + 600000")
    call = provider.requests("slow")[0]
    await table.until(lambda: call.ended)

    assert call.disconnected
    assert table.replies() == [("running", None)]


async def test_a_stop_reaches_the_worker_that_writes(table: Table, provider: ScriptedProvider) -> None:
    writing, other = await table.worker(), await table.worker()
    person = await table.person(writing)
    opened = await ask(writing, person)
    await table.until(lambda: provider.requests("slow"))
    await other.turns.stop_round(opened.round.round.id, by=person)
    await table.until(lambda: table.replies()[0][0] == "stopped")
    await table.until(lambda: provider.requests("slow")[0].disconnected)


async def test_one_run_that_cannot_be_recovered_does_not_hold_up_the_others(
    table: Table, provider: ScriptedProvider
) -> None:
    hanging = await table.worker()
    person = await table.person(hanging)
    freeze(hanging)
    first = await ask(hanging, person, "openai/quick")
    await ask(hanging, person, "openai/quick")
    broken = first.round.answers[0].reply.id
    rows(table.database, "UPDATE replies SET status = 'no such status' WHERE id = ?", broken)
    await table.worker()
    await table.until(lambda: table.replies()[1][0] == "done")

    assert len(provider.requests("quick")) == 1
    rows(table.database, "UPDATE replies SET status = 'queued' WHERE id = ?", broken)
    await table.until(lambda: table.replies()[0][0] == "done")


async def test_a_guests_reply_is_recovered_though_the_conversation_was_hidden_from_them(
    table: Table, provider: ScriptedProvider
) -> None:
    hanging = await table.worker()
    owner = await table.person(hanging)
    guest = await table.person(hanging, like=owner)
    opened = await ask(hanging, owner, "openai/quick")
    conversation = opened.conversation.id
    await table.until(lambda: table.replies()[0][0] == "done")
    rows(table.database, "UPDATE conversations SET visibility = 'workspace'")
    await ask(hanging, guest, conversation_id=conversation)
    await table.until(lambda: has_spoken(table, 1))
    stop_heartbeat(hanging)
    rows(table.database, "UPDATE conversations SET visibility = 'private'")
    await table.worker()
    await table.until(lambda: table.replies()[1][0] == "interrupted")

    assert rows(table.database, "SELECT * FROM runs") == []


async def test_nobody_waits_to_write_while_the_words_of_a_lost_reply_are_counted(
    table: Table, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting: list[int] = []

    def count_here(text: str, model: str) -> int:
        counting.append(threading.get_ident())
        return count(text, model)

    monkeypatch.setattr("tertulia.turns.recovery.count", count_here)
    silent = await table.worker()
    await ask(silent, await table.person(silent))
    await table.until(lambda: has_spoken(table, 0))
    stop_heartbeat(silent)
    other = await table.worker()
    writer = await other.db.write(lambda _: threading.get_ident(), by=None)
    await table.until(lambda: table.replies()[0][0] == "interrupted")

    assert counting
    assert writer not in counting
    ((usage,),) = rows(table.database, "SELECT usage FROM replies")
    assert json.loads(str(usage))["output"] > 0


async def test_a_stop_asked_for_elsewhere_is_heard_with_the_next_words(
    table: Table, provider: ScriptedProvider
) -> None:
    writing, other = await table.worker(), await table.worker()
    person = await table.person(writing)
    opened = await ask(writing, person)
    await table.until(lambda: has_spoken(table, 0))
    writing.tasks[1].cancel()  # no heartbeat, which would tell it too
    await other.turns.stop_round(opened.round.round.id, by=person)
    await table.until(lambda: table.replies()[0][0] == "stopped")

    assert provider.requests("slow")[0].disconnected


async def test_a_stop_asked_for_elsewhere_is_found_by_looking_while_a_model_is_silent(
    table: Table, provider: ScriptedProvider
) -> None:
    provider.script("silent", Script(reply="Late.", first_token_seconds=60))
    writing, other = await table.worker(), await table.worker()
    person = await table.person(writing)
    opened = await ask(writing, person, "openai/silent")
    await table.until(lambda: provider.requests("silent"))
    writing.tasks[1].cancel()
    await other.turns.stop_round(opened.round.round.id, by=person)
    writing.runner._look_for_stops(NewsMayBeLost())
    await table.until(lambda: table.replies()[0][0] == "stopped")

    await table.until(lambda: provider.requests("silent")[0].disconnected)


def letters_of(workers: list[ServerParts]) -> SendLetter:
    """Let models of all workers send letters."""
    tool = SendLetter()
    tool.may_end.set()
    for parts in workers:
        parts.services.tool_registry._tools[tool.name] = tool
    return tool


def calls_with(table: Table, status: str) -> int:
    """Return how often it was told that a call came to a status."""
    sql = """SELECT count(*) FROM events WHERE body LIKE '%"type":"reply.tool_call"%'
        AND body LIKE '%"status":"' || ? || '"%'"""
    ((count_told,),) = rows(table.database, sql, status)
    return int(str(count_told))


async def ask_for_letters(
    parts: ServerParts, person: Principal, provider: ScriptedProvider, *, letters: int
) -> OpenedRound:
    """Ask a model that wants to send letters, which waits for a yes to each."""
    provider.script("worker", Script(reply="", tool_calls=[LETTER] * letters), Script(reply="Done."))
    return await ask(parts, person, "openai/worker")


async def test_calls_expire_once_though_every_worker_looks(table: Table, provider: ScriptedProvider) -> None:
    workers = [await table.worker() for _ in range(3)]
    letters_of(workers)
    person = await table.person(workers[0])
    await ask_for_letters(workers[0], person, provider, letters=2)
    await table.until(lambda: table.replies()[0][0] == "waiting")
    rows(table.database, "UPDATE tool_runs SET expires_at = 1")
    await asyncio.gather(*(parts.approvals.expire_approvals() for parts in workers))
    await table.until(lambda: table.replies() == [("done", "Done.")])

    assert calls_with(table, "expired") == 2
    assert len(provider.requests("worker")) == 2


async def test_a_decision_made_elsewhere_or_an_expiry_wins_and_never_both(
    table: Table, provider: ScriptedProvider
) -> None:
    workers = [await table.worker() for _ in range(2)]
    letters = letters_of(workers)
    person = await table.person(workers[0])
    opened = await ask_for_letters(workers[0], person, provider, letters=1)
    await table.until(lambda: table.replies()[0][0] == "waiting")
    ((call_id,),) = rows(table.database, "SELECT id FROM tool_runs")
    rows(table.database, "UPDATE tool_runs SET expires_at = 1")
    reply_id = opened.round.answers[0].reply.id
    decided, _ = await asyncio.gather(
        workers[0].approvals.decide(reply_id, str(call_id), ApprovalDecision(approve=True), by=person),
        workers[1].approvals.expire_approvals(),
        return_exceptions=True,
    )
    await table.until(lambda: table.replies() == [("done", "Done.")])

    was_approved = not isinstance(decided, AlreadyDecided)
    assert len(letters.sent) == was_approved
    assert calls_with(table, "expired") == (not was_approved)
    assert len(provider.requests("worker")) == 2


async def test_a_yes_said_elsewhere_has_the_reply_go_on_there(
    table: Table, provider: ScriptedProvider
) -> None:
    workers = [await table.worker() for _ in range(2)]
    letters = letters_of(workers)
    person = await table.person(workers[0])
    opened = await ask_for_letters(workers[0], person, provider, letters=1)
    await table.until(lambda: table.replies()[0][0] == "waiting")
    ((call_id,),) = rows(table.database, "SELECT id FROM tool_runs")
    reply_id = opened.round.answers[0].reply.id
    await workers[1].approvals.decide(reply_id, str(call_id), ApprovalDecision(approve=True), by=person)
    await table.until(lambda: table.replies() == [("done", "Done.")])

    assert letters.sent == ["Dear Ada"]


async def test_a_word_said_elsewhere_reaches_the_model_at_its_next_step(
    table: Table, provider: ScriptedProvider
) -> None:
    workers = [await table.worker() for _ in range(2)]
    letters = letters_of(workers)
    letters.may_end.clear()
    person = await table.person(workers[0])
    await workers[0].db.write(lambda tx: grants.add(tx, letters.name, None), by=person)
    opened = await ask_for_letters(workers[0], person, provider, letters=1)
    await table.until(lambda: letters.sent)
    steering = Steering(workers[1].services)
    await steering.add_note(opened.round.answers[0].reply.id, "Mention the lighthouse.", by=person)
    letters.may_end.set()
    await table.until(lambda: table.replies() == [("done", "Done.")])

    assert "Mention the lighthouse." in json.dumps(provider.requests("worker")[-1].body)
    ((notes,),) = rows(table.database, "SELECT notes FROM replies")
    assert [note["taken"] for note in json.loads(str(notes))] == [True]


class UnsureDatabase:
    """A database of which every third write ends in the dark: it happened, or it did not."""

    def __init__(self, db: Database, *, happens: bool) -> None:
        self._db = db
        self._happens = happens
        self._writes = 0

    async def read(self, call: Callable[[Tx], T], *, by: Principal | None) -> T:
        return await self._db.read(call, by=by)

    async def read_inline(self, call: Callable[[Tx], T], *, by: Principal | None) -> T:
        return await self._db.read_inline(call, by=by)

    async def write(self, call: Callable[[Tx], T], *, by: Principal | None, concurrent: bool = False) -> T:
        self._writes += 1
        if self._writes % 3:
            return await self._db.write(call, by=by, concurrent=concurrent)
        if self._happens:
            await self._db.write(call, by=by, concurrent=concurrent)
        raise CommitUnknown

    def close(self) -> None:
        self._db.close()


@pytest.mark.parametrize("happens", [True, False])
async def test_words_whose_storing_ended_in_the_dark_are_stored_once(
    table: Table, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch, happens: bool
) -> None:
    monkeypatch.setattr(recorder, "FLUSH_RETRY_SECONDS", 0.01)
    provider.script("quick", Script(reply=WORDS[:300], tokens_per_second=100))
    worker = await table.worker()
    person = await table.person(worker)
    worker.services.recorder._db = UnsureDatabase(worker.db, happens=happens)
    for _ in range(3):
        await ask(worker, person, "openai/quick")
    await table.until(lambda: table.replies() == [("done", WORDS[:300])] * 3)

    for conversation in rows(table.database, "SELECT id FROM conversations"):
        sql = "SELECT body FROM events WHERE topic = ? AND body LIKE '%\"reply.text\"%' ORDER BY seq"
        told = [json.loads(str(body)) for (body,) in rows(table.database, sql, *conversation)]
        assert "".join(piece["text"] for piece in told) == WORDS[:300]
    assert rows(table.database, "SELECT count(*) FROM spending WHERE purpose = 'answer'") == [(3,)]
    assert rows(table.database, "SELECT * FROM runs") == []
