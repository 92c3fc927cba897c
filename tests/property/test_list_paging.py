"""Page by page, every conversation is listed once in the order of last use, whatever the clocks do."""

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.clocks import DAY_MS, telling
from tests.databases import open_database
from tests.effort import effort
from tests.export_world import ExportWorld, open_world

from tertulia.conversations import conversation_list, service
from tertulia.conversations.access import get_unchecked
from tertulia.conversations.domain import Conversation, Seat
from tertulia.conversations.round_writer import NewQuestion, open_round
from tertulia.core import clock, ids
from tertulia.core.clock import SteadyClock
from tertulia.core.ids import IdSequence
from tertulia.infra.db import Tx

CONVERSATIONS_MAX = 6


@dataclass(frozen=True)
class Use:
    """Something that happens after the clock was set: a conversation is used, perhaps by a new process."""

    conversation: int
    jump_ms: int
    is_new_process: bool


uses = st.builds(
    Use, st.integers(0, CONVERSATIONS_MAX - 1), st.integers(-800 * DAY_MS, 800 * DAY_MS), st.booleans()
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lists")


@pytest.fixture(scope="module")
def world(folder: Path) -> Generator[ExportWorld]:
    world = open_world(folder)
    yield world
    world.db.close()


@settings(max_examples=effort(25))
@given(history=st.lists(uses, min_size=1, max_size=12), page_size=st.integers(1, 4))
def test_every_conversation_is_listed_once_in_the_order_of_last_use(
    world: ExportWorld, folder: Path, history: list[Use], page_size: int
) -> None:
    with telling() as told, pytest.MonkeyPatch.context() as patch:
        start_process(patch, folder)
        world.write(lambda tx: tx.run("DELETE FROM conversations WHERE workspace_id = :workspace"))
        begun, expected = dict[int, str](), list[str]()
        for use in history:
            told.wall += use.jump_ms
            if use.is_new_process:
                start_process(patch, folder)
            used = world.write(lambda tx, use=use: use_conversation(tx, world, begun.get(use.conversation)))
            begun[use.conversation] = used
            expected = [used, *(other for other in expected if other != used)]

        found = [one.id for one in pages(world, page_size)]
        latest = world.read(conversation_list.find_latest)
    assert found == expected
    assert latest is not None
    assert latest.id == expected[0]


def start_process(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Forget all that a process knows by itself, and learn what one learns at its start."""
    patch.setattr(clock, "steady", SteadyClock())
    patch.setattr(ids, "sequence", IdSequence())
    open_database(folder / "tertulia.db").close()


def use_conversation(tx: Tx, world: ExportWorld, conversation_id: str | None) -> str:
    """Begin a conversation, or ask something in one."""
    if conversation_id is None:
        return service.create(tx, log=world.log).id
    question = NewQuestion(text="And now?", seats=[Seat(lane="librarian", model="librarian")])
    open_round(tx, get_unchecked(tx, conversation_id), question, log=world.log)
    return conversation_id


def pages(world: ExportWorld, size: int) -> list[Conversation]:
    """Return the whole list, each page after the last of the one before."""
    found = list[Conversation]()
    while True:
        after = service.parse_cursor(service.to_cursor(found[-1])) if found else None
        page = world.read(lambda tx, after=after: conversation_list.list_page(tx, after=after, limit=size))
        found += page
        if len(page) < size:
            return found
