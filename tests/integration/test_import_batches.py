"""An import of any size holds nobody up: it is checked elsewhere, round by round, and written in slices."""

import asyncio
import threading
import tracemalloc
from collections.abc import AsyncGenerator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from bench.neighbours import exported
from tests.world import Person, World

from tertulia.conversations import message_index
from tertulia.conversations.access import get_unchecked
from tertulia.conversations.domain import Message
from tertulia.conversations.errors import ImportUnreadable
from tertulia.conversations.import_batches import (
    IMPORT_BATCH_MAX_CHARS,
    IMPORT_BATCH_MAX_ROUNDS,
    CheckedImport,
    import_in_batches,
    take_rounds,
)
from tertulia.conversations.import_child import check_in_child
from tertulia.conversations.import_reader import ImportReader, outline_round, read_document
from tertulia.conversations.import_writer import INDEX_MESSAGES_JOB
from tertulia.conversations.jobs import job_handlers
from tertulia.conversations.reversal_sentences import REVERSAL_READ_MAX_CHARS
from tertulia.core.ids import new_id
from tertulia.files.spool import INLINE_FILE_MAX_BYTES
from tertulia.infra.db import Tx

IMPORT = "/api/conversations/import"
HEAD = {"format": "tertulia.conversation", "version": 1}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncGenerator[World]:
    async with World.open(tmp_path / "data", provider=None) as world:
        yield world


@pytest.fixture
async def ada(world: World) -> Person:
    return await world.person(role="owner")


def wrong_rounds(count: int) -> bytes:
    return b'{"rounds": [' + b"{}," * count + b"{}]}"


def test_an_import_ends_at_its_first_wrong_round() -> None:
    body = wrong_rounds(300_000)
    tracemalloc.start()
    with pytest.raises(ImportUnreadable) as refused:
        read_document(body)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert refused.value.data["where"] == "rounds.0.ref"
    assert peak < 3 * len(body)


