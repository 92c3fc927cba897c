"""A chat: what is typed, what is asked of the server, what is drawn."""

from collections.abc import Callable, Generator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from tests.chat_world import chat
from tests.fake_server import FakeServer, fake_server, reply_view, round_view, said, turn_view

from tertulia.cli.chat_commands import CHAT_COMMANDS
from tertulia.cli.chat_loop import open_conversation
from tertulia.cli.chat_prompt import completer, line_reader
from tertulia.cli.chat_session import ChatSession
from tertulia.cli.client import ApiClient
from tertulia.cli.terminal_screen import TerminalScreen
from tertulia.conversations import events

DONE_A = reply_view("a", "ant", status="done", content="Alpha")
DONE_B = reply_view("b", "bee", status="stopped", content="Be")


@pytest.fixture
def server() -> Generator[FakeServer]:
    with fake_server() as fake:
        fake.answers["POST /api/turn"] = (202, turn_view(reply_view("a", "ant"), reply_view("b", "bee")))
        fake.script = [*said("a", "ant", "Al", "pha"), *said("b", "bee", "Be", status="stopped")]
        yield fake


def test_replies_are_drawn_and_the_talk_goes_on_in_its_conversation(server: FakeServer) -> None:
    shown = chat(server, "Hello", "And then?")
    assert shown.count("Alpha") == 2
    assert "bee  stopped" in shown
    first, second = server.bodies("POST /api/turn")
    assert first == {"message": "Hello", "policy": "everyone"}
    assert second == {"message": "And then?", "policy": "everyone", "conversation_id": "cnv_1"}


def test_models_come_to_the_table_and_leave_it(server: FakeServer) -> None:
    server.answers["GET /api/models"] = (200, {"models": [{"id": "cat"}]})
    asked = ("/add cat", "/add cta", "/add zoo/emu", "/drop ant", "Who is there?", "/drop dog")
    shown = chat(server, "Hello", *asked)
    assert server.bodies("POST /api/turn")[1]["models"] == ["bee", "cat", "zoo/emu"]
    assert "No model is called cta here" in shown
    assert "dog is not at the table" in shown


def test_one_answer_can_be_chosen_to_go_on_from(server: FakeServer) -> None:
    chat(server, "Hello", "/policy chosen bee", "Go on")
    body = server.bodies("POST /api/turn")[1]
    assert (body["policy"], body["parent_id"]) == ("chosen", "b")


def test_a_new_conversation_keeps_the_table(server: FakeServer) -> None:
    chat(server, "Hello", "/new", "Hello again")
    assert server.bodies("POST /api/turn")[1] == {
        "message": "Hello again",
        "policy": "everyone",
        "models": ["ant", "bee"],
    }


def test_what_was_cut_short_goes_on(server: FakeServer) -> None:
    more = reply_view("c", "bee", continues="b", attempt=2)
    server.answers["POST /api/replies/b/continue"] = (202, turn_view(DONE_A, DONE_B, more, after=7))
    server.script += [events.ReplyText("c", 2, "ta"), *said("c", "bee", "Beta")[-1:]]
    shown = chat(server, "Hello", "/continue")
    assert "Beta" in shown
    assert "Every reply is whole." in chat(server, "Hello", "/continue", "/continue")


def test_all_replies_written_once_more_are_drawn_together(server: FakeServer) -> None:
    again_a, again_b = reply_view("c", "ant", attempt=2), reply_view("d", "bee", attempt=2)
    server.answers["POST /api/replies/a/regenerate"] = (202, turn_view(DONE_A, DONE_B, again_a, after=7))
    server.answers["POST /api/replies/b/regenerate"] = (
        202,
        turn_view(DONE_A, DONE_B, again_a | {"status": "done"}, again_b, after=8),
    )
    server.script += [
        *said("c", "ant", "Alpha anew"),
        events.RoundClosed("rnd_0"),
        *said("d", "bee", "Beta anew"),
    ]
    shown = chat(server, "Hello", "/regen")
    assert shown.count("Alpha anew") == 1
    assert any("Alpha anew" in row and "Beta anew" in row for row in shown.splitlines())


