"""Tools that wait, at a terminal and without one: what is shown, what is asked, what the server is told."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from tests.chat_world import chat
from tests.fake_server import FakeServer, fake_server, reply_view, said, turn_view

from tertulia.cli.commands import root
from tertulia.cli.tool_calls import ToolCallState, format_arguments
from tertulia.conversations import events
from tertulia.conversations.domain import ToolStatus
from tertulia.conversations.views import ToolCallView
from tertulia.core.invisible_characters import escape_invisible
from tertulia.core.view import view_as

#: What turns the reading direction, as a model may write it to have something else read.
ARGUMENTS = '{"text": "Dear \u202eadA", "to": "x\u200b"}'
SHOWN = r'{"text": "Dear \u202eadA", "to": "x\u200b"}'
DECISION = "POST /api/replies/a/calls/call_1/decision"


def letter(**values: Any) -> dict[str, Any]:
    return {"id": "call_1", "name": "send_letter", "arguments": ARGUMENTS, "status": "waiting"} | values


TABLE = {"columns": ["n"], "rows": [["1"]], "rows_in_all": 900}
DONE = letter(
    status="done",
    ms=1240,
    tables=[TABLE],
    attachments=[{"id": "att_1", "mime": "image/png", "size": 9}],
    saved=[{"path": "tools/words.py", "file_id": "f", "version": 2}],
)
OUTCOME = "send_letter: done in 1.2 s · a table of 900 rows · 1 figure · saved tools/words.py, version 2"
WAITS = [
    events.ReplyStarted("rnd_1", "a"),
    events.ReplyToolCall("a", view_as(ToolCallView, letter())),
    events.ReplyText("a", 0, "Let me see."),
    events.ReplyWaits("a"),
]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[FakeServer]:
    with fake_server() as fake:
        monkeypatch.setenv("TERTULIA_URL", fake.url)
        monkeypatch.setenv("TERTULIA_TOKEN", "ttl_test")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        fake.answers["POST /api/turn"] = (202, turn_view(reply_view("a", "ant")))
        fake.answers[DECISION] = (200, letter(status="approved"))
        fake.script = [
            *WAITS,
            events.ReplyStarted("rnd_1", "a"),
            events.ReplyToolCall("a", view_as(ToolCallView, letter(status="running"))),
            events.ReplyToolOutput("a", "call_1", "", 0.4),
            *said("a", "ant", "Let me see.", " Sent.", tool_calls=[DONE])[-1:],
        ]
        yield fake


def tertulia(*args: str) -> Result:
    return CliRunner().invoke(root, args)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("y", {"approve": True}),
        ("No", {"approve": False}),
        ("a", {"approve": True, "remember": "conversation"}),
    ],
)
def test_a_chat_shows_what_waits_exactly_and_asks(
    server: FakeServer, typed: str, told: dict[str, Any]
) -> None:
    shown = chat(server, "Write", "what?", typed)
    assert SHOWN in shown
    assert shown.count("y = yes") == 2, "what is no answer is asked again"
    assert server.bodies(DECISION) == [told]
    assert OUTCOME in shown
    assert "Let me see. Sent." in shown


def test_a_chat_can_leave_the_question_open(server: FakeServer) -> None:
    shown = chat(server, "Write")
    assert "tertulia approve a call_1" in shown
    assert server.bodies(DECISION) == []


def test_what_was_answered_elsewhere_is_said_and_the_reply_heard(server: FakeServer) -> None:
    refused = {"error": {"code": "already_decided", "message": "It does not wait any more."}}
    server.answers[DECISION] = (409, refused)
    shown = chat(server, "Write", "y")
    assert "It does not wait any more." in shown
    assert "Let me see. Sent." in shown


def test_a_lane_that_waits_lets_the_others_finish_first(server: FakeServer) -> None:
    server.answers["POST /api/turn"] = (202, turn_view(reply_view("a", "ant"), reply_view("b", "bee")))
    server.script[len(WAITS) : len(WAITS)] = said("b", "bee", "Be")
    shown = chat(server, "Write", "y")
    assert shown.count("y = yes") == 1
    assert "Be" in shown


def test_without_a_terminal_it_says_what_waits_and_how_to_answer(server: FakeServer) -> None:
    result = tertulia("ask", "Write")
    assert (result.exit_code, result.stdout) == (3, "Let me see.\n")
    assert SHOWN in result.stderr
    assert "tertulia approve a call_1" in result.stderr
    assert server.bodies(DECISION) == []


def test_programs_are_told_what_waits(server: FakeServer) -> None:
    result = tertulia("ask", "Write", "--json")
    assert result.exit_code == 3
    (reply,) = json.loads(result.stdout)["replies"]
    assert reply["calls"] == [letter()]


def test_at_a_terminal_it_asks(server: FakeServer) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, b"y\n")
    run = subprocess.run(
        [sys.executable, "-c", "from tertulia.cli import main; main()", "ask", "Write"],
        stdin=theirs,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    os.close(ours)
    os.close(theirs)
    assert SHOWN in run.stderr
    assert f"ant: {OUTCOME}" in run.stderr
    assert run.stdout == "Let me see. Sent.\n"
    assert server.bodies(DECISION) == [{"approve": True}]


def test_a_call_is_answered_later_by_its_name(server: FakeServer) -> None:
    allowed = tertulia("approve", "a", "call_1", "--always-here")
    denied = tertulia("approve", "a", "call_1", "--no", "--reason", "Not today.")
    assert (allowed.exit_code, denied.exit_code) == (0, 0)
    assert SHOWN in allowed.stderr
    assert server.bodies(DECISION) == [
        {"approve": True, "reason": "", "remember": "conversation"},
        {"approve": False, "reason": "Not today.", "remember": "once"},
    ]


def test_what_a_call_comes_to_stands_before_its_arguments() -> None:
    summary = "Create the event “Lunch”: Friday 20 November 2026, 13:00 (Europe/Madrid)"
    call = ToolCallState("a", "call_1", "create_event", "{}", ToolStatus.WAITING, summary=summary)
    assert format_arguments(call) == f"  create_event\n    {summary}\n    {{}}"


@given(st.text())
def test_what_is_shown_of_a_text_can_all_be_seen_and_means_the_same(text: str) -> None:
    shown = escape_invisible(text)
    assert all(one == "\n" or one.isprintable() for one in shown)
    inner = text.replace("\\", "").replace('"', "").replace("\n", "")
    assert json.loads(f'"{escape_invisible(inner)}"') == inner
