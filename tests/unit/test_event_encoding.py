"""Events are typed, and still written as they always were: stored ones are read, and told as before."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast, get_args

import pytest

from tertulia.conversations import event_redaction
from tertulia.conversations.domain import Passage
from tertulia.conversations.event_redaction import redact_event
from tertulia.conversations.events import (
    ConversationEvent,
    EventReader,
    ReplyText,
    ReplyThinking,
    decode_event,
    encode_event,
)
from tertulia.infra.db import Tx

NOBODY = cast("Tx", None)
#: Events as they were stored when what they carry was untyped, at least one of each kind.
RECORDED = (Path(__file__).parent.parent / "golden" / "events.jsonl").read_text("utf-8").splitlines()


@pytest.fixture(autouse=True)
def visible_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def show_all(_tx: Tx, passages: Sequence[Passage]) -> list[Passage]:
        return list(passages)

    monkeypatch.setattr(event_redaction, "redact_passages", show_all)


def test_every_kind_of_event_was_recorded() -> None:
    recorded = {type(decode_event(body)) for body in RECORDED}
    assert recorded == set(get_args(ConversationEvent))


@pytest.mark.parametrize("body", RECORDED, ids=[json.loads(body)["type"] for body in RECORDED])
def test_a_recorded_event_is_told_as_before_but_for_what_was_added_since(body: str) -> None:
    told = redact_event(NOBODY, encode_event(decode_event(body)))
    assert told == redact_event(NOBODY, encode_event(decode_event(told)))
    assert without_added(json.loads(told), json.loads(body)) == json.loads(body)


def without_added(told: Any, recorded: Any) -> Any:
    """Return what is told without the fields that did not exist when it was recorded."""
    if isinstance(recorded, dict):
        known = cast("dict[str, Any]", recorded)
        return {name: without_added(value, known[name]) for name, value in told.items() if name in known}
    if isinstance(recorded, list):
        pairs = zip(told, cast("list[Any]", recorded), strict=True)
        return [without_added(value, before) for value, before in pairs]
    return told


def test_a_reader_passes_over_events_of_other_kinds_whatever_they_hold() -> None:
    reader = EventReader(ReplyText, ReplyThinking)
    bodies = ['{"type":"reply.closed","reply":{}}', "erased", encode_event(ReplyText("msg_1", 0, "Hello"))]
    assert list(reader.read(bodies)) == [ReplyText("msg_1", 0, "Hello")]
