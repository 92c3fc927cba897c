"""Whatever becomes of the news between processes, every listener hears each event once and in order."""

import asyncio
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.couriers import WaywardNetwork
from tests.databases import open_database
from tests.effort import effort

from tertulia.infra.courier.news import EventsStored, StoredEvents, TopicEnded
from tertulia.infra.db import Database
from tertulia.infra.events import EventEntry, EventLog
from tertulia.infra.events.log import Listener, delete_events_through, last_seq
from tertulia.infra.events.topic_feed import BUFFERED_EVENTS_MAX, TopicFeed

PROCESSES = 3
TOPIC = "cnv_1"

places = st.integers(0, 20)
processes = st.integers(0, PROCESSES - 1)
actions = st.lists(
    st.one_of(
        st.tuples(st.just("append"), processes, st.integers(1, 4)),
        st.tuples(st.sampled_from(["deliver", "repeat", "deliver without bodies"]), processes, places),
        st.tuples(st.sampled_from(["lose", "look", "read", "reconnect", "prune"]), processes, st.just(0)),
    ),
    max_size=40,
)


class FollowedTopic:
    """A topic that one listener in each of several processes follows."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.network = WaywardNetwork(PROCESSES)
        self.logs = [EventLog(db, courier=courier) for courier in self.network.couriers]
        self.heard: list[list[EventEntry]] = [[] for _ in self.logs]
        self.listeners: list[tuple[Listener, ExitStack]] = [self._listen(log, 0) for log in self.logs]
        self.written: list[str] = []

    def _listen(self, log: EventLog, after: int) -> tuple[Listener, ExitStack]:
        stack = ExitStack()
        return stack.enter_context(log.listen({TOPIC: after})), stack

    def close(self) -> None:
        for _, stack in self.listeners:
            stack.close()

    async def act(self, action: str, process: int, number: int) -> None:
        courier = self.network.couriers[process]
        match action:
            case "append":
                await self.append(process, number)
            case "deliver":
                courier.deliver(number)
            case "deliver without bodies":
                courier.deliver(number, with_bodies=False)
            case "repeat":
                courier.deliver(number, again=True)
            case "lose":
                courier.lose_all()
            case "look":
                await self.look(process)
            case "read":
                await self.read(process)
            case "reconnect":
                self.listeners[process][1].close()
                self.listeners[process] = self._listen(self.logs[process], len(self.heard[process]))
            case _:
                # What nobody needs any more is forgotten.
                through = min(map(len, self.heard))
                await self.db.write(lambda tx: delete_events_through(tx, TOPIC, through), by=None)

    async def append(self, process: int, count: int) -> None:
        bodies = [str(len(self.written) + place) for place in range(1, count + 1)]
        self.written += bodies
        await self.db.write(lambda tx: self.logs[process].append(tx, TOPIC, bodies), by=None)

    async def look(self, process: int) -> None:
        self.network.couriers[process].look()
        if looking := self.logs[process]._looking:
            await looking

    async def read(self, process: int) -> bool:
        entries = await self.listeners[process][0].read()
        self.heard[process] += entries
        assert [entry.seq for entry in self.heard[process]] == list(range(1, len(self.heard[process]) + 1))
        return bool(entries)

    async def read_to_the_end(self, process: int) -> list[str]:
        """Read for as long as a listener is woken, as streams do."""
        listener, _ = self.listeners[process]
        while await self.read(process) or listener.wake.is_set():
            pass
        return [entry.body for entry in self.heard[process]]


@settings(max_examples=effort(40), deadline=None)
@given(actions)
async def test_every_listener_hears_each_event_once_and_in_order(
    actions: list[tuple[str, int, int]],
) -> None:
    with TemporaryDirectory() as folder:
        db = open_database(Path(folder) / "events.db")
        topic = FollowedTopic(db)
        try:
            for action, process, number in actions:
                await topic.act(action, process, number)
            for process in range(PROCESSES):
                await topic.look(process)
                assert await topic.read_to_the_end(process) == topic.written
        finally:
            topic.close()
            await asyncio.to_thread(db.close)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)])
async def test_events_that_arrive_in_another_order_are_all_heard_without_a_look(
    order: tuple[int, ...], tmp_path: Path
) -> None:
    db = open_database(tmp_path / "events.db")
    topic = FollowedTopic(db)
    try:
        await topic.read(1)
        for _ in order:
            await topic.append(0, 1)
        news, topic.network.couriers[1].underway = topic.network.couriers[1].underway, []
        for place in order:
            topic.network.couriers[1].underway = [news[place]]
            topic.network.couriers[1].deliver(0)
            await topic.read_to_the_end(1)
        assert [entry.body for entry in topic.heard[1]] == topic.written
    finally:
        topic.close()
        await asyncio.to_thread(db.close)


@settings(max_examples=effort(200))
@given(st.lists(st.tuples(st.integers(1, 900), st.integers(0, 600)), max_size=12), st.integers(0, 900))
def test_memory_never_answers_with_a_gap_or_with_what_is_not_the_newest(
    news: list[tuple[int, int]], cursor: int
) -> None:
    """`news` are pairs: a number that the topic has come to, and how many bodies are told with it."""
    feed = TopicFeed(TOPIC)
    for last, told in news:
        feed.hear(last, [str(seq) for seq in range(max(1, last - told + 1), last + 1)])

    newest = max((last for last, _ in news), default=0)
    found = feed.entries_after(cursor)
    assert feed.last_seq == newest
    if found is not None:
        expected = range(cursor + 1, newest + 1)
        assert [(entry.seq, entry.body) for entry in found] == [(seq, str(seq)) for seq in expected]
        assert len(found) <= BUFFERED_EVENTS_MAX


async def test_the_farewell_of_a_topic_is_heard_last_however_little_came_before(tmp_path: Path) -> None:
    db = open_database(tmp_path / "events.db")
    topic = FollowedTopic(db)
    try:
        await topic.append(0, 3)
        await topic.read_to_the_end(1)
        await topic.append(0, 3)
        await db.write(lambda tx: topic.logs[0].delete_topic(tx, TOPIC, "gone"), by=None)
        lost, ended = topic.network.couriers[1].underway[-2:]
        assert isinstance(lost, EventsStored)
        assert ended == TopicEnded(TOPIC, 7, "gone")
        topic.network.couriers[1].deliver(-1)
        topic.network.couriers[1].deliver(-1)  # what was said before comes late, and is deleted by now

        listener, _ = topic.listeners[1]
        assert await listener.read() == [EventEntry(TOPIC, 7, "gone")]
        assert await listener.read() == []
    finally:
        topic.close()
        await asyncio.to_thread(db.close)


async def test_a_topic_that_went_without_a_word_is_noticed(tmp_path: Path) -> None:
    db = open_database(tmp_path / "events.db")
    topic = FollowedTopic(db)
    try:
        await topic.look(2)
        assert not topic.listeners[2][0].has_lost_topic  # it was not there yet
        await topic.append(0, 1)
        await topic.look(2)
        await db.write(lambda tx: topic.logs[0].delete_topic(tx, TOPIC, "gone"), by=None)
        topic.network.couriers[2].lose_all()
        await topic.look(2)
        assert topic.listeners[2][0].has_lost_topic
        assert topic.listeners[2][0].wake.is_set()
    finally:
        topic.close()
        await asyncio.to_thread(db.close)


async def test_numbers_are_given_by_the_database_whoever_appends(tmp_path: Path) -> None:
    db = open_database(tmp_path / "events.db")
    network = WaywardNetwork(PROCESSES)
    logs = [EventLog(db, courier=courier) for courier in network.couriers]
    try:
        await asyncio.gather(
            *(db.write(lambda tx, log=log: log.append(tx, TOPIC, ["x"]), by=None) for log in logs * 5)
        )
        told = [
            stored
            for courier in network.couriers
            for news in courier.underway
            if isinstance(news, EventsStored)
            for stored in news.topics
        ]
        assert await db.read(lambda tx: last_seq(tx, TOPIC), by=None) == 15
        assert set(told) == {StoredEvents(TOPIC, number, ("x",)) for number in range(1, 16)}
    finally:
        await asyncio.to_thread(db.close)
