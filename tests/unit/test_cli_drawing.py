"""Replies as they are written and drawn."""

from io import StringIO

import pytest
from rich.console import Console, RenderableType
from tests.fake_server import heard_reply, reply_view, said, turn_view

from tertulia.cli.output import strip_control_characters
from tertulia.cli.plain_output import PlainWriter, failure_lines
from tertulia.cli.reply_columns import LiveView, final_view, lane_status_text
from tertulia.cli.round_state import RoundState, apply_event, lane_state, parse_round
from tertulia.conversations import events


def two_lanes() -> RoundState:
    return parse_round(turn_view(reply_view("a", "ant"), reply_view("b", "bee"))["round"])


def written(
    hearing: RoundState, script: list[events.ConversationEvent], *, stream: bool
) -> tuple[str, list[str]]:
    pieces: list[str] = []
    writer = PlainWriter(pieces.append, stream=stream)
    writer.write_new(hearing)
    for event in script:
        hearing = apply_event(hearing, event)
        writer.write_new(hearing)
    return "".join(pieces), pieces


def drawn(what: RenderableType, *, width: int, height: int = 24) -> str:
    shown = StringIO()
    Console(file=shown, width=width, height=height, force_terminal=False).print(what)
    return shown.getvalue()


@pytest.mark.parametrize("stream", [True, False])
def test_one_reply_is_written_as_it_is(stream: bool) -> None:
    hearing = parse_round(turn_view(reply_view("a", "ant"))["round"])
    text, pieces = written(hearing, said("a", "ant", "Hel", "lo"), stream=stream)
    assert text == "Hello\n"
    assert ("Hel" in pieces) is stream


@pytest.mark.parametrize("stream", [True, False])
def test_several_replies_are_written_under_their_names_without_mixing(stream: bool) -> None:
    one, two = said("a", "ant", "A1", "A2"), said("b", "bee", "B1", "B2\n")
    mixed = [event for pair in zip(one, two, strict=True) for event in pair][::1]
    text, _ = written(two_lanes(), mixed, stream=stream)
    assert text == "## ant\n\nA1A2\n\n## bee\n\nB1B2\n"


def test_events_heard_again_are_not_written_again() -> None:
    pieces: list[str] = []
    writer = PlainWriter(pieces.append, stream=True)
    begin = parse_round(turn_view(reply_view("a", "ant"))["round"])
    for script in (said("a", "ant", "Hel", "lo")[:3], said("a", "ant", "Hel", "lo")):
        hearing = begin
        for event in script:
            hearing = apply_event(hearing, event)
            writer.write_new(hearing)
    assert "".join(pieces) == "Hello\n"


def test_what_failed_is_said_by_name() -> None:
    error = {"code": "x", "message": "The key is wrong."}
    hearing = two_lanes()
    for event in said("a", "ant", status="failed", error=error) + said("b", "bee", status="interrupted"):
        hearing = apply_event(hearing, event)
    assert failure_lines(hearing) == ["ant: The key is wrong.", "bee: The reply was interrupted."]


def test_replies_stand_side_by_side_where_there_is_room() -> None:
    hearing = two_lanes()
    for event in said("a", "ant", "Alpha") + said("b", "bee", "Beta"):
        hearing = apply_event(hearing, event)
    wide, narrow = (
        drawn(final_view(hearing, width=100), width=100),
        drawn(final_view(hearing, width=50), width=50),
    )
    assert any("ant" in row and "bee" in row for row in wide.splitlines())
    assert any("Alpha" in row and "Beta" in row for row in wide.splitlines())
    assert narrow.index("Alpha") < narrow.index("bee") < narrow.index("Beta")
    assert all(len(row) <= 50 for row in narrow.splitlines())


@pytest.mark.parametrize("width", [50, 120])
def test_a_live_view_shows_the_end_of_what_does_not_fit(width: int) -> None:
    hearing = two_lanes()
    story = "\n".join(f"line {number} of a story that goes on and on" for number in range(100))
    hearing = apply_event(hearing, events.ReplyText("a", 0, story))
    shown = drawn(LiveView(hearing), width=width, height=20)
    assert "line 99" in shown
    assert "line 2 " not in shown
    assert len(shown.rstrip().splitlines()) <= 20
    assert "bee  waits" in shown


def test_no_reply_can_steer_the_terminal() -> None:
    nasty = "\x1b]0;owned\x07\x1b[2J\x9b31mred\u202eevil\rover"
    hearing = two_lanes()
    for event in said("a", "a\x1b[1m", nasty) + said("b", "bee", nasty, status="failed"):
        hearing = apply_event(hearing, event)
    for view in (LiveView(hearing), final_view(hearing, width=100)):
        assert not set(drawn(view, width=100)) & set("\x1b\x07\x9b\u202e\r")
    assert strip_control_characters("a\tb\r\nc") == "a\tb\nc"


def test_a_cost_by_our_own_count_says_that_it_is_an_estimate() -> None:
    usage = {"input": 90, "output": 43, "estimated": True}
    stopped = lane_state(heard_reply("msg_1", "gpt", status="stopped", cost=0.0021, usage=usage))
    done = lane_state(
        heard_reply("msg_1", "gpt", status="done", cost=0.0021, usage=usage | {"estimated": False})
    )

    assert "about $0.0021" in lane_status_text(stopped)
    assert "about" not in lane_status_text(done)
