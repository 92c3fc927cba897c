"""A long message is cut a little at a time, by whoever asks for its chunks, and not on the event loop."""

import threading
from itertools import islice

import pytest
from tests.world import World

from tertulia.retrieval.chunking import message_chunks
from tertulia.retrieval.chunking.measured_lines import MeasuredLines
from tertulia.retrieval.chunking.message_chunks import MESSAGE_WINDOW_CHARS, chunk_message

LONG = "A clockwork turns the lens upon a bath of mercury.\n\n" * 20_000


def test_the_first_chunks_of_a_long_message_need_only_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []

    class Counted(MeasuredLines):
        @staticmethod
        def of(text: str) -> MeasuredLines:
            looked_at.append(len(text))
            return MeasuredLines.of(text)

    monkeypatch.setattr(message_chunks, "MeasuredLines", Counted)
    assert len(list(islice(chunk_message(LONG), 3))) == 3
    assert sum(looked_at) <= 2 * MESSAGE_WINDOW_CHARS


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
    body = {"query": "lighthouse"}
    for _ in range(200):
        found = (await ada.post("/api/search/global", body)).json()
        if found["hits"]:
            break
    assert found["hits"]
    assert threads
    assert threading.main_thread() not in threads
