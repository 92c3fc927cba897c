"""Server-sent events, however the network cuts them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.models.providers.sse import EventGarbled, SseReader

LINE = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=12)


def read(pieces: list[bytes]) -> list[str]:
    reader = SseReader()
    events = [event for piece in pieces for event in reader.feed(piece)]
    return [event.decode() for event in [*events, *reader.end()]]


def cut(content: bytes, places: list[int]) -> list[bytes]:
    borders = [0, *sorted(place % (len(content) + 1) for place in places), len(content)]
    return [content[start:end] for start, end in pairwise(borders)]


@given(
    events=st.lists(st.lists(LINE, min_size=1, max_size=3), max_size=5),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    noise=st.sampled_from(["", ": comment", "event: delta", "id: 7", "retry: 10", "nonsense"]),
    places=st.lists(st.integers(0, 10_000), max_size=12),
)
def test_events_are_the_same_wherever_they_are_cut(
    events: list[list[str]], ending: str, noise: str, places: list[int]
) -> None:
    extra = noise + ending if noise else ""
    written = "".join(extra + "".join(f"data: {line}{ending}" for line in lines) + ending for lines in events)

    assert read(cut(written.encode(), places)) == ["\n".join(lines) for lines in events]


def test_the_space_after_the_colon_is_optional() -> None:
    assert read([b"data:one\n\ndata:  two\n\n"]) == ["one", " two"]


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert read([b"\xef\xbb\xbfdata: one\n\n"]) == ["one"]


def test_a_last_event_without_its_blank_line_counts() -> None:
    assert read([b"data: one\n\ndata: [DONE]\n"]) == ["one", "[DONE]"]


def test_a_last_line_that_was_cut_does_not_count() -> None:
    assert read([b'data: one\n\ndata: {"half']) == ["one"]


@pytest.mark.parametrize("content", [b"data: \xff\xfe\n\n", b"data: \xc3\ndata: x\n\n"])
def test_what_is_not_utf8_is_garbled(content: bytes) -> None:
    with pytest.raises(EventGarbled):
        SseReader().feed(content)


def test_a_line_that_never_ends_is_given_up_at_the_cap() -> None:
    reader = SseReader(max_bytes=1000)
    reader.feed(b"data: " + b"x" * 900)

    with pytest.raises(EventGarbled):
        reader.feed(b"x" * 200)


def test_an_event_of_endless_lines_is_given_up_at_the_cap() -> None:
    reader = SseReader(max_bytes=1000)

    with pytest.raises(EventGarbled):
        reader.feed((b"data: " + b"x" * 50 + b"\n") * 30)


def test_a_large_event_below_the_cap_is_read() -> None:
    text = b"x" * (7 * 1024 * 1024)
    pieces = cut(b"data: " + text + b"\n\n", list(range(0, len(text), 65_536)))

    assert read(pieces) == [text.decode()]
