"""Whatever a conversation holds: exported, imported and exported again, it is the same document."""

from collections.abc import Generator
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import effort
from tests.export_world import ExportWorld, ask, exported, new_conversation, open_world, reply

from tertulia.conversations import rounds, store
from tertulia.conversations.domain import (
    Anchor,
    Note,
    Policy,
    ReplyKind,
    ReplyStatus,
    SavedFile,
    Table,
    TitleBy,
    Visibility,
)
from tertulia.conversations.errors import ImportUnreadable
from tertulia.conversations.import_reader import read_document
from tertulia.conversations.import_writer import import_conversation
from tertulia.core.clock import from_ms
from tertulia.dates.day_texts import CALENDAR_YEARS
from tertulia.infra.db import Tx
from tertulia.models.calls import Effort

# Lone surrogates cannot be stored at all; everything else can, NUL included.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
moments = st.integers(0, 4_000_000_000_000).map(from_ms)
counts = st.integers(0, 2**40)
costs = st.floats(0, 1e6, allow_nan=False)
tokens = st.integers(0, 10_000_000_000)
usages = st.fixed_dictionaries(
    {"input": tokens, "output": tokens},
    optional={"cached": tokens, "cost": costs, "estimated": st.booleans()},
)
errors = st.fixed_dictionaries({"code": names, "message": texts})
tables = st.builds(Table, st.lists(texts, max_size=2), st.lists(st.lists(texts, max_size=2)), counts)
saved = st.builds(SavedFile, texts, st.just(""), st.integers(1, 9))
calls = st.fixed_dictionaries(
    {"id": names, "name": names, "arguments": texts},
    optional={
        "result": texts,
        "length": counts,
        "tables": st.lists(tables, max_size=2),
        "saved": st.lists(saved, max_size=2),
    },
)
notes = st.builds(Note, names, texts, st.booleans())
replies = st.fixed_dictionaries(
    {
        "content": texts,
        "thinking": texts,
        "lane": names,
        "model": names,
        "kind": st.sampled_from(ReplyKind),
        "attempt": st.integers(1, 9),
        "effort": st.none() | st.sampled_from(Effort),
        "temperature": st.none() | st.floats(0, 2),
        "status": st.sampled_from(ReplyStatus),
        "error": st.none() | errors,
        "usage": st.none() | usages,
        "cost": st.none() | costs,
        "tool_calls": st.lists(calls, max_size=2),
        "notes": st.lists(notes, max_size=2),
        "created_at": moments,
        "started_at": st.none() | moments,
        "first_token_at": st.none() | moments,
        "finished_at": st.none() | moments,
    }
)
asked = st.fixed_dictionaries(
    {
        "text": texts,
        "after": st.integers(0, 30),
        "replies": st.lists(replies, max_size=3),
        "pictures": st.lists(st.binary(max_size=20), max_size=2),
        # A reply that came once the conversation had gone on, and whether it continues an earlier one.
        "late": st.none() | st.tuples(replies, st.booleans()),
    }
)
headers = st.fixed_dictionaries(
    {
        "title": st.none() | texts,
        "title_by": st.sampled_from([*TitleBy, "openai/gpt-5", "model"]),
        "visibility": st.sampled_from(Visibility),
        "instructions": texts,
        "created_at": moments,
        "updated_at": moments,
        "pinned_at": st.none() | moments,
        "archived_at": st.none() | moments,
    }
)
days = st.dates(date(CALENDAR_YEARS.start, 1, 1), date(CALENDAR_YEARS.stop - 1, 12, 31)).map(
    lambda day: {"anchor": Anchor.DAY, "anchor_id": day.isoformat(), "project_id": None}
)
anchors = days | st.sampled_from(
    [
        {},
        {"anchor": Anchor.WORKSPACE, "anchor_id": None, "project_id": None},
        {"anchor": Anchor.TASK, "anchor_id": "tsk_1", "project_id": None},
        {"anchor": Anchor.TASK, "anchor_id": "tsk_1"},
    ]
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Generator[ExportWorld]:
    world = open_world(tmp_path_factory.mktemp("export"))
    yield world
    world.db.close()


@settings(max_examples=effort(60))
@given(headers, anchors, st.lists(asked, max_size=6))
def test_an_import_exports_to_the_same_bytes(
    world: ExportWorld, header: dict[str, Any], anchor: dict[str, Any], tree: list[dict[str, Any]]
) -> None:
    original = world.write(lambda tx: plant(tx, world, header | anchor, tree))
    document_bytes = exported(world, original)

    document = read_document(document_bytes)
    assert document.model_dump_json(indent=2).encode() + b"\n" == document_bytes
    copy = world.write(lambda tx: import_conversation(tx, document, log=world.log), by=world.ben)

    assert exported(world, copy.id, by=world.ben) == document_bytes


def plant(tx: Tx, world: ExportWorld, columns: dict[str, Any], tree: list[dict[str, Any]]) -> str:
    """Grow a conversation: each round follows any earlier message, and some replies come late."""
    conversation_id = new_conversation(tx, world)
    messages: list[tuple[str, bool]] = []
    planted = []
    for one in tree:
        parent, chosen = messages[one["after"] % len(messages)] if messages else (None, False)
        policy = Policy.CHOSEN if chosen else Policy.OWN
        round_ = ask(
            tx, conversation_id, one["text"], parent_id=parent, pictures=one["pictures"], policy=policy
        )
        added = [reply(tx, round_, **values) for values in one["replies"]]
        messages.append((rounds.get_question(tx, round_.id).id, False))
        messages += [(reply_.id, True) for reply_ in added if reply_.status.is_final]
        planted.append((round_, added, one["late"]))
    for round_, added, late in planted:
        if late:
            continued = added[0].id if late[1] and added else None
            reply(tx, round_, continues=continued, **late[0])
    store.change(tx, conversation_id, **columns)
    return conversation_id


@settings(max_examples=effort(200))
@given(st.binary(max_size=200) | st.recursive(st.none() | texts, st.lists).map(lambda x: repr(x).encode()))
def test_nonsense_is_refused_with_a_sentence(body: bytes) -> None:
    with pytest.raises(ImportUnreadable) as refused:
        read_document(body)
    assert refused.value.message.endswith(".")
