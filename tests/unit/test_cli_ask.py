"""`tertulia ask` against a tiny server."""

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.fake_server import FakeServer, fake_server, reply_view, said, turn_view

from tertulia.cli import ask as asking
from tertulia.cli import client
from tertulia.cli.commands import root
from tertulia.conversations import events
from tertulia.core.errors import TertuliaError

WRONG_KEY = {"code": "key_rejected", "message": "The key is wrong."}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[FakeServer]:
    with fake_server() as fake:
        monkeypatch.setenv("TERTULIA_URL", fake.url)
        monkeypatch.setenv("TERTULIA_TOKEN", "ttl_test")
        monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path / "none"))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        monkeypatch.setattr(client, "RECONNECT_ATTEMPTS_MAX", 3)
        fake.answers["POST /api/turn"] = (202, turn_view(reply_view("a", "ant")))
        fake.script = [*said("a", "ant", "Hel", "lo"), events.RoundClosed("rnd_1")]
        yield fake


def tertulia(*args: str, piped: str = "") -> Result:
    return CliRunner().invoke(root, args, input=piped)


def test_the_reply_of_one_model_is_printed_as_it_is(server: FakeServer) -> None:
    result = tertulia("ask", "Say", "hello", "-m", "ant")
    assert (result.exit_code, result.stdout) == (0, "Hello\n")
    assert server.bodies("POST /api/turn") == [{"message": "Say hello", "models": ["ant"]}]


def test_what_is_piped_in_follows_the_question(server: FakeServer) -> None:
    tertulia("ask", "Summarise:", piped="a long text\n")
    tertulia("ask", piped="only this")
    messages = [body["message"] for body in server.bodies("POST /api/turn")]
    assert messages == ["Summarise:\n\na long text", "only this"]


def test_what_is_no_address_and_no_token_is_said(server: FakeServer) -> None:
    assert "is no address of a server" in refusal("ask", "x", "--url", "http://[", "--token", "ttl")
    assert "is no API token" in refusal("ask", "x", "--token", "ttl\n", "--url", server.url)


def test_options_reach_the_server(server: FakeServer) -> None:
    tertulia("ask", "x", "-m", "a", "-m", "b", "-c", "cnv_1", "--policy", "own")
    (body,) = server.bodies("POST /api/turn")
    assert body == {"message": "x", "models": ["a", "b"], "conversation_id": "cnv_1", "policy": "own"}


def test_a_new_conversation_begins_in_the_named_project(server: FakeServer) -> None:
    projects = [{"id": "prj_1", "name": "Garden", "is_default": False}]
    server.answers["GET /api/projects"] = (200, {"projects": projects, "next": None})
    assert tertulia("ask", "x", "--project", "garden").exit_code == 0
    assert server.bodies("POST /api/turn") == [{"message": "x", "project_id": "prj_1"}]
    assert "no project 'Attic'" in str(tertulia("ask", "x", "--project", "Attic").exception)
    both = tertulia("ask", "x", "--project", "Garden", "-c", "cnv_1")
    assert both.exit_code == 2
    assert "--project is for a new conversation" in both.output


def test_a_new_conversation_may_be_temporary(server: FakeServer) -> None:
    assert tertulia("ask", "x", "--temporary").exit_code == 0
    assert server.bodies("POST /api/turn") == [{"message": "x", "temporary": True}]
    both = tertulia("ask", "x", "--temporary", "-c", "cnv_1")
    assert both.exit_code == 2
    assert "--temporary is for a new conversation" in both.output


def test_a_project_is_named_by_its_id_in_any_case_and_never_guessed_among_several(server: FakeServer) -> None:
    ids = [
        "prj_01M7ABCDEFGHJKMNPQRSTVWXYZ",
        "prj_01M7ABCDEFGHJKMNPQRSTVWXZ0",
        "prj_01M7ABCDEFGHJKMNPQRSTVWXZ1",
    ]
    named = zip(ids, ("Kraków", "Kraków", "kraków"), strict=True)
    projects = [{"id": id_, "name": name, "is_default": False} for id_, name in named]
    server.answers["GET /api/projects"] = (200, {"projects": projects, "next": None})
    for name in (ids[1], ids[1].lower(), ids[1].upper(), "kraków"):
        assert tertulia("ask", "x", "--project", name).exit_code == 0
    assert [body["project_id"] for body in server.bodies("POST /api/turn")] == [*[ids[1]] * 3, ids[2]]

    for name, meant in (("Kraków", ids[:2]), ("KRAKÓW", ids)):
        told = str(tertulia("ask", "x", "--project", name).exception)
        assert told == f"Several projects are called {name!r}. Name one by its id: {', '.join(meant)}."


