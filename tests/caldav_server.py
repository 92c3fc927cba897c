"""CalDAV servers for tests: a real Radicale on loopback, and a stand-in with Google's gaps and any fault."""

import asyncio
import importlib
import re
import socket
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.sax.saxutils import escape

USERNAME = "ada@example.org"
PASSWORD = "correct horse battery"
TOKEN = "ya29.a-token-of-ada"
HOME = "/caldav/v2/ada/"
etree: Any = importlib.import_module("lxml.etree")
DAV_NS = {"d": "DAV:", "c": "urn:ietf:params:xml:ns:caldav"}
STREAM_END_SECONDS = 5.0

Effect = Callable[["StandInRequest"], None]


@dataclass
class Fault:
    """What happens to the next requests of a kind instead of, or after, what should."""

    method: str
    times: int = 1
    status: int = 0
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    #: The request is done, and the line is cut before its answer.
    drops_answer: bool = False
    #: So many bytes of the body are sent of all that were announced.
    truncates_at: int = -1
    #: What else happens at the server right before the request is looked at.
    before: Callable[[], None] | None = None
    #: Requests whose body or path does not hold this are not meant.
    holds: str = ""


@dataclass
class StandIn:
    """A calendar server of a few lines: what it has, what it was asked, and what it does wrong next."""

    #: By calendar, then by name of the file: version and text.
    calendars: dict[str, dict[str, tuple[str, str]]] = field(
        default_factory=lambda: {"events": dict[str, tuple[str, str]]()}
    )
    has_tokens: bool = True
    has_ctag: bool = True
    takes_if_none_match: bool = False
    gives_etag_on_put: bool = False
    rewrites: bool = True
    is_read_only: bool = False
    auth: str = f"Bearer {TOKEN}"
    faults: list[Fault] = field(default_factory=list[Fault])
    #: Method, path and body of all that was asked.
    requests: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    #: What became of each file, in order: calendar, name, whether it is there.
    history: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    #: Tokens before this one are forgotten.
    oldest_token: int = 0
    versions: int = 0
    lock: threading.RLock = field(default_factory=threading.RLock)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{HOME}"

    def write(self, name: str, content: str, *, calendar: str = "events") -> None:
        """Change an event as another device would."""
        with self.lock:
            self.versions += 1
            self.calendars[calendar][name] = (f"v{self.versions}", content)
            self.history.append((calendar, name))

    def remove(self, name: str, *, calendar: str = "events") -> None:
        """Delete an event as another device would."""
        with self.lock:
            del self.calendars[calendar][name]
            self.history.append((calendar, name))

    def texts(self, *, calendar: str = "events") -> dict[str, str]:
        """Return all events by their names."""
        with self.lock:
            return {name: content for name, (_, content) in self.calendars[calendar].items()}

    def asked(self, method: str) -> int:
        """Return how often a method was used."""
        return sum(1 for found, _, _ in self.requests if found == method)

    def forget_tokens(self) -> None:
        """Forget what changed until now."""
        with self.lock:
            self.oldest_token = len(self.history) + 1
            self.history.append(("", ""))

    def take_fault(self, method: str, text: str) -> Fault | None:
        """Return what goes wrong with a request."""
        with self.lock:
            for fault in self.faults:
                if fault.method in (method, "*") and fault.times > 0 and fault.holds in text:
                    fault.times -= 1
                    return fault
        return None

    @contextmanager
    def running(self) -> Generator["StandIn"]:
        """Serve until the end."""
        handler = type("Handler", (StandInRequest,), {"stand_in": self})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        self.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class StandInRequest(BaseHTTPRequestHandler):
    """One request to the stand-in."""

    stand_in: StandIn
    protocol_version = "HTTP/1.1"
    body = ""
    fault: Fault | None = None

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
        """Say nothing."""

    def handle_any(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        stand_in = self.stand_in
        stand_in.requests.append((self.command, self.path, self.body))
        self.fault = stand_in.take_fault(self.command, f"{self.path}\n{self.body}")
        if self.fault and self.fault.before:
            self.fault.before()
        if self.fault and self.fault.status:
            self.answer(self.fault.status, self.fault.body, **self.fault.headers)
        elif self.headers.get("Authorization") != stand_in.auth:
            self.answer(401, "", **{"WWW-Authenticate": "Bearer"})
        else:
            with stand_in.lock:
                getattr(self, f"handle_{self.command.lower()}")()

    do_PROPFIND = do_REPORT = do_GET = do_PUT = do_DELETE = do_MKCALENDAR = do_OPTIONS = handle_any  # noqa: N815

    def answer(self, status: int, body: str = "", **headers: str) -> None:
        content, fault = body.encode(), self.fault
        if fault and fault.drops_answer:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if fault and fault.truncates_at >= 0:
            self.wfile.write(content[: fault.truncates_at])
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.wfile.write(content)

    @property
    def place(self) -> tuple[str, str]:
        """The calendar and the file that the path names."""
        parts = unquote(self.path).removeprefix(HOME).split("/")
        return parts[0], parts[1] if len(parts) > 1 else ""

    def multistatus(self, *responses: str, token: str = "") -> None:
        end = f"<d:sync-token>{token}</d:sync-token>" if token else ""
        namespaces = (
            'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:s="http://calendarserver.org/ns/"'
        )
        text = f"<?xml version='1.0'?><d:multistatus {namespaces}>{''.join(responses)}{end}</d:multistatus>"
        self.answer(207, text, **{"Content-Type": "application/xml"})

    def handle_propfind(self) -> None:
        calendar, name = self.place
        if not self.path.startswith(HOME):
            self.answer(404)
        elif not calendar:
            home = f"<c:calendar-home-set><d:href>{HOME}</d:href></c:calendar-home-set>"
            found = [found_response(HOME, f"<d:resourcetype><d:collection/></d:resourcetype>{home}")]
            if self.headers.get("Depth") == "1":
                found += [self.describe(each) for each in self.stand_in.calendars]
            self.multistatus(*found)
        elif calendar not in self.stand_in.calendars or name:
            self.answer(404)
        else:
            files = self.stand_in.calendars[calendar] if self.headers.get("Depth") == "1" else {}
            self.multistatus(
                self.describe(calendar), *(file_response(calendar, each, *files[each]) for each in files)
            )

    def describe(self, calendar: str) -> str:
        stand_in = self.stand_in
        rights = "" if stand_in.is_read_only else "<d:privilege><d:write/></d:privilege>"
        token = f"<d:sync-token>{self.token()}</d:sync-token>" if stand_in.has_tokens else ""
        ctag = f"<s:getctag>{len(stand_in.history)}</s:getctag>" if stand_in.has_ctag else ""
        return found_response(
            f"{HOME}{calendar}/",
            f"<d:resourcetype><d:collection/><c:calendar/></d:resourcetype><d:displayname>{calendar}"
            "</d:displayname><d:current-user-privilege-set><d:privilege><d:read/></d:privilege>"
            f"{rights}</d:current-user-privilege-set>{token}{ctag}",
        )

    def token(self) -> str:
        return f"http://example.org/sync/{len(self.stand_in.history)}"

    def handle_report(self) -> None:
        root = etree.fromstring(self.body.encode())
        calendar, _ = self.place
        if root.tag == "{DAV:}sync-collection" and self.stand_in.has_tokens:
            self.report_changes(calendar, root.findtext("d:sync-token", "", DAV_NS))
        elif root.tag == f"{{{DAV_NS['c']}}}calendar-multiget":
            files = self.stand_in.calendars[calendar]
            names = [unquote(each.text).rpartition("/")[2] for each in root.iterfind("d:href", DAV_NS)]
            self.multistatus(
                *(
                    file_response(calendar, name, *files[name], with_data=True)
                    if name in files
                    else status_response(f"{HOME}{calendar}/{name}", 404)
                    for name in names
                )
            )
        else:
            self.answer(501)

    def report_changes(self, calendar: str, token: str) -> None:
        number = int(token.rpartition("/")[2] or 0)
        if number < self.stand_in.oldest_token:
            error = '<d:error xmlns:d="DAV:"><d:valid-sync-token/></d:error>'
            self.answer(403, error, **{"Content-Type": "application/xml"})
            return
        files = self.stand_in.calendars[calendar]
        names = dict.fromkeys(name for of, name in self.stand_in.history[number:] if of == calendar)
        self.multistatus(
            *(
                file_response(calendar, name, *files[name])
                if name in files
                else status_response(f"{HOME}{calendar}/{name}", 404)
                for name in names
            ),
            token=self.token(),
        )

    def handle_get(self) -> None:
        calendar, name = self.place
        found = self.stand_in.calendars.get(calendar, {}).get(name)
        if found is None:
            self.answer(404)
        else:
            self.answer(200, found[1], **{"ETag": f'"{found[0]}"', "Content-Type": "text/calendar"})

    def handle_put(self) -> None:
        calendar, name = self.place
        stand_in, found = self.stand_in, self.stand_in.calendars[self.place[0]].get(name)
        if stand_in.is_read_only or "BEGIN:VTODO" in self.body:
            self.answer(403)
        elif self.is_stale(found):
            self.answer(412)
        elif "If-None-Match" in self.headers and not stand_in.takes_if_none_match:
            self.answer(400)
        else:
            stand_in.write(name, rewritten(self.body) if stand_in.rewrites else self.body, calendar=calendar)
            version = stand_in.calendars[calendar][name][0]
            self.answer(
                204 if found else 201, **{"ETag": f'"{version}"'} if stand_in.gives_etag_on_put else {}
            )

    def handle_delete(self) -> None:
        calendar, name = self.place
        found = self.stand_in.calendars[calendar].get(name)
        if found is None:
            self.answer(404)
        elif self.is_stale(found):
            self.answer(412)
        else:
            self.stand_in.remove(name, calendar=calendar)
            self.answer(204)

    def is_stale(self, found: tuple[str, str] | None) -> bool:
        expected = self.headers.get("If-Match")
        if expected is not None:
            return found is None or expected != f'"{found[0]}"'
        return found is not None and "If-None-Match" in self.headers and self.stand_in.takes_if_none_match

    def handle_mkcalendar(self) -> None:
        self.answer(403)

    def handle_options(self) -> None:
        self.answer(200, DAV="1, calendar-access, calendar-schedule, calendar-proxy")


def found_response(href: str, properties: str) -> str:
    return (
        f"<d:response><d:href>{href}</d:href><d:propstat><d:prop>{properties}</d:prop>"
        "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    )


def status_response(href: str, status: int) -> str:
    return f"<d:response><d:href>{escape(href)}</d:href><d:status>HTTP/1.1 {status} X</d:status></d:response>"


def file_response(calendar: str, name: str, version: str, content: str, *, with_data: bool = False) -> str:
    data = f"<c:calendar-data>{escape(content)}</c:calendar-data>" if with_data else ""
    kind = "<d:getcontenttype>text/calendar; component=vevent</d:getcontenttype><d:resourcetype/>"
    return found_response(
        f"{HOME}{calendar}/{escape(name)}", f'<d:getetag>"{version}"</d:getetag>{kind}{data}'
    )


def rewritten(content: str) -> str:
    """Return a text as servers keep it that write their own."""
    content = re.sub(r"PRODID:[^\r\n]*", "PRODID:-//Google Inc//Google Calendar 70.9054//EN", content)
    content = re.sub(r"DTSTAMP:[^\r\n]*", "DTSTAMP:20260101T000000Z", content)
    return content.replace("END:VEVENT", "SEQUENCE:1\r\nEND:VEVENT") if "SEQUENCE" not in content else content


def event_text(uid: str, title: str, *lines: str, start: str = "20260601T090000Z") -> str:
    """Return the text of an event of an hour, as another program would write it."""
    end = start.replace("T09", "T10")
    body = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Another//Program//EN",
        "BEGIN:VEVENT",
        f"UID:{uid}",
        "DTSTAMP:20260101T000000Z",
        f"DTSTART:{start}",
        f"DTEND:{end}",
        f"SUMMARY:{title}",
        *lines,
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]
    return "\r\n".join(body)


@contextmanager
def radicale_running(folder: Path, *, rights: str = "owner_only") -> Generator[str]:
    """Serve a real Radicale with one person in it, and give its root address."""
    from radicale import config, server  # noqa: PLC0415 - heavy, and few tests need it

    users = folder / "users"
    folder.mkdir(parents=True, exist_ok=True)
    users.write_text(f"{USERNAME}:{PASSWORD}\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    configuration = config.load()
    configuration.update(
        {
            "server": {"hosts": f"127.0.0.1:{port}"},
            "auth": {
                "type": "htpasswd",
                "htpasswd_filename": str(users),
                "htpasswd_encryption": "plain",
                "delay": "0",
            },
            "rights": {"type": rights},
            "storage": {"filesystem_folder": str(folder / "collections"), "_filesystem_fsync": "False"},
            "logging": {"level": "error"},
        },
        "test",
        privileged=True,
    )
    stop, stopped = socket.socketpair()
    thread = threading.Thread(target=server.serve, args=(configuration, stopped), daemon=True)
    thread.start()
    wait_until_listening(port)
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        stop.close()
        thread.join(STREAM_END_SECONDS)
        stopped.close()


async def wait_until(check: Callable[[], Awaitable[object]], *, seconds: float = 5) -> None:
    """Return once something is so."""
    async with asyncio.timeout(seconds):
        while not await check():  # noqa: ASYNC110 - another thread or process makes it so
            await asyncio.sleep(0.02)


def wait_until_listening(port: int) -> None:
    """Return once a port takes connections."""
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            threading.Event().wait(0.01)
        else:
            return
    raise AssertionError("the server did not start")
