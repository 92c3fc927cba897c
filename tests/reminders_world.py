"""A server that reminds people: with a clock that is set, a mail server, and a push service that reads along.

async with open_reminder_world(tmp_path, machine, monkeypatch, mail=mail) as world:
    ada = await world.person(role="owner")
"""

import asyncio
import json
import os
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import http_ece
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tertulia.core import clock
from tertulia.reminders import loop
from tertulia.reminders.push_keys import encode_base64url
from tests.clocks import HOUR_MS, Machine
from tests.listening import listening
from tests.search_world import until
from tests.world import Json, Person, World, free_port

SENDER = "Tertulia <reminders@example.org>"
PASSWORD = "correct horse battery"
#: A Monday morning, in no zone's change of the clock.
MORNING = datetime(2027, 3, 1, 8, 50, tzinfo=UTC)
MINUTE_MS = 60_000


@dataclass
class MailServer:
    """A mail server that keeps what it is handed, and refuses what it is told to."""

    port: int = field(default_factory=free_port)
    #: What it answers the next e-mails, after they were handed in.
    answers: list[str] = field(default_factory=list[str])
    taken: list[EmailMessage] = field(default_factory=list[EmailMessage])
    recipients: list[str] = field(default_factory=list[str])
    #: While it is not set, it answers nobody who hands something in.
    patience: threading.Event = field(default_factory=threading.Event)
    controller: Controller | None = None

    def __post_init__(self) -> None:
        self.patience.set()

    @property
    def url(self) -> str:
        return f"smtp://ada%40home:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{self.port}"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - the library's
        await asyncio.to_thread(self.patience.wait, 10)
        answer = self.answers.pop(0) if self.answers else "250 OK"
        if answer.startswith("250"):
            assert isinstance(envelope.content, bytes)
            self.taken.append(
                message_from_bytes(envelope.content, _class=EmailMessage, policy=policy.default)
            )
            self.recipients += envelope.rcpt_tos
        return answer

    def start(self) -> None:
        self.controller = Controller(
            self,
            hostname="127.0.0.1",
            port=self.port,
            authenticator=check_sign_in,
            auth_require_tls=False,
            auth_required=True,
        )
        self.controller.start()

    def stop(self) -> None:
        if self.controller is not None:
            self.controller.stop()
            self.controller = None


def check_sign_in(
    _server: SMTP, _session: Session, _envelope: Envelope, _mechanism: str, sign_in: Any
) -> AuthResult:
    """Let in who knows the password."""
    assert isinstance(sign_in, LoginPassword)
    is_known = sign_in == LoginPassword(b"ada@home", PASSWORD.encode())
    return AuthResult(success=is_known, handled=is_known)


@contextmanager
def serving_mail() -> Generator[MailServer]:
    """Give a mail server that runs."""
    server = MailServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()


@dataclass
class Browser:
    """A browser that was allowed to show notifications."""

    endpoint: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    secret: bytes = field(default_factory=lambda: os.urandom(16))

    @property
    def subscription(self) -> Json:
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        keys = {"p256dh": encode_base64url(point), "auth": encode_base64url(self.secret)}
        return {"endpoint": self.endpoint, "keys": keys}

    def decrypt(self, body: bytes) -> Json:
        """Read a notification, as only this browser can."""
        plain = http_ece.decrypt(body, private_key=self.key, auth_secret=self.secret, version="aes128gcm")
        return json.loads(plain)


@dataclass
class PushRequest:
    """A message as it came to the push service."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class PushService:
    """The push service of a browser's maker."""

    port: int = 0
    #: What it answers the next messages: a status, and headers.
    answers: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    requests: list[PushRequest] = field(default_factory=list[PushRequest])

    def browser(self, name: str = "one") -> Browser:
        return Browser(f"http://127.0.0.1:{self.port}/push/{name}")

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            first, *lines = head.decode().split("\r\n")
            headers = {
                name.lower(): value.strip()
                for name, _, value in (line.partition(":") for line in lines if line)
            }
            body = await reader.readexactly(int(headers["content-length"]))
            self.requests.append(PushRequest(first.split()[1], headers, body))
            status, extra = self.answers.pop(0) if self.answers else (201, "")
            writer.write(f"HTTP/1.1 {status} So\r\n{extra}Content-Length: 0\r\n\r\n".encode())
            await writer.drain()


@asynccontextmanager
async def serving_push() -> AsyncGenerator[PushService]:
    """Give a push service that runs."""
    service = PushService()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await service.handle(reader, writer)
        except asyncio.IncompleteReadError:
            writer.close()

    async with listening(handle) as port:
        service.port = port
        yield service


def set_clock(machine: Machine, moment: datetime) -> None:
    """Let the machine's clock show a moment."""
    machine.ahead_ms += clock.to_ms(moment) - clock.wall_ms()


def pass_minutes(machine: Machine, minutes: float) -> None:
    """Let time pass."""
    machine.ahead_ms += int(minutes * MINUTE_MS)
    machine.slept_ms += int(minutes * MINUTE_MS)


@asynccontextmanager
async def open_reminder_world(
    folder: Path,
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    *,
    mail: MailServer | None = None,
    **env: str,
) -> AsyncGenerator[World]:
    """Start a server on a Monday morning, which looks for reminders all the time."""
    monkeypatch.setattr(loop, "REMINDER_POLL_SECONDS", 0.02)
    set_clock(machine, MORNING)
    if mail is not None:
        env |= {"TERTULIA_SMTP_URL": mail.url, "TERTULIA_SMTP_FROM": SENDER}
    async with World.open(folder / "data", provider=None, TERTULIA_BUILTIN_MODEL="off", **env) as world:
        yield world


async def make_task(person: Person, title: str = "Water the plants", **fields: Any) -> Json:
    made = await person.post("/api/tasks", {"title": title, "due_date": "2027-03-01"} | fields)
    assert made.status_code == 201, made.text
    return made.json()


async def reminders_of(person: Person) -> Json:
    answered = await person.get("/api/reminders")
    assert answered.status_code == 200, answered.text
    return answered.json()


async def waiting(person: Person) -> list[str]:
    """Return the titles of the reminders that wait for somebody."""
    return [reminder["title"] for reminder in (await reminders_of(person))["waiting"]]


async def deliveries(person: Person) -> dict[str, str]:
    """Return how far the newest reminder of somebody has come, by channel."""
    told = await reminders_of(person)
    newest = (told["waiting"] + told["recent"])[0]
    return {delivery["channel"]: delivery["status"] for delivery in newest["deliveries"]}


async def until_settled(world: World) -> None:
    """Wait until nothing is to be looked for, and nothing on its way that is due."""

    async def is_settled() -> bool:
        now = clock.to_ms(clock.now())
        sql = """SELECT (SELECT count(*) FROM reminder_plans WHERE look_at <= :now OR look_at > :credible
            OR planned_at IS NULL OR planned_at <> look_at)
            + (SELECT count(*) FROM reminder_deliveries WHERE status = 'sending'
               OR (status = 'waiting' AND send_at <= :now))"""
        return not await world.db.read(lambda tx: tx.value(sql, now=now, credible=now + 7 * HOUR_MS), by=None)

    await until(is_settled)
