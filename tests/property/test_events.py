"""Events in any order of doing: numbered without a gap, each heard once, and together the exact text."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.databases import open_database
from tests.effort import effort
from tests.written_replies import a_reply

from tertulia.conversations.events import (
    ReplyStarted,
    ReplyStatusChanged,
    ReplyText,
    ReplyThinking,
    decode_event,
    encode_event,
)
from tertulia.core.clock import now
from tertulia.core.nul_characters import replace_nul
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.infra.events.log import (
    delete_events_through,
    first_stored_seq,
    last_seq,
    read_events,
)
from tertulia.infra.events.topic_feed import BUFFERED_EVENTS_MAX, TopicFeed
from tertulia.turns.reply_draft import TEXT_EVENT_MAX_CHARS, ReplyDraft

PRINCIPAL = Principal("usr_1", "wsp_1", Role.MEMBER)
EVERYTHING = 1_000_000
REPLY = a_reply(first_seq=0, created_at=now(), started_at=None)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
actions = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["hear", "think"]), texts),
        st.tuples(st.sampled_from(["note", "store", "store some", "fail"]), st.just("")),
    ),
    max_size=40,
)


@settings(max_examples=effort(200))
@given(actions, texts)
def test_a_draft_tells_its_text_in_pieces_that_join_without_a_gap(
    actions: list[tuple[str, str]], begun: str
) -> None:
    draft, stored = ReplyDraft(REPLY, by=PRINCIPAL, text_before=begun), list[str]()
    said, thought, notes, firsts = begun, "", 0, 0
    for action, text in actions:
        if action == "hear":
            firsts += draft.add_text(text)
            said += text
        elif action == "think":
            firsts += draft.add_thinking(text)
            thought += text
        elif action == "note":
            draft.add_event(ReplyStatusChanged(REPLY.id, "busy", "", 1.0))
            notes += 1
        elif action == "store":
            stored += draft.take_unsaved(EVERYTHING)
        elif action == "store some":
            stored += draft.take_unsaved(1)
        else:  # what could not be stored comes first the next time, whatever is heard meanwhile
            taken = draft.take_unsaved(EVERYTHING)
            firsts += draft.add_text("meanwhile")
            said += "meanwhile"
            draft.put_back(taken)
    stored += draft.take_unsaved(EVERYTHING)

    events = [decode_event(body) for body in stored]
    assert (draft.text, draft.thinking) == (said, thought)
    assert joined(events, ReplyText, start=replace_nul(begun)) == replace_nul(said)
    assert joined(events, ReplyThinking) == replace_nul(thought)
    assert sum(isinstance(event, ReplyStatusChanged) for event in events) == notes
    assert firsts == bool(said[len(begun) :] or thought)
    assert not draft.has_unsaved
    assert draft.take_unsaved(EVERYTHING) == []


@settings(max_examples=effort(30))
@given(
    st.lists(st.integers(1, 3 * TEXT_EVENT_MAX_CHARS), max_size=4), st.integers(1, 3 * TEXT_EVENT_MAX_CHARS)
)
def test_a_draft_is_taken_in_shares_of_short_pieces_however_much_is_heard_at_once(
    sizes: list[int], max_chars: int
) -> None:
    draft, events = ReplyDraft(REPLY, by=PRINCIPAL), list[object]()
    for size in sizes:
        draft.add_text("a" * size)
    while draft.has_unsaved:
        share = draft.take_unsaved(max_chars)
        assert len(share) == 1 or sum(map(len, share)) <= max_chars
        events += map(decode_event, share)
    assert joined(events, ReplyText) == draft.text == "a" * sum(sizes)
    assert all(isinstance(event, ReplyText) and len(event.text) <= TEXT_EVENT_MAX_CHARS for event in events)


def joined(events: Sequence[object], kind: type[ReplyText | ReplyThinking], *, start: str = "") -> str:
    """Join the pieces of one kind, checking that each begins where the one before it ended."""
    text = start
    for event in events:
        if isinstance(event, kind):
            assert event.offset == len(text)
            text += event.text
    return text


@settings(max_examples=effort(100))
@given(st.lists(st.integers(1, 400), max_size=6), st.integers(0, 30), st.integers(0, 2_500))
def test_memory_answers_with_the_exact_suffix_or_not_at_all(
    groups: list[int], before: int, after: int
) -> None:
    feed, last = TopicFeed("t"), before
    for size in groups:
        last += size
        feed.hear(last, [""] * size)

    found = feed.entries_after(after)
    oldest = max(before, last - BUFFERED_EVENTS_MAX) + 1
    if not groups or after + 1 < oldest:
        assert found is None
    else:
        assert [entry.seq for entry in found or []] == list(range(after + 1, last + 1))


@asynccontextmanager
async def open_log() -> AsyncGenerator[tuple[Database, EventLog]]:
    with TemporaryDirectory() as folder:
        db = open_database(Path(folder) / "events.db")
        try:
            yield db, EventLog(db)
        finally:
            await asyncio.to_thread(db.close)


async def heard(log: EventLog, topic: str, after: int, through: int) -> list[tuple[int, str]]:
    """Follow a topic from one number through another."""
    found: list[tuple[int, str]] = []
    if after >= through:
        return found
    async with aclosing(log.subscribe(topic, after, idle_seconds=5)) as entries:
        async for group in entries:
            assert group, "nothing came"
            found += [(entry.seq, entry.body) for entry in group]
            if found[-1][0] >= through:
                return found
    return found


def bodies(first: int, count: int) -> list[str]:
    return [encode_event(ReplyStarted("rnd_1", str(number))) for number in range(first, first + count)]


@settings(max_examples=effort(15))
@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 100)), min_size=1, max_size=6),
)
async def test_every_listener_hears_exactly_what_comes_after_its_number(
    groups: list[int], listeners: list[tuple[int, int]]
) -> None:
    """`listeners` are pairs: how many groups are there when it begins to listen, and after which share."""
    total = sum(groups)
    async with open_log() as (db, log), asyncio.TaskGroup() as tasks:
        listening: list[tuple[int, asyncio.Task[list[tuple[int, str]]]]] = []
        written = 0
        for place in range(len(groups) + 1):
            for begins, share in listeners:
                if min(begins, len(groups)) == place:
                    after = written * share // 100
                    listening.append((after, tasks.create_task(heard(log, "t", after, total))))
            if place < len(groups):
                news = bodies(written + 1, groups[place])
                written += len(news)
                tasks.create_task(db.write(lambda tx, news=news: log.append(tx, "t", news), by=None))
                await asyncio.sleep(0)
        everything = list(enumerate(bodies(1, total), 1))
        for after, task in listening:
            assert await task == everything[after:]


@settings(max_examples=effort(15))
@given(st.integers(1, 40), st.integers(0, 45), st.integers(0, 20))
async def test_numbers_go_on_when_old_events_are_forgotten(written: int, through: int, more: int) -> None:
    async with open_log() as (db, log):
        await db.write(lambda tx: log.append(tx, "t", bodies(1, written)), by=None)
        await db.write(lambda tx: delete_events_through(tx, "t", min(through, written)), by=None)
        if more:
            await db.write(lambda tx: log.append(tx, "t", bodies(written + 1, more)), by=None)

        kept = await db.read(lambda tx: (first_stored_seq(tx, "t"), last_seq(tx, "t")), by=None)
        assert kept == (min(through, written) + 1, written + more)
        found = await heard(log, "t", min(through, written), written + more)
        assert [seq for seq, _ in found] == list(range(min(through, written) + 1, written + more + 1))


changes = st.lists(
    st.tuples(st.sampled_from(["append", "prune", "erase", "forget"]), st.integers(1, 8)), max_size=12
)


@settings(max_examples=effort(10))
@given(changes, st.integers(0, 30), st.integers(1, 8))
async def test_whoever_reconnects_hears_what_is_stored_and_nothing_that_was_deleted(
    changes: list[tuple[str, int]], after: int, more: int
) -> None:
    """All the while somebody else listens, so that memory holds what was said."""
    async with open_log() as (db, log), aclosing(log.subscribe("t", 0, idle_seconds=0)) as listening:
        await anext(listening)
        for change, size in changes:
            await db.write(lambda tx, change=change, size=size: make(tx, log, change, size), by=None)
        last = await db.read(lambda tx: last_seq(tx, "t"), by=None)
        after = min(after, last)
        reading = asyncio.create_task(heard(log, "t", after, last + more))
        await asyncio.sleep(0)
        await db.write(lambda tx: log.append(tx, "t", bodies(last + 1, more)), by=None)

        stored = await db.read(lambda tx: read_events(tx, "t", after), by=None)
        assert await reading == [(entry.seq, entry.body) for entry in stored]


def make(tx: Tx, log: EventLog, change: str, size: int) -> None:
    """Change a topic as deletions do, some of them by triggers of the database."""
    match change:
        case "append":
            log.append(tx, "t", bodies(last_seq(tx, "t") + 1, size))
        case "prune":
            delete_events_through(tx, "t", min(size, last_seq(tx, "t")))
        case "erase":
            tx.run("UPDATE events SET body = 'erased' WHERE topic = 't' AND seq = :seq", seq=size)
        case _:
            # As when somebody leaves a workspace: the events go, and the numbers go on with one left out.
            tx.run("DELETE FROM events WHERE topic = 't'")
            tx.run("UPDATE topics SET last_seq = last_seq + 1 WHERE topic = 't'")


async def test_a_write_that_fails_leaves_no_gap_and_is_never_heard() -> None:
    async with open_log() as (db, log):
        for number in range(10):

            def write(tx: Tx, number: int = number) -> None:
                log.append(tx, "t", bodies(number, 1))
                if number % 3 == 0:
                    raise ValueError

            outcome = await asyncio.gather(db.write(write, by=None), return_exceptions=True)
            assert isinstance(outcome[0], ValueError) == (number % 3 == 0)

        found = await heard(log, "t", 0, 6)
        assert [seq for seq, _ in found] == [1, 2, 3, 4, 5, 6]
        assert all(after == before + 1 for (before, _), (after, _) in pairwise(found))
        assert [body for _, body in found] == [bodies(number, 1)[0] for number in (1, 2, 4, 5, 7, 8)]
