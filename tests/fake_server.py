"""A tiny server with the doors that the command line knocks at; its conversations are scripted."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import msgspec

from tertulia.conversations import events
from tertulia.conversations.domain import Policy, ReplyKind, ReplyStatus
from tertulia.conversations.views import MessageView, ReplyView, RoundView
from tertulia.core.view import view_as

NOW = "2026-01-01T00:00:00.000Z"


def reply_view(reply_id: str, lane: str, **values: Any) -> dict[str, Any]:
    """Return a reply as the server shows it."""
    known = ReplyView(
        id=reply_id,
        round_id="rnd_1",
        lane=lane,
        model=lane,
        kind=ReplyKind.ANSWER,
        attempt=1,
        continues=None,
        effort=None,
        status=ReplyStatus.QUEUED,
        content="",
        thinking="",
        error=None,
        usage=None,
        cost=None,
        tool_calls=[],
        notes=[],
        notice="",
        passages=[],
        marks=[],
        created_at=NOW,
        started_at=None,
        first_token_at=None,
        finished_at=None,
    )
    return msgspec.to_builtins(known) | values


def heard_reply(reply_id: str, lane: str, **values: Any) -> ReplyView:
    """Return a reply as events carry it."""
    return view_as(ReplyView, reply_view(reply_id, lane, **values))


def round_view(*replies: dict[str, Any], question: str = "Hello") -> dict[str, Any]:
    """Return a round as the server shows it."""
    asked = MessageView("msg_1", "rnd_1", None, "user", question, "", [], NOW)
    known = RoundView("rnd_1", "cnv_1", None, 1, Policy.EVERYONE, asked, [], ["rnd_1"], NOW)
    return msgspec.to_builtins(known) | {"replies": list(replies)}


def turn_view(*replies: dict[str, Any], after: int = 0) -> dict[str, Any]:
    """Return a turn that the server accepted."""
    conversation = {"id": "cnv_1", "title": None}
    return {"conversation": conversation, "round": round_view(*replies), "last_event_id": after}


def said(reply_id: str, lane: str, *pieces: str, **values: Any) -> list[events.ConversationEvent]:
    """Return the events of one reply, from its start to its end."""
    found: list[events.ConversationEvent] = [events.ReplyStarted("rnd_1", reply_id)]
    text = ""
    for piece in pieces:
        found.append(events.ReplyText(reply_id, len(text), piece))
        text += piece
    closed = {"status": "done", "content": text} | values
    return [*found, events.ReplyClosed(heard_reply(reply_id, lane, **closed))]


@dataclass
class FakeServer:
    """What the server will say, and what was asked of it."""

    url: str = ""
    answers: dict[str, tuple[int, Any]] = field(default_factory=dict)
    script: list[events.ConversationEvent] = field(default_factory=list)
    #: After so many events the connection is lost, again and again.
    cut: int = 1000
    reset_first: bool = False
    asked: list[tuple[str, Any]] = field(default_factory=list)

    def bodies(self, what: str) -> list[Any]:
        """Return what was sent with each request of this kind."""
        return [body for asked, body in self.asked if asked == what]


class Handler(BaseHTTPRequestHandler):
    """Answers from the script."""

    fake: FakeServer

    def handle_any(self) -> None:
        path = urlsplit(self.path).path
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.fake.asked.append((f"{self.command} {path}", json.loads(raw) if raw else None))
        if path.endswith("/events"):
            with suppress(ConnectionError):  # whoever has heard enough hangs up
                self.send_events()
            return
        missing = (404, {"error": {"code": "not_found", "message": f"There is no {path}."}})
        status, body = self.fake.answers.get(f"{self.command} {path}", missing)
        if self.headers.get("Authorization") == "Bearer wrong":
            status, body = 401, {"error": {"code": "not_signed_in", "message": "Sign in first."}}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = handle_any  # noqa: N815 - the names that the library calls

    def send_events(self) -> None:
        after = int(self.headers.get("Last-Event-ID", 0))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(f'event: ping\nid: {after}\ndata: {{"type":"ping"}}\n\n'.encode())
        if self.fake.reset_first:
            self.fake.reset_first = False
            self.wfile.write(b'data: {"type":"reset"}\n\n')
        for number, event in list(enumerate(self.fake.script, 1))[after : after + self.fake.cut]:
            self.wfile.write(f"id: {number}\ndata: {events.encode_event(event)}\n\n".encode())
        self.wfile.write(b'id: 999\ndata: {"type":"half')

    def log_message(self, *_: Any, **__: Any) -> None:
        """Say nothing."""


@contextmanager
def fake_server() -> Generator[FakeServer]:
    """Serve on a port of this machine."""
    fake = FakeServer()
    handler = type("Scripted", (Handler,), {"fake": fake})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        fake.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield fake
        finally:
            server.shutdown()
