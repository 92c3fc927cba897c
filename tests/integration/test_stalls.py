"""Nobody's load keeps the event loop to itself: between two looks at others there is little work.

Work is measured as the processor time of the loop's own thread, so that a busy machine changes nothing.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from threading import Thread, current_thread
from time import thread_time
from types import ModuleType
from typing import Any

import pytest
from bench.seeding import QUESTION
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, Person, World

from tertulia.context.included_files import find_mentions
from tertulia.context.recall_query import join_previous_question, shorten_query, texts_for
from tertulia.context.remarks import is_remark
from tertulia.conversations import round_writer
from tertulia.conversations.access import IndexableMessage, find_indexable_message
from tertulia.conversations.domain import Conversation, Message
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Tx
from tertulia.infra.events import EventEntry, EventLog
from tertulia.infra.http import body_limits
from tertulia.live.event_stream import (
    SSE_WRITE_MAX_BYTES,
    StreamPosition,
    Subscription,
    encode_events,
    sse_frames,
)
from tertulia.models import tokens
from tertulia.retrieval.search_query import QUERY_MAX_CHARS
from tertulia.turns import service as turn_service
from tertulia.turns.recorder import FLUSH_MAX_CHARS
from tertulia.turns.reply_draft import TEXT_EVENT_MAX_CHARS
from tertulia.upkeep.titles import TITLE_MESSAGE_MAX_CHARS, FirstExchange, find_first_exchange

#: What one piece of work may take, on a slow machine.
STALL_MAX_SECONDS = 0.03
PIECE = "Ein Uhrwerk dreht die Linse über dem Meer. " * 20


@asynccontextmanager
async def watched() -> AsyncGenerator[list[float]]:
    """Note how much the loop's thread works between two turns of a task that always wants one."""
    work: list[float] = []

    async def tick() -> None:
        last = thread_time()
        while True:
            await asyncio.sleep(0)
            work.append(thread_time() - last)
            last = thread_time()

    ticking = asyncio.create_task(tick())
    try:
        yield work
    finally:
        ticking.cancel()


async def ask_and_watch(world: World, ada: Person, message: str, **more: Any) -> tuple[Json, float]:
    async with watched() as work:
        turn = await ada.start(message, **more)
        await asyncio.gather(*world.server.parts.runner._tasks)
    return turn, max(work)