@pytest.mark.parametrize("way", ["merge", "judge"])
def test_one_more_model_reads_all_replies(server: FakeServer, way: str) -> None:
    more = reply_view("c", f"{way}:cat", kind=way)
    server.answers[f"POST /api/rounds/rnd_1/{way}"] = (202, turn_view(DONE_A, DONE_B, more, after=7))
    server.script += said("c", f"{way}:cat", "All in all", kind=way)
    shown = chat(server, "Hello", f"/{way} cat")
    assert f"{way}:cat  {way}" in shown
    assert server.bodies(f"POST /api/rounds/rnd_1/{way}") == [{"model": "cat"}]


def test_an_older_conversation_is_found_by_its_number(server: FakeServer) -> None:
    listed = {"conversations": [{"id": "cnv_9", "title": "Tides"}], "next": None}
    round_ = round_view(DONE_A, question="Why?")
    opened = {"conversation": {"id": "cnv_9", "title": "Tides"}, "rounds": [round_], "last_event_id": 0}
    server.answers |= {
        "GET /api/conversations": (200, listed),
        "GET /api/conversations/cnv_9": (200, opened),
    }
    shown = chat(server, "/open", "/open 1", "More", "/open 7")
    assert "1  Tides  cnv_9" in shown
    assert "> Why?" in shown
    assert server.bodies("POST /api/turn")[0]["conversation_id"] == "cnv_9"
    assert "There are 1 in the list" in shown


def test_a_reply_under_way_elsewhere_is_listened_to(server: FakeServer) -> None:
    running = round_view(reply_view("a", "ant", status="running"), question="Why?")
    opened = {"conversation": {"id": "cnv_1", "title": None}, "rounds": [running], "last_event_id": 0}
    server.answers["GET /api/conversations/cnv_1"] = (200, opened)
    shown = StringIO()
    with ApiClient(server.url, "t", backoff_seconds=0) as client:
        screen = TerminalScreen(Console(file=shown, width=100))
        open_conversation(ChatSession(client), "cnv_1", read=lambda: "", screen=screen)
    assert "Alpha" in shown.getvalue()


def test_a_title_is_given_and_an_export_saved(server: FakeServer, tmp_path: Path) -> None:
    server.answers |= {
        "PUT /api/conversations/cnv_1/title": (200, {}),
        "POST /api/conversations/cnv_1/export": (200, b"# Tides\n"),
    }
    target = tmp_path / "tides.md"
    shown = chat(server, "Hello", "/title On tides", f"/export {target}", f"/export {target}")
    assert server.bodies("PUT /api/conversations/cnv_1/title") == [{"title": "On tides"}]
    assert server.bodies("POST /api/conversations/cnv_1/export") == [{"format": "markdown"}]
    assert target.read_text() == "# Tides\n"
    assert "there already" in " ".join(shown.split())


def test_a_mistake_is_said_and_the_talk_goes_on(server: FakeServer) -> None:
    shown = chat(
        server, "/sing", "/regen", "/merge", "/title x", "/policy odd", "", "/models", "/help", "Hello"
    )
    assert "/help lists them" in shown
    assert "Ask something first." in shown
    assert "Say /merge MODEL." in shown
    assert "There is no /api/models." in shown
    assert all(f"/{name}" in shown for name in CHAT_COMMANDS)
    assert "Alpha" in shown


def test_ctrl_c_stops_the_replies(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers["POST /api/rounds/rnd_1/stop"] = (202, None)
    follow: Callable[..., Generator[object]] = ApiClient.subscribe
    presses = iter([True])

    def pressed(self: ApiClient, conversation_id: str, *, after: int) -> Generator[object]:
        if next(presses, False):
            raise KeyboardInterrupt
        yield from follow(self, conversation_id, after=after)

    monkeypatch.setattr(ApiClient, "subscribe", pressed)
    assert "Alpha" in chat(server, "Hello")
    assert len(server.bodies("POST /api/rounds/rnd_1/stop")) == 1


def test_typing_keeps_a_private_history(tmp_path: Path) -> None:
    line_reader(tmp_path / "config", ["ant"])
    assert (tmp_path / "config" / "history").stat().st_mode & 0o777 == 0o600


def test_commands_and_models_are_completed() -> None:
    assert set(completer(["ant"]).options) >= {f"/{name}" for name in CHAT_COMMANDS}
