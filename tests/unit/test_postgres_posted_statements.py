"""Statements on PostgreSQL of which nobody waits to hear: in order, and never lost without a word."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.databases import Engine, open_database

from tertulia.infra.db import Database, Tx
from tertulia.infra.db.errors import ConstraintBroken

pytestmark = pytest.mark.parametrize("engine", [Engine.POSTGRES], indirect=True)
INSERT_SQL = "INSERT INTO topics (topic, last_seq) VALUES (:topic, :seq)"
#: Several times as many as are kept before they are sent.
MANY = 170


@pytest.fixture
def db(tmp_path: Path, engine: Engine) -> Generator[Database]:
    database = open_database(tmp_path / "postgres.db")
    yield database
    database.close()


def add_topic(tx: Tx, topic: str, seq: int = 0) -> None:
    tx.run(INSERT_SQL, topic=topic, seq=seq)


def list_topics(tx: Tx) -> list[str]:
    return tx.column("SELECT topic FROM topics ORDER BY topic")


async def test_a_query_sees_all_that_was_written_before_it(db: Database) -> None:
    def write(tx: Tx) -> tuple[list[str], int, list[str]]:
        add_topic(tx, "a")
        add_topic(tx, "b")
        seen = list_topics(tx)
        tx.run("DELETE FROM topics WHERE topic = 'a'")
        add_topic(tx, "c")
        return seen, tx.change("UPDATE topics SET last_seq = 1"), list_topics(tx)

    assert await db.write(write, by=None) == (["a", "b"], 2, ["b", "c"])
    assert await db.read(list_topics, by=None) == ["b", "c"]


async def test_many_rows_are_written_in_their_order(db: Database) -> None:
    def write(tx: Tx) -> None:
        tx.run_many(INSERT_SQL, ({"topic": f"{number:04}", "seq": number} for number in range(MANY)))
        tx.run("UPDATE topics SET last_seq = -last_seq")

    await db.write(write, by=None)
    rows = await db.read(lambda tx: tx.rows("SELECT topic, last_seq FROM topics ORDER BY topic"), by=None)
    assert rows == [(f"{number:04}", -number) for number in range(MANY)]


async def test_values_that_fill_the_line_to_the_server_arrive(db: Database) -> None:
    long = "long " * 400_000
    await db.write(lambda tx: tx.run_many(INSERT_SQL, [{"topic": t, "seq": 1} for t in "abc"]), by=None)

    def write(tx: Tx) -> None:
        for topic in "abc":
            sql = "INSERT INTO events (topic, seq, body) VALUES (:topic, 1, :body)"
            tx.run(sql, topic=topic, body=topic + long)

    await db.write(write, by=None)
    sizes = await db.read(lambda tx: tx.column("SELECT length(body) FROM events"), by=None)
    assert sizes == [len(long) + 1] * 3


async def test_a_last_statement_that_fails_undoes_all_and_is_told(db: Database) -> None:
    committed = list[str]()

    def write(tx: Tx) -> None:
        tx.after_commit(lambda: committed.append("called"))
        add_topic(tx, "a")
        add_topic(tx, "a")
        add_topic(tx, "b")

    with pytest.raises(ConstraintBroken):
        await db.write(write, by=None)
    assert await db.read(list_topics, by=None) == []
    assert committed == []
    await db.write(lambda tx: add_topic(tx, "c"), by=None)
    assert await db.read(list_topics, by=None) == ["c"]


async def test_a_statement_that_fails_is_told_by_the_next_query(db: Database) -> None:
    def write(tx: Tx) -> None:
        add_topic(tx, "a")
        add_topic(tx, "a")
        list_topics(tx)

    with pytest.raises(ConstraintBroken):
        await db.write(write, by=None)
    assert await db.read(list_topics, by=None) == []


async def test_an_attempt_whose_last_statement_fails_is_undone_alone(db: Database) -> None:
    def add_twice(tx: Tx) -> None:
        add_topic(tx, "b")
        add_topic(tx, "a")

    def write(tx: Tx) -> None:
        add_topic(tx, "a")
        with pytest.raises(ConstraintBroken):
            tx.attempt(lambda: add_twice(tx))
        add_topic(tx, "c")

    await db.write(write, by=None)
    assert await db.read(list_topics, by=None) == ["a", "c"]


async def test_what_fails_before_an_attempt_is_not_taken_for_its_failure(db: Database) -> None:
    tried = list[str]()

    def write(tx: Tx) -> None:
        add_topic(tx, "a")
        add_topic(tx, "a")
        tx.attempt(lambda: tried.append("tried"))

    with pytest.raises(ConstraintBroken):
        await db.write(write, by=None)
    assert tried == []
    assert await db.read(list_topics, by=None) == []


async def test_reads_follow_one_another_after_attempts(db: Database) -> None:
    await db.write(lambda tx: add_topic(tx, "a"), by=None)

    def read(tx: Tx) -> list[str]:
        tx.attempt(lambda: list_topics(tx))
        return tx.attempt(lambda: list_topics(tx))

    assert [await db.read(read, by=None) for _ in range(3)] == [["a"]] * 3