def test_a_model_that_is_unknown_is_told_where_to_look_at_a_terminal(server: FakeServer) -> None:
    unknown = {"code": "model_unknown", "message": "No model is called 'gtp' here."}
    server.answers["POST /api/turn"] = (404, {"error": unknown})
    assert str(tertulia("ask", "x", "-m", "gtp").exception) == (
        "No model is called 'gtp' here. `tertulia models` lists what there is."
    )


def test_several_replies_are_labelled_and_one_failure_is_no_failure(server: FakeServer) -> None:
    server.answers["POST /api/turn"] = (202, turn_view(reply_view("a", "ant"), reply_view("b", "bee")))
    server.script = [*said("b", "bee", "Hi"), *said("a", "ant", status="failed", error=WRONG_KEY)]
    result = tertulia("ask", "x")
    assert result.exit_code == 0
    assert result.stdout == "## ant\n\n\n## bee\n\nHi\n"
    assert result.stderr == "ant: The key is wrong.\n"


def test_it_fails_when_every_lane_failed(server: FakeServer) -> None:
    server.script = said("a", "ant", status="failed", error=WRONG_KEY)
    result = tertulia("ask", "x")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "ant: The key is wrong.\n")


def test_json_holds_what_programs_need(server: FakeServer) -> None:
    result = json.loads(tertulia("ask", "x", "--json").stdout)
    assert (result["conversation_id"], result["round_id"]) == ("cnv_1", "rnd_1")
    assert [(one["lane"], one["status"], one["text"]) for one in result["replies"]] == [
        ("ant", "done", "Hello")
    ]


def test_a_lost_connection_is_taken_up_where_it_broke(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "sleep", lambda _: None)
    server.cut = 1
    assert tertulia("ask", "x").stdout == "Hello\n"
    assert len(server.bodies("GET /api/conversations/cnv_1/events")) == 4


def test_events_that_are_gone_are_fetched_as_state(server: FakeServer) -> None:
    whole = turn_view(reply_view("a", "ant", status="done", content="All of it"))["round"]
    server.answers["GET /api/conversations/cnv_1"] = (200, {"rounds": [whole], "last_event_id": 9})
    server.reset_first = True
    assert tertulia("ask", "x").stdout == "All of it\n"


def test_an_unknown_event_is_passed_over() -> None:
    assert client.decode_known_event('{"type":"reply.sang","song":"x"}') is None


def test_ctrl_c_stops_the_round_on_the_server(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers["POST /api/rounds/rnd_1/stop"] = (202, None)
    pressed: list[str] = []

    def press_once(text: str) -> None:
        pressed.append(text)
        if len(pressed) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(asking, "write_piece", press_once)
    assert tertulia("ask", "x").exit_code == 130
    assert len(server.bodies("POST /api/rounds/rnd_1/stop")) == 1


def refusal(*args: str) -> str:
    result: Any = tertulia(*args)
    assert isinstance(result.exception, TertuliaError)
    return result.exception.message


def test_the_servers_own_words_say_what_is_wrong(server: FakeServer) -> None:
    refused = {"error": {"code": "shutting_down", "message": "The server is restarting."}}
    server.answers["POST /api/turn"] = (503, refused)
    assert refusal("ask", "x") == "The server is restarting."


def test_no_server_says_how_to_start_one(server: FakeServer) -> None:
    assert "tertulia serve" in refusal("ask", "x", "--url", "http://127.0.0.1:1")


def test_another_server_is_not_taken_for_ours(server: FakeServer) -> None:
    server.answers["POST /api/turn"] = (200, b"<html>")
    assert "is not Tertulia" in refusal("ask", "x")


def test_without_a_question_it_says_how_to_ask(server: FakeServer) -> None:
    result = tertulia("ask")
    assert result.exit_code == 2
    assert "Say what to ask: tertulia ask" in result.stderr


def test_without_a_token_it_says_which_command_to_run(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TERTULIA_TOKEN")
    assert "tertulia login" in refusal("ask", "x")
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path))
    tertulia(
        "user", "create", "--email", "ana@example.org", "--role", "owner", "--password-stdin", piped="x" * 12
    )
    assert "$(tertulia token create --email ana@example.org)" in refusal("ask", "x")


def test_a_login_is_kept_for_its_owner_only(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TERTULIA_TOKEN")
    server.answers |= {
        "GET /health": (200, {"status": "ok"}),
        "POST /api/session": (200, {"user": {"email": "ana@example.org"}}),
        "POST /api/tokens": (201, {"token": "ttl_secret"}),
        "DELETE /api/session": (204, b""),
    }
    result = tertulia("login", piped="ana@example.org\na password\n")
    assert result.exit_code == 0
    assert "ttl_secret" not in result.output
    assert server.bodies("POST /api/session") == [{"email": "ana@example.org", "password": "a password"}]
    (kept,) = Path(os.environ["XDG_CONFIG_HOME"]).rglob("logins.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    assert tertulia("ask", "x").stdout == "Hello\n"
