"""Versions of a summary: which is in force where, and what undoing does."""

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from tests.clocks import DAY_MS, Machine
from tests.databases import open_database
from tests.world import add_person

from tertulia.conversations import rounds
from tertulia.conversations import store as conversations
from tertulia.conversations.domain import Anchor, Origin, Policy, Round
from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Packed, Tx
from tertulia.memory import summaries
from tertulia.memory.domain import Point, PointKind, Summary
from tertulia.memory.summary_index import list_indexed_points

T = TypeVar("T")
POINT = Point(PointKind.DECISION, "We decided.", ["msg_1"], [1], ["user"])


class Talk:
    """A conversation whose rounds are made here, without anyone speaking."""

    def __init__(self, db: Database, me: Principal, conversation_id: str) -> None:
        self.db = db
        self.me = me
        self.id = conversation_id

    async def rounds(self, count: int, after: Round | None = None) -> list[Round]:
        """Add so many rounds in a row, below another or from the beginning."""
        made: list[Round] = []
        for _ in range(count):
            after = Round(
                id=new_id("rnd"),
                workspace_id=self.me.workspace_id,
                conversation_id=self.id,
                parent_id=after.id if after else None,
                number=after.number + 1 if after else 1,
                policy=Policy.EVERYONE,
                author_id=self.me.user_id,
                created_at=now(),
            )
            made.append(after)
        await self.write(lambda tx: [rounds.add_round(tx, one) for one in made])
        return made

    async def summary(self, at: Round, *, watermark: int = 0, points: Sequence[Point] = (POINT,)) -> Summary:
        made = Summary(
            id=new_id("sum"),
            workspace_id=self.me.workspace_id,
            conversation_id=self.id,
            round_id=at.id,
            round_number=at.number,
            watermark=watermark,
            points=list(points),
            made_by="extractive",
            created_at=now(),
            undone_at=None,
        )
        return await self.write(lambda tx: summaries.add_summary(tx, made))

    async def in_force(self, at: Round) -> Summary | None:
        return await self.db.read(lambda tx: summaries.find_current_summary(tx, self.id, at.id), by=self.me)

    async def history(self, by: Principal | None = None) -> list[Summary]:
        return await self.db.read(lambda tx: summaries.list_summaries(tx, self.id), by=by or self.me)

    async def write(self, call: Callable[[Tx], T]) -> T:
        return await self.db.write(call, by=self.me)

    async def indexed(self) -> dict[str, list[str]]:
        """Return the versions that search is to find, with the points that each has there."""

        def read(tx: Tx) -> dict[str, list[str]]:
            sql = "SELECT source_id FROM sources WHERE kind = 'summary' AND workspace_id = :workspace"
            return {
                id_: [point.text for point in list_indexed_points(tx, id_)] for id_ in sorted(tx.column(sql))
            }

        return await self.db.read(read, by=self.me)


def said(text: str, *, round_number: int = 1) -> Point:
    return Point(PointKind.TOPIC, text, [f"msg_{round_number}"], [round_number], ["user"])


def anywhere(tx: Tx) -> str:
    made = conversations.add(
        tx,
        project_id=None,
        anchor=Anchor.WORKSPACE,
        anchor_id=None,
        origin=Origin.APP,
        title=None,
        instructions="",
    )
    return made.id


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncGenerator[Talk]:
    db = open_database(tmp_path / "memory.db")
    me, _ = await add_person(db, role=Role.OWNER, workspace=None, email="ada@example.com")
    yield Talk(db, me, await db.write(anywhere, by=me))
    db.close()


async def test_a_summary_comes_back_as_it_was_made(talk: Talk) -> None:
    [only] = await talk.rounds(1)
    made = await talk.summary(only, watermark=1)
    assert await talk.in_force(only) == made
    assert made.is_compression
    assert made.of_kind(PointKind.DECISION) == [POINT]
    assert made.of_kind(PointKind.TOPIC) == []


async def test_nothing_is_in_force_before_the_round_it_covers(talk: Talk) -> None:
    first, second, third = await talk.rounds(3)
    made = await talk.summary(second)
    assert await talk.in_force(first) is None
    assert await talk.in_force(second) == made
    assert await talk.in_force(third) == made
    assert not made.is_compression


