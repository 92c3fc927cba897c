"""A tiny server with the doors that the command line knocks at; its conversations are scripted."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tertulia.conversations import events

NOW = "2026-01-01T00:00:00.000Z"


def reply_view(reply_id: str, lane: str, **values: Any) -> dict[str, Any]:
    """Return a reply as the server shows it."""
    known = {"id": reply_id, "round_id": "rnd_1", "lane": lane, "model": lane, "kind": "answer", "attempt": 1}
    known |= {"continues": None, "status": "queued", "content": "", "error": None, "cost": None}
    return known | values


def turn_view(*replies: dict[str, Any], after: int = 0) -> dict[str, Any]:
    """Return a turn that the server accepted."""
    round_ = {"id": "rnd_1", "conversation_id": "cnv_1", "replies": list(replies)}
    return {"conversation": {"id": "cnv_1", "title": None}, "round": round_, "last_event_id": after}


def said(reply_id: str, lane: str, *pieces: str, **values: Any) -> list[events.Event]:
    """Return the events of one reply, from its start to its end."""
    found: list[events.Event] = [events.ReplyStarted("rnd_1", reply_id)]
    text = ""
    for piece in pieces:
        found.append(events.ReplyText(reply_id, len(text), piece))
        text += piece
    closed = {"status": "done", "content": text} | values
    return [*found, events.ReplyClosed(reply_view(reply_id, lane, **closed))]


@dataclass
class FakeServer:
    """What the server will say, and what was asked of it."""

    url: str = ""
    answers: dict[str, tuple[int, Any]] = field(default_factory=dict)
    script: list[events.Event] = field(default_factory=list)
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

    def log_message(self, *_: Any) -> None:
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