async def test_a_question_of_a_million_characters_holds_nobody_up(world: World) -> None:
    ada = await world.person(role="owner")
    await ada.ask("Warm up, please.")
    message = QUESTION * (1_000_000 // len(QUESTION))
    _, stall = await ask_and_watch(world, ada, message)
    assert stall < STALL_MAX_SECONDS


async def test_a_long_question_is_parsed_and_hashed_off_the_event_loop(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed_in = spy_on_threads(monkeypatch, body_limits, "parse_json")
    hashed_in = spy_on_threads(monkeypatch, turn_service, "hash_ask")
    ada = await world.person(role="owner")
    await ada.ask("Short?")
    await ada.ask(QUESTION * 1_000)
    here = current_thread()
    assert [thread is here for thread in parsed_in] == [True, False]
    assert [thread is here for thread in hashed_in] == [True, False]


async def test_a_question_that_follows_a_long_message_is_asked_without_reading_it(
    world: World, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.script("talking", Script(reply=[PIECE]))
    ada = await world.person(role="owner")
    turn = await ada.start(QUESTION, models=["openai/talking"])
    (reply,) = (await ada.finished(turn))["replies"]
    followed: list[Message | None] = []
    find_parent = round_writer._parent_message

    def noting(tx: Tx, conversation: Conversation, parent_id: str | None) -> Message | None:
        followed.append(find_parent(tx, conversation, parent_id))
        return followed[-1]

    monkeypatch.setattr(round_writer, "_parent_message", noting)
    for parent_id in (reply["id"], "head"):
        more = {"conversation_id": turn["conversation"]["id"], "parent_id": parent_id}
        await ada.ask("And then?", models=["openai/talking"], **more)
    first, second = (said for said in followed if said)
    assert (first.id, first.content, second.content) == (reply["id"], "", "")


def spy_on_threads(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[Thread]:
    """Note in which thread each call of a function is done."""
    threads: list[Thread] = []
    call: Callable[..., Any] = getattr(module, name)

    def noting(*arguments: Any, **options: Any) -> Any:
        threads.append(current_thread())
        return call(*arguments, **options)

    monkeypatch.setattr(module, name, noting)
    return threads


async def test_of_a_long_exchange_its_beginning_is_read_for_its_title_and_around_its_reply(
    world: World, provider: ScriptedProvider
) -> None:
    provider.script("talking", Script(reply=[PIECE] * 100))
    ada = await world.person(role="owner")
    asked = QUESTION * 1_000
    turn = await ada.start(asked, models=["openai/talking"])
    (reply,) = (await ada.finished(turn))["replies"]

    def read(tx: Tx) -> tuple[FirstExchange | None, IndexableMessage | None]:
        tx.run("UPDATE conversations SET title_by = 'question'")
        exchange = find_first_exchange(tx.acting_for(ada.principal), turn["conversation"]["id"])
        return exchange, find_indexable_message(
            tx.acting_for(ada.principal), reply["id"], question_max_chars=100
        )

    exchange, indexable = await world.db.write(read, by=None)
    assert exchange is not None
    said = (asked, PIECE * 100)
    assert [line.text for line in exchange.lines] == [text[:TITLE_MESSAGE_MAX_CHARS] for text in said]
    assert indexable is not None
    assert (indexable.content, indexable.before) == (said[1], asked[:100])


async def test_the_first_question_to_a_model_with_a_vocabulary_of_its_own_holds_nobody_up(
    world: World, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.script("llama-3-talking", Script(reply=["Yes."]))
    ada = await world.person(role="owner")
    await ada.ask("Warm up, please.")
    monkeypatch.setattr(tokens, "VOCABULARIES", {})
    tokens.count_tools.cache_clear()
    _, stall = await ask_and_watch(world, ada, QUESTION, models=["openai/llama-3-talking"])
    assert "llama3" in tokens.VOCABULARIES
    assert stall < STALL_MAX_SECONDS


async def test_long_replies_hold_nobody_up_and_are_stored_a_little_at_a_time(
    world: World, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = [PIECE] * (400_000 // len(PIECE)) + [PIECE * 500]
    provider.script("talking", Script(reply=pieces))
    ada = await world.person(role="owner")
    await ada.ask("Warm up, please.")
    flushes = spy_on_flushes(monkeypatch)
    models = ["openai/talking", "anthropic/talking", "google/talking"]
    turn, stall = await ask_and_watch(world, ada, "At length, please.", models=models)
    assert stall < STALL_MAX_SECONDS
    assert max(flushes) <= FLUSH_MAX_CHARS + 2 * TEXT_EVENT_MAX_CHARS
    assert sum(flushes) > 3 * len("".join(pieces))

    heard: dict[str, str] = {}
    async for event in ada.events(turn["conversation"]["id"], after=0):
        if event["type"] == "reply.text":
            assert event["offset"] == len(heard.get(event["reply_id"], ""))
            assert len(event["text"]) <= TEXT_EVENT_MAX_CHARS
            heard[event["reply_id"]] = heard.get(event["reply_id"], "") + event["text"]
        elif event["type"] == "reply.closed":
            assert heard[event["reply"]["id"]] == "".join(pieces)
            assert event["reply"]["content"] == ""
            assert event["omitted_content_chars"] == len("".join(pieces))
        elif event["type"] == "round.closed":
            break
    assert len(heard) == len(models)


def spy_on_flushes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note how many characters of replies each transaction stores."""
    flushes: list[int] = []
    append_all = EventLog.append_all

    def noting(log: EventLog, tx: Tx, news: Mapping[str, Sequence[str]]) -> None:
        bodies = [body for topic in news.values() for body in topic]
        flushes.append(sum(len(body) for body in bodies if body.startswith('{"type":"reply.text"')))
        append_all(log, tx, news)

    monkeypatch.setattr(EventLog, "append_all", noting)
    return flushes


def test_a_long_event_in_any_script_is_written_to_a_listener_quickly() -> None:
    entry = EventEntry("topic", 1, "Käse\u2028" * 1_000_000)
    began = thread_time()
    entry.body[:500_000].translate({0x2028: "\\u2028"})
    one_by_one = 10 * (thread_time() - began)
    began = thread_time()
    written = encode_events([entry], StreamPosition([Subscription("topic", 0)], [0]))
    # Against the machine's own pace: looking at each character takes several times as long.
    assert thread_time() - began < one_by_one / 2
    assert written == b"id: 1\ndata: " + "Käse\\u2028".encode() * 1_000_000 + b"\n\n"


async def test_a_long_event_is_sent_to_a_listener_a_little_at_a_time(world: World) -> None:
    log, db = world.server.parts.events, world.server.parts.db
    body = f'"{"Käse" * 100_000}"'
    await db.write(lambda tx: log.append(tx, "topic", [body]), by=None)

    async def allow(topics: Collection[str]) -> None:
        assert "topic" in topics

    async def show_all(entries: Sequence[EventEntry]) -> Sequence[EventEntry]:
        return entries

    sent: list[bytes] = []
    person = Principal(new_id("usr"), new_id("wsp"), Role.MEMBER)
    stream = sse_frames(
        [Subscription("topic", 0)], [0], by=person, log=log, check=allow, redact=show_all, first=b""
    )
    async with aclosing(stream) as pieces:
        async for piece in pieces:
            sent.append(piece)
            if piece == b"\n\n":
                break
    assert b"".join(sent[1:]).decode() == f"id: 1\ndata: {body}\n\n"
    assert max(map(len, sent)) <= SSE_WRITE_MAX_BYTES


def test_a_very_long_text_is_no_remark_and_looked_for_by_its_ends() -> None:
    assert is_remark("ok " * 10)
    assert not is_remark("ok " * 1_000)
    text = "begin " + "middle " * 100_000 + "end"
    looked_for = shorten_query(text)
    assert len(looked_for) <= QUERY_MAX_CHARS
    assert looked_for.startswith("begin ")
    assert looked_for.endswith("end")
    assert shorten_query("short") == "short"


def test_a_very_long_question_speaks_for_itself_and_its_words_are_not_read_for_that() -> None:
    text = "ok " * 300_000
    began = thread_time()
    assert join_previous_question(text, ["What of the lamp?"]) == ""
    assert thread_time() - began < STALL_MAX_SECONDS / 10
    assert join_previous_question("And then?", ["What of the lamp?"]) == "What of the lamp?\nAnd then?"


def test_what_is_remembered_of_a_very_long_question_is_short() -> None:
    text = "word " * 200_000
    assert sum(map(len, texts_for(text, f"{text}\nshorter"))) <= 2 * QUERY_MAX_CHARS


def test_names_after_a_sign_are_found_in_a_text_of_any_length() -> None:
    (found,) = find_mentions("x" * 500_000 + ' a#b ## #"a plan.md" ' + "y" * 500_000)
    assert found.is_quoted
    assert len(find_mentions("".join(f"#f{number}.md " for number in range(100_000)))) == 20