async def test_the_newest_version_is_in_force(talk: Talk) -> None:
    first, second = await talk.rounds(2)
    await talk.summary(first)
    newer = await talk.summary(second)
    assert await talk.in_force(second) == newer


async def test_another_branch_does_not_see_it(talk: Talk) -> None:
    first, second = await talk.rounds(2)
    [beside] = await talk.rounds(1, after=first)
    older = await talk.summary(first)
    await talk.summary(second)
    assert await talk.in_force(beside) == older


async def test_it_is_found_far_back_on_a_long_branch(talk: Talk) -> None:
    path = await talk.rounds(summaries.NEAR_BRANCH_END_ROUNDS + 50)
    made = await talk.summary(path[3])
    assert await talk.in_force(path[-1]) == made


async def test_undoing_brings_the_version_before_back_and_takes_the_later_ones_along(talk: Talk) -> None:
    path = await talk.rounds(3)
    first, second, third = [await talk.summary(one) for one in path]
    await talk.write(lambda tx: summaries.undo_summary(tx, second, path[-1].id))
    assert await talk.in_force(path[-1]) == first
    history = await talk.history()
    assert [one.id for one in history] == [third.id, second.id, first.id]
    assert [one.undone_at is None for one in history] == [False, False, True]
    newest = await talk.db.read(lambda tx: summaries.find_newest_summary(tx, talk.id), by=talk.me)
    assert newest is not None
    assert replace(newest, undone_at=None, undo_sort_key="") == third


async def test_undoing_touches_nothing_that_another_branch_made(talk: Talk) -> None:
    path = await talk.rounds(3)
    beside = await talk.rounds(2, after=path[0])
    long = await talk.summary(path[1], watermark=1)
    shared = await talk.summary(path[0], watermark=1)
    there = await talk.summary(beside[0], watermark=1)
    assert await talk.in_force(path[-1]) == long, "a newer one that reaches less far does not hide it"

    await talk.write(lambda tx: summaries.undo_summary(tx, long, path[-1].id))
    assert await talk.in_force(path[-1]) == shared
    assert await talk.in_force(beside[-1]) == there


async def test_undoing_twice_keeps_the_first_moment(talk: Talk) -> None:
    [only] = await talk.rounds(1)
    made = await talk.summary(only)
    await talk.write(lambda tx: summaries.undo_summary(tx, made, only.id))
    [before] = await talk.history()
    await talk.write(lambda tx: summaries.undo_summary(tx, made, only.id))
    assert await talk.history() == [before]
    assert await talk.in_force(only) is None


async def test_the_version_that_was_undone_last_is_known_although_the_clock_was_set_back(
    machine: Machine, talk: Talk
) -> None:
    first, second = await talk.rounds(2)
    older, newer = [await talk.summary(round_, watermark=1) for round_ in (first, second)]
    await talk.write(lambda tx: summaries.undo_summary(tx, newer, second.id))
    machine.ahead_ms = -400 * DAY_MS
    await talk.write(lambda tx: summaries.undo_summary(tx, older, second.id))

    last = await talk.db.read(lambda tx: summaries.find_last_undone(tx, talk.id, second.id), by=talk.me)
    assert last is not None
    assert last.id == older.id


async def test_a_conversation_without_any_has_none(talk: Talk) -> None:
    [only] = await talk.rounds(1)
    assert await talk.in_force(only) is None
    assert await talk.history() == []
    assert await talk.db.read(lambda tx: summaries.find_newest_summary(tx, talk.id), by=talk.me) is None


async def test_another_workspace_sees_nothing_and_undoes_nothing(talk: Talk) -> None:
    [only] = await talk.rounds(1)
    made = await talk.summary(only)
    eve, _ = await add_person(talk.db, role=Role.OWNER, workspace=None, email="eve@example.com")
    assert await talk.history(by=eve) == []
    await talk.db.write(lambda tx: summaries.undo_summary(tx, made, only.id), by=eve)
    assert await talk.in_force(only) == made


async def test_a_point_that_is_made_anew_as_it_was_is_stored_once(talk: Talk) -> None:
    first, second = await talk.rounds(2)
    older = await talk.summary(first, points=[said("The boat is blue."), said("The boat is fast.")])
    newer = await talk.summary(second, points=[said("The boat is blue."), said("The boat is sold.")])
    assert newer.points[0].id == older.points[0].id
    assert newer.points[1].id not in {point.id for point in older.points}
    count = "SELECT count(*) FROM summary_points WHERE workspace_id = :workspace"
    assert await talk.db.read(lambda tx: tx.value(count), by=talk.me) == 3


