"""A long message is cut a little at a time, by whoever asks for its chunks, and not on the event loop."""

import threading
from itertools import islice

import pytest
from tests.search_world import until
from tests.world import World

from tertulia.retrieval.chunking import message_chunks
from tertulia.retrieval.chunking.measured_lines import MeasuredLines
from tertulia.retrieval.chunking.message_chunks import MESSAGE_WINDOW_CHARS, chunk_message

LONG = "A clockwork turns the lens upon a bath of mercury.\n\n" * 20_000


def test_the_first_chunks_of_a_long_message_need_only_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []

    class Counted(MeasuredLines):
        @classmethod
        def of(cls, text: str) -> MeasuredLines:
            looked_at.append(len(text))
            return super().of(text)

    monkeypatch.setattr(message_chunks, "MeasuredLines", Counted)
    assert len(list(islice(chunk_message(LONG), 3))) == 3
    assert 0 < sum(looked_at) <= 2 * MESSAGE_WINDOW_CHARS


async def test_no_message_is_cut_on_the_event_loop(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[threading.Thread] = set()
    read = message_chunks.MarkdownReader.read

    def noted(self: message_chunks.MarkdownReader, lines: MeasuredLines) -> object:
        threads.add(threading.current_thread())
        return read(self, lines)

    monkeypatch.setattr(message_chunks.MarkdownReader, "read", noted)
    ada = await world.person(role="owner")
    turn = await ada.start("Which lens does the lighthouse have?")
    await ada.finished(turn)

    async def is_found() -> bool:
        return bool((await ada.post("/api/search/global", {"query": "lighthouse"})).json()["hits"])

    await until(is_found)
    assert threads
    assert threading.main_thread() not in threads