def test_rounds_are_built_one_at_a_time() -> None:
    body = exported(2_000_000)
    reader = ImportReader(body)
    tracemalloc.start()
    count = sum(1 for _ in reader.rounds())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count > 1_000
    assert peak < len(body)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b"", "the file"),
        (b"[]", "the file"),
        (b"\xff", "the file"),
        (b'{"a": 1', "the file"),
        (b'{"a": 1,}', "the file"),
        (b'{"a" 1}', "the file"),
        (b'{"rounds": {}}', "the file"),
        (b'{"rounds": [] "a": 1}', "the file"),
        (b'{"rounds": []} x', "the file"),
        (b'{"a": ' + b"[" * 100_000 + b"}", "the file"),
        (b'{"rounds": [], "rounds": []}', "rounds"),
        (msgspec.json.encode(HEAD), "title"),
        (msgspec.json.encode(HEAD | {"rounds": [1]}), "rounds.0"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(body: bytes, where: str) -> None:
    with pytest.raises(ImportUnreadable) as refused:
        read_document(body)
    assert refused.value.data["where"] == where


async def test_a_large_import_is_read_elsewhere_and_comes_back_identically(ada: Person) -> None:
    document = msgspec.json.decode(exported(40_000))
    for round_ in document["rounds"]:
        round_["replies"][0]["content"] *= 60
    body = msgspec.json.encode(document)
    assert len(body) > INLINE_FILE_MAX_BYTES
    sent = await ada.client.post(IMPORT, content=body)
    assert sent.status_code == 201, sent.text
    first = (await ada.post(f"/api/conversations/{sent.json()['id']}/export")).content
    again = await ada.client.post(IMPORT, content=first)
    second = (await ada.post(f"/api/conversations/{again.json()['id']}/export")).content
    assert first == second
    assert len(msgspec.json.decode(second)["rounds"]) == len(document["rounds"])


async def test_a_transaction_of_an_import_only_writes(ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[str] = set()

    def noting(prefix: str) -> str:
        threads.add(threading.current_thread().name)
        return new_id(prefix)

    monkeypatch.setattr("tertulia.conversations.import_writer.new_id", noting)
    sent = await ada.client.post(IMPORT, content=exported(40_000))
    assert sent.status_code == 201, sent.text
    assert threads
    assert not threads & {"db-writer", threading.main_thread().name}


async def test_a_large_import_that_is_wrong_changes_nothing(ada: Person, tmp_path: Path) -> None:
    answer = await ada.client.post(IMPORT, content=wrong_rounds(400_000))
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "import_unreadable")
    assert (await ada.get("/api/conversations")).json()["conversations"] == []
    assert list((tmp_path / "data" / "incoming").iterdir()) == []


async def test_a_file_that_needs_too_much_memory_ends_its_reader_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "source"
    source.write_bytes(b'{"rounds": [[' + b"{}," * 2_000_000 + b"{}]]}")
    monkeypatch.setattr("tertulia.conversations.import_child.IMPORT_MEMORY_BASE_BYTES", 200_000_000)
    monkeypatch.setattr("tertulia.conversations.import_child.IMPORT_MEMORY_BYTES_PER_FILE_BYTE", 0)
    with pytest.raises(ImportUnreadable):
        await check_in_child(source, tmp_path / "into", size=1)


async def test_others_write_between_the_slices_of_an_import(world: World, ada: Person) -> None:
    importing = asyncio.create_task(import_all(world, ada))
    seen: list[int] = []
    while not importing.done():
        seen.append(await world.db.write(count_rounds, by=None))
    await importing
    grown = [after - before for before, after in pairwise(seen)]
    # Each of these writes waited for a few slices at most, however long the import is.
    assert max(grown) <= 2 * IMPORT_BATCH_MAX_ROUNDS


async def test_nobody_sees_an_import_before_it_is_whole(world: World, ada: Person) -> None:
    importing = asyncio.create_task(import_all(world, ada))
    while not await world.db.read(count_rounds, by=None):
        assert not importing.done()
        await asyncio.sleep(0)
    assert (await ada.get("/api/conversations")).json()["conversations"] == []
    importing.cancel()
    await asyncio.gather(importing, return_exceptions=True)
    assert (await ada.get("/api/conversations")).json()["conversations"] == []
    assert await world.db.read(lambda tx: tx.value("SELECT count(*) FROM pending_deletions"), by=None) == 1


async def test_what_was_imported_is_found_as_its_visibility_says(world: World, ada: Person) -> None:
    conversation = await import_all(world, ada, rounds=60)
    who = {"workspace_id": ada.principal.workspace_id, "user_id": ada.principal.user_id}
    find = job_handlers(db=world.db, log=world.server.parts.events)[INDEX_MESSAGES_JOB]
    await find(who | {"conversation_id": conversation.id})
    assert await world.db.read(count_sources, by=None) == 120
    assert conversation.round_count == 60


def test_a_slice_of_long_rounds_has_few_of_them() -> None:
    short, *others = read_document(exported(100_000)).rounds
    question = short.question.model_copy(update={"content": "x" * (IMPORT_BATCH_MAX_CHARS // 2)})
    long = short.model_copy(update={"question": question})
    rounds = iter([*others[:30], *[long] * 5])
    assert [len(take_rounds(rounds, 64)) for _ in range(4)] == [32, 2, 1, 0]


async def test_of_a_long_message_only_the_beginning_is_read_to_have_it_indexed(
    world: World, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation = await import_all(world, ada, rounds=2)

    def lengthen(tx: Tx) -> None:
        tx.run("UPDATE messages SET content = :text, thinking = :text", text="Long. " * 50_000)

    await world.db.write(lengthen, by=None)
    read: list[int] = []
    index_message = message_index.index_message

    def noting(tx: Tx, message: Message) -> None:
        read.append(len(message.content) + len(message.thinking))
        index_message(tx, message)

    monkeypatch.setattr(message_index, "index_message", noting)
    await message_index.index_in_batches(world.db, conversation.id, by=ada.principal)
    assert read == [2 * REVERSAL_READ_MAX_CHARS] * 4
    assert await world.db.read(count_sources, by=None) == 4


async def import_all(world: World, ada: Person, *, rounds: int = 400) -> Any:
    document = read_document(exported(rounds * 1_250))
    some = document.rounds[:rounds]
    shown = document.model_copy(update={"rounds": some, "head": some[-1].ref})
    checked = CheckedImport(shown, [outline_round(round_) for round_ in some], iter(some))
    log = world.server.parts.events
    added = await import_in_batches(checked, db=world.db, log=log, by=ada.principal, project_id=None)
    return await world.db.read(lambda tx: get_unchecked(tx, added.id), by=ada.principal)


def count_rounds(tx: Tx) -> int:
    return int(str(tx.value("SELECT count(*) FROM rounds")))


def count_sources(tx: Tx) -> int:
    return int(str(tx.value("SELECT count(*) FROM sources")))