async def test_search_finds_each_point_with_the_version_that_first_told_it(talk: Talk) -> None:
    first, second = await talk.rounds(2)
    older = await talk.summary(first, points=[said("The boat is blue."), said("The boat is fast.")])
    assert await talk.indexed() == {older.id: ["The boat is blue.", "The boat is fast."]}

    newer = await talk.summary(second, points=[older.points[0], said("The boat is sold.")])
    assert await talk.indexed() == {older.id: ["The boat is blue."], newer.id: ["The boat is sold."]}

    await talk.summary(second, points=[newer.points[1]])
    assert await talk.indexed() == {newer.id: ["The boat is sold."]}


async def test_what_a_version_drops_is_found_again_when_that_is_undone(talk: Talk) -> None:
    first, second = await talk.rounds(2)
    older = await talk.summary(first, points=[said("The boat is blue.")])
    newer = await talk.summary(second, points=[said("The boat was blue, and is red.")])
    assert list(await talk.indexed()) == [newer.id]
    await talk.write(lambda tx: summaries.undo_summary(tx, newer, second.id))
    assert await talk.indexed() == {older.id: ["The boat is blue."]}


async def test_only_versions_whose_points_changed_are_indexed_anew(talk: Talk) -> None:
    path = await talk.rounds(3)
    older = await talk.summary(path[0], points=[said("The boat is blue.")])
    newer = await talk.summary(path[1], points=[*older.points, said("The boat is fast.")])

    async def revisions() -> dict[str, int]:
        sql = "SELECT source_id, revision FROM sources WHERE workspace_id = :workspace"
        return dict(await talk.db.read(lambda tx: tx.rows(sql), by=talk.me))

    assert await revisions() == {older.id: 1, newer.id: 1}
    last = await talk.summary(path[2], points=[*newer.points, said("The boat is sold.")])
    assert await revisions() == {older.id: 1, newer.id: 1, last.id: 1}


async def test_search_finds_the_points_of_every_branch(talk: Talk) -> None:
    path = await talk.rounds(3)
    beside = await talk.rounds(2, after=path[0])
    shared = await talk.summary(path[0], points=[said("The boat is blue."), said("The boat is fast.")])
    here = await talk.summary(path[2], points=[shared.points[0]])
    assert await talk.indexed() == {shared.id: ["The boat is blue."]}, "no branch ends with the first version"

    there = await talk.summary(beside[1], points=[shared.points[1], said("The boat is sold.")])
    assert await talk.indexed() == {
        shared.id: ["The boat is blue.", "The boat is fast."],
        there.id: ["The boat is sold."],
    }
    await talk.write(lambda tx: summaries.undo_summary(tx, shared, path[2].id))
    assert here.points == [shared.points[0]]
    assert await talk.indexed() == {
        shared.id: ["The boat is fast."],
        there.id: ["The boat is sold."],
    }, "what another branch took over stays"


async def test_a_version_from_before_points_had_ids_is_found_whole(talk: Talk) -> None:
    first, second = await talk.rounds(2)
    early = await talk.summary(first, points=[said("The boat is blue.")])

    def make_early(tx: Tx) -> None:
        tx.run("DELETE FROM summary_points WHERE workspace_id = :workspace")
        sql = "UPDATE summaries SET point_ids = NULL, points = :points WHERE workspace_id = :workspace"
        tx.run(sql, points=Packed([replace(point, id=0) for point in early.points]))

    await talk.write(make_early)
    assert await talk.indexed() == {early.id: ["The boat is blue."]}
    newer = await talk.summary(second, points=[said("The boat is blue."), said("The boat is sold.")])
    assert await talk.indexed() == {newer.id: ["The boat is blue.", "The boat is sold."]}


async def test_what_programs_talk_about_is_not_found(talk: Talk) -> None:
    [only] = await talk.rounds(1)
    sql = "UPDATE conversations SET origin = 'api' WHERE workspace_id = :workspace"
    await talk.write(lambda tx: tx.run(sql))
    await talk.summary(only)
    assert await talk.indexed() == {}
