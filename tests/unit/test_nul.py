"""NUL characters are replaced on their way into any database; nothing else is touched."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tertulia.conversations.events import ReplyText, decode_event, encode_event
from tertulia.core.nul_characters import encode_storable_json, replace_nul
from tertulia.infra.db.column_values import to_column, to_text

texts = st.lists(st.sampled_from(["\0", "\\", "u0000", '"', "a", "\n", "é"]), max_size=8).map("".join)


@given(texts)
def test_a_text_keeps_its_length_and_all_but_its_nul_characters(text: str) -> None:
    stored = to_column(text)
    assert isinstance(stored, str)
    assert stored == text.replace("\0", "\ufffd")
    assert len(stored) == len(text)


@given(texts)
def test_json_says_what_the_text_says_in_which_they_are_replaced(text: str) -> None:
    stored = json.loads(encode_storable_json({"said": [text, {text: 1}]}))
    assert stored == {"said": [replace_nul(text), {replace_nul(text): 1}]}
    assert "\0" not in str(stored)
    assert to_column([text]) == to_text([text])
    assert json.loads(to_text([text])) == [replace_nul(text)]


def test_an_event_tells_the_text_that_is_stored() -> None:
    told = decode_event(encode_event(ReplyText("rpl", 0, "a\0b")))
    assert told == ReplyText("rpl", 0, to_text("a\0b"))
