"""An event is told with its passages as the listener may see them, and else as it is stored."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.conversations import event_redaction
from tertulia.conversations.domain import Passage
from tertulia.conversations.event_redaction import redact_event
from tertulia.conversations.events import ReplyAdded, ReplyClosed, ReplyStarted, RoundOpened, encode_event
from tertulia.conversations.source_access import hide_source
from tertulia.infra.db import Tx

NOBODY = cast("Tx", None)
SECRET = Passage(1, "message", "msg_secret", "prj_1", 0, 9, 3, conversation_id="cnv_secret")
#: What looks like passages, in texts that say anything.
LOOKALIKES = st.sampled_from(['"passages":[{', '\\"passages":', '{"passages":[]}', "\\", '"'])
TEXTS = st.lists(LOOKALIKES | st.text(), max_size=6).map("".join)


@pytest.fixture(autouse=True)
def hidden_from_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def hide_all(_tx: Tx, passages: Sequence[Passage]) -> list[Passage]:
        return [hide_source(passage) for passage in passages]

    monkeypatch.setattr(event_redaction, "redact_passages", hide_all)


def opened(replies: list[dict[str, Any]]) -> RoundOpened:
    return RoundOpened({"replies": replies}, sort_key="")


@given(before=TEXTS, after=TEXTS, count=st.integers(0, 3))
def test_passages_are_redacted_and_nothing_else_is_changed(before: str, after: str, count: int) -> None:
    passages, told = ([asdict(passage)] * count for passage in (SECRET, hide_source(SECRET)))

    def reply(found: list[dict[str, Any]]) -> dict[str, Any]:
        return {"content": before, "passages": found, "tool_calls": [{"arguments": after}]}

    for stored, heard in (
        (ReplyStarted(before, after, passages), ReplyStarted(before, after, told)),
        (ReplyAdded(reply(passages)), ReplyAdded(reply(told))),
        (ReplyClosed(reply(passages)), ReplyClosed(reply(told))),
        (opened([reply(passages)] * 2), opened([reply(told)] * 2)),
    ):
        assert json.loads(redact_event(NOBODY, encode_event(stored))) == json.loads(encode_event(heard))
