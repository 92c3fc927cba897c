"""Events are typed, and still written as they always were: stored ones are read, and told as before."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

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
def test_a_recorded_event_is_told_byte_for_byte_as_before(body: str) -> None:
    assert redact_event(NOBODY, encode_event(decode_event(body))) == redact_event(NOBODY, body)


def test_a_reader_passes_over_events_of_other_kinds_whatever_they_hold() -> None:
    reader = EventReader(ReplyText, ReplyThinking)
    bodies = ['{"type":"reply.closed","reply":{}}', "erased", encode_event(ReplyText("msg_1", 0, "Hello"))]
    assert list(reader.read(bodies)) == [ReplyText("msg_1", 0, "Hello")]
