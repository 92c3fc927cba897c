"""What a terminal makes of a round's events."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.fake_server import heard_reply, reply_view, said, turn_view

from tertulia.cli.round_state import RoundState, apply_event, parse_round, refresh_lanes
from tertulia.conversations import events
from tertulia.conversations.domain import ReplyStatus


def two_lanes() -> RoundState:
    return parse_round(turn_view(reply_view("a", "ant"), reply_view("b", "bee"))["round"])


def after(hearing: RoundState, *heard: events.ConversationEvent) -> RoundState:
    for event in heard:
        hearing = apply_event(hearing, event)
    return hearing


def test_pieces_join_to_each_lanes_text() -> None:
    hearing = after(
        two_lanes(),
        events.ReplyText("a", 0, "Hel"),
        events.ReplyText("b", 0, "Hi"),
        events.ReplyText("a", 3, "lo"),
    )
    assert [lane.text for lane in hearing.lanes] == ["Hello", "Hi"]
    assert not hearing.is_finished


def test_a_round_is_over_when_it_closes() -> None:
    assert after(two_lanes(), events.RoundClosed("rnd_1")).is_finished
    assert not after(two_lanes(), events.RoundClosed("rnd_other")).is_finished


def test_a_round_is_over_when_every_lane_is() -> None:
    hearing = after(two_lanes(), *said("a", "ant", "x"))
    assert not hearing.is_finished
    assert after(hearing, *said("b", "bee", "y")).is_finished


def test_a_round_failed_only_when_every_lane_did() -> None:
    error = {"code": "key_rejected", "message": "The key is wrong."}
    hearing = after(two_lanes(), *said("a", "ant", status="failed", error=error), *said("b", "bee", "y"))
    assert not hearing.has_failed
    assert hearing.lanes[0].error == "The key is wrong."
    assert after(
        two_lanes(), *said("a", "a", status="failed"), *said("b", "b", status="interrupted")
    ).has_failed


def test_what_a_lane_waits_for_is_known_until_it_speaks() -> None:
    hearing = after(two_lanes(), events.ReplyStarted("rnd_1", "a"), events.ReplyThinking("a", 0, "hm"))
    assert (hearing.lanes[0].status, hearing.lanes[0].thinking) == (ReplyStatus.RUNNING, True)
    hearing = after(hearing, events.ReplyStatusChanged("a", "busy", "Busy: asked again.", 2.0))
    assert hearing.lanes[0].note == "Busy: asked again."
    assert after(hearing, events.ReplyText("a", 0, "x")).lanes[0].note == ""


def test_a_continued_reply_begins_with_what_was_there() -> None:
    half = reply_view("a", "ant", status="stopped", content="Once upon")
    more = reply_view("b", "ant", continues="a", attempt=2)
    hearing = parse_round(turn_view(half, more)["round"])
    assert [lane.reply_id for lane in hearing.lanes] == ["b"]
    assert after(hearing, events.ReplyText("b", 9, " a time")).lanes[0].text == "Once upon a time"


def test_one_more_reply_joins_the_others() -> None:
    hearing = after(two_lanes(), events.ReplyAdded(heard_reply("c", "merge:ant", kind="merge")))
    assert [lane.name for lane in hearing.lanes] == ["ant", "bee", "merge:ant"]


def test_a_reset_takes_the_state_from_the_server() -> None:
    fetched = turn_view(reply_view("a", "ant", status="done", content="All of it"))["round"]
    assert refresh_lanes(two_lanes(), [fetched]).lanes[0].text == "All of it"


@given(st.lists(st.text(max_size=5), max_size=20), st.data())
def test_hearing_events_again_changes_nothing(pieces: list[str], data: st.DataObject) -> None:
    heard = said("a", "ant", *pieces)[:-1]
    once = after(two_lanes(), *heard)
    start = data.draw(st.integers(0, len(heard)))
    assert once.lanes[0].text == "".join(pieces)
    assert after(once, *heard[start:]).lanes[0].text == "".join(pieces)


def test_a_closing_event_without_its_long_text_keeps_what_was_heard() -> None:
    *pieces, closed = said("a", "ant", "Once ", "upon")
    assert isinstance(closed, events.ReplyClosed)
    omitted = events.ReplyClosed(replace(closed.reply, content=""), omitted_content_chars=9)
    lane = after(two_lanes(), *pieces, omitted).lanes[0]
    assert (lane.text, lane.is_final) == ("Once upon", True)
