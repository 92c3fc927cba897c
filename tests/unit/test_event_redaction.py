"""An event is told with its passages as the listener may see them, and else as it is stored."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fake_server import heard_reply, round_view

from tertulia.conversations import event_redaction
from tertulia.conversations.domain import Passage
from tertulia.conversations.event_redaction import redact_event
from tertulia.conversations.events import ReplyAdded, ReplyClosed, ReplyStarted, RoundOpened, encode_event
from tertulia.conversations.source_access import hide_source
from tertulia.conversations.views import PassageView, ReplyView, RoundView
from tertulia.core.view import view_as
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


def reply(content: str, arguments: str, passages: list[PassageView]) -> ReplyView:
    calls = [{"id": "call_1", "name": "look", "arguments": arguments}]
    return replace(heard_reply("msg_1", "m", content=content, tool_calls=calls), passages=passages)


def opened(replies: list[ReplyView]) -> RoundOpened:
    return RoundOpened(replace(view_as(RoundView, round_view()), replies=replies), sort_key="")


@given(before=TEXTS, after=TEXTS, count=st.integers(0, 3))
def test_passages_are_redacted_and_nothing_else_is_changed(before: str, after: str, count: int) -> None:
    passages, told = ([view_as(PassageView, passage)] * count for passage in (SECRET, hide_source(SECRET)))
    stored_reply, told_reply = reply(before, after, passages), reply(before, after, told)
    for stored, heard in (
        (ReplyStarted(before, after, passages), ReplyStarted(before, after, told)),
        (ReplyAdded(stored_reply), ReplyAdded(told_reply)),
        (ReplyClosed(stored_reply), ReplyClosed(told_reply)),
        (opened([stored_reply] * 2), opened([told_reply] * 2)),
    ):
        assert json.loads(redact_event(NOBODY, encode_event(stored))) == json.loads(encode_event(heard))
