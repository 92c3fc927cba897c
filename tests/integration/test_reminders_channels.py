"""E-mail and web push: what may go where, what is tried again, and what is told when nobody can know."""

import json
from collections.abc import AsyncGenerator, Generator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256
from tests.accounts_door import ok, refused
from tests.clocks import DAY_MS, HOUR_MS, Machine
from tests.reminders_world import (
    MORNING,
    SENDER,
    MailServer,
    PushService,
    deliveries,
    make_task,
    open_reminder_world,
    pass_minutes,
    reminders_of,
    serving_mail,
    serving_push,
    set_clock,
    until_settled,
    waiting,
)
from tests.search_world import until
from tests.world import Person, World

from tertulia.core.clock import from_ms, now
from tertulia.infra.db import Tx
from tertulia.reminders import delivery_store
from tertulia.reminders.domain import DeliveryStatus, ReminderChannel, ReminderMessage
from tertulia.reminders.loop import Reminders
from tertulia.reminders.mail_sender import NO_ENCRYPTION, NO_SIGN_IN, MailSender
from tertulia.reminders.mail_server import MailEncryption, read_mail_server
from tertulia.reminders.push_keys import decode_base64url

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH")


@pytest.fixture
def mail() -> Generator[MailServer]:
    with serving_mail() as server:
        yield server


@pytest.fixture
async def push() -> AsyncGenerator[PushService]:
    async with serving_push() as service:
        yield service


@pytest.fixture
async def world(
    tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch, mail: MailServer
) -> AsyncGenerator[World]:
    async with open_reminder_world(tmp_path, machine, monkeypatch, mail=mail) as world:
        yield world


async def remind(world: World, person: Person, machine: Machine) -> None:
    """Let a task of somebody be due, and wait until they were reminded."""
    await make_task(person)
    await until_settled(world)
    pass_minutes(machine, 11)
    await until_settled(world)


async def test_a_mail_server_that_is_down_is_tried_again_with_growing_rests(
    world: World, ada: Person, machine: Machine, mail: MailServer
) -> None:
    mail.stop()
    await remind(world, ada, machine)
    assert await deliveries(ada) == {"app": "sent", "email": "waiting"}
    [email] = [
        one for one in (await reminders_of(ada))["waiting"][0]["deliveries"] if one["channel"] == "email"
    ]
    assert email["problem"] == "The mail server could not be reached."
    mail.start()
    mail.answers = ["451 Busy"]
    pass_minutes(machine, 1)
    await until_settled(world)
    assert await deliveries(ada) == {"app": "sent", "email": "waiting"}
    pass_minutes(machine, 16)
    await until_settled(world)
    assert await deliveries(ada) == {"app": "sent", "email": "sent"}
    assert len(mail.taken) == 1


async def test_what_a_mail_server_refuses_for_good_is_not_tried_again(
    world: World, ada: Person, machine: Machine, mail: MailServer
) -> None:
    mail.answers = ["550 No"]
    await remind(world, ada, machine)
    assert await deliveries(ada) == {"app": "sent", "email": "failed"}


async def test_a_mail_server_that_stays_away_is_given_up(
    world: World, ada: Person, machine: Machine, mail: MailServer
) -> None:
    mail.stop()
    await remind(world, ada, machine)
    for _ in range(delivery_store.DELIVERY_ATTEMPTS_MAX):
        pass_minutes(machine, 16)
        await until_settled(world)
    assert await deliveries(ada) == {"app": "sent", "email": "failed"}


async def test_what_was_being_sent_when_a_process_died_is_told_as_unknown_and_not_sent_again(
    world: World, ada: Person, machine: Machine, mail: MailServer
) -> None:
    mail.stop()
    await remind(world, ada, machine)
    later = now() + delivery_store.BACKOFF_MAX
    # Another process claims it, and is gone before it has sent it or said so.
    claimed = await world.db.write(
        lambda tx: delivery_store.claim(tx, ReminderChannel.EMAIL, now=later), by=None, concurrent=True
    )
    assert claimed is not None
    mail.start()
    pass_minutes(machine, 1)
    await until_settled_but_sending(world)
    assert await deliveries(ada) == {"app": "sent", "email": "sending"}
    pass_minutes(machine, 2)
    await until_settled(world)
    assert await deliveries(ada) == {"app": "sent", "email": "unknown"}
    pass_minutes(machine, 60)
    await until_settled(world)
    assert mail.taken == []


async def until_settled_but_sending(world: World) -> None:
    """Let some looks pass: what is claimed stays so."""
    for _ in range(3):
        await world.server.parts.reminders.deliverer.settle_lapsed()
        await world.server.parts.reminders.deliverer.run_due(ReminderChannel.EMAIL)


async def test_a_slow_mail_server_keeps_nothing_else_waiting(
    world: World, ada: Person, machine: Machine, mail: MailServer, push: PushService
) -> None:
    assert (await ada.post("/api/reminders/push", push.browser().subscription)).status_code == 204
    mail.patience.clear()
    await make_task(ada)
    await until_settled(world)
    pass_minutes(machine, 11)

    async def is_told() -> bool:
        return bool(await waiting(ada)) and await deliveries(ada) == {
            "app": "sent",
            "email": "sending",
            "push": "sent",
        }

    await until(is_told)
    mail.patience.set()
    await until_settled(world)
    assert await deliveries(ada) == {"app": "sent", "email": "sent", "push": "sent"}


async def test_nothing_is_sent_where_encryption_is_wanted_and_not_offered(mail: MailServer) -> None:
    server = replace(read_mail_server(mail.url), encryption=MailEncryption.STARTTLS)
    sender = MailSender(server, sender=SENDER, public_url="")
    outcome = await sender.send(ReminderMessage("Hello", "Now", "/", "rem_1"), to="ada@example.org")
    assert (outcome.status, outcome.problem) == (DeliveryStatus.WAITING, NO_ENCRYPTION)
    assert mail.taken == []


async def test_a_password_that_is_refused_is_neither_told_nor_logged(
    mail: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    server = replace(read_mail_server(mail.url), password="a canary that sings")
    sender = MailSender(server, sender=SENDER, public_url="")
    outcome = await sender.send(ReminderMessage("Hello", "Now", "/", "rem_1"), to="ada@example.org")
    assert outcome.problem == NO_SIGN_IN
    assert "canary" not in caplog.text + repr(server)


async def test_several_processes_send_each_reminder_once(
    world: World, ada: Person, machine: Machine, mail: MailServer
) -> None:
    people = [ada, *[await world.person(like=ada) for _ in range(4)]]
    for person in people:
        await make_task(person)
    parts = world.server.parts
    other = Reminders(world.settings, parts.db, parts.events, parts.client)
    await until_settled(world)
    pass_minutes(machine, 11)
    for _ in range(5):
        await other.planner.run_due()
        await other.deliverer.run_due(ReminderChannel.EMAIL)
    await until_settled(world)
    assert sorted(mail.recipients) == sorted(f"p{number}@example.org" for number in range(5))


async def test_after_a_few_hours_away_it_is_told_late_and_after_days_not_at_all(
    tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_reminder_world(tmp_path, machine, monkeypatch) as world:
        ada = await world.person(role="owner")
        await make_task(ada, "Today")
        await make_task(ada, "Later", due_date="2027-03-03")
        await until_settled(world)
    machine.ahead_ms += 5 * HOUR_MS
    machine.new_process()
    async with World.open(tmp_path / "data", TERTULIA_BUILTIN_MODEL="off") as world:
        again = Person(ada.principal, ada.token, world.client(ada.token))
        await until_settled(world)
        [reminder] = (await reminders_of(again))["waiting"]
        assert (reminder["title"], reminder["is_late"]) == ("Today", True)
        await again.client.aclose()
    machine.ahead_ms += 4 * DAY_MS
    machine.new_process()
    async with World.open(tmp_path / "data", TERTULIA_BUILTIN_MODEL="off") as world:
        again = Person(ada.principal, ada.token, world.client(ada.token))
        await until_settled(world)
        assert await waiting(again) == ["Today"]
        await again.client.aclose()


async def test_a_clock_that_jumps_tells_nothing_twice_and_stops_nothing(
    world: World, ada: Person, machine: Machine
) -> None:
    await remind(world, ada, machine)
    machine.ahead_ms -= HOUR_MS
    await make_task(ada, "Another", due_date="2027-03-02")
    await until_settled(world)
    machine.ahead_ms += 400 * DAY_MS
    await until_settled(world)
    machine.new_process()
    set_clock(machine, MORNING + timedelta(days=1))
    await until_settled(world)
    pass_minutes(machine, 11)
    await until_settled(world)
    assert sorted(await waiting(ada)) == ["Another", "Water the plants"]


async def test_browsers_that_are_gone_are_forgotten_and_busy_services_left_alone(
    world: World, ada: Person, machine: Machine, push: PushService
) -> None:
    for name in ("one", "two", "three"):
        assert (await ada.post("/api/reminders/push", push.browser(name).subscription)).status_code == 204
    assert ok(await ada.get("/api/reminders/settings"))["browsers"] == 3
    push.answers = [(410, ""), (429, "Retry-After: 600\r\n"), (503, "")]
    await remind(world, ada, machine)
    assert ok(await ada.get("/api/reminders/settings"))["browsers"] == 2
    pass_minutes(machine, 9)
    await until_settled(world)
    assert len(push.requests) == 4
    pass_minutes(machine, 2)
    await until_settled(world)
    assert len(push.requests) == 5
    statuses = [one["status"] for one in (await reminders_of(ada))["waiting"][0]["deliveries"]]
    assert sorted(statuses) == ["failed", "sent", "sent", "sent", "sent"]


async def test_a_browser_is_told_nothing_once_its_person_is_signed_out(
    world: World, ada: Person, machine: Machine, push: PushService
) -> None:
    assert (await ada.post("/api/reminders/push", push.browser().subscription)).status_code == 204
    await make_task(ada)
    [token] = ok(await ada.get("/api/tokens"))["items"]
    await until_settled(world)
    assert (await ada.delete(f"/api/tokens/{token['id']}")).status_code == 204
    pass_minutes(machine, 11)
    await until_settled(world)
    assert push.requests == []


async def test_messages_are_signed_by_a_key_that_stays(world: World, ada: Person, push: PushService) -> None:
    key = ok(await ada.get("/api/reminders/push/key"))["key"]
    browser = push.browser()
    assert (await ada.post("/api/reminders/push", browser.subscription)).status_code == 204
    assert (await ada.post("/api/reminders/test", {"channel": "push"})).status_code == 204
    [request] = push.requests
    assert browser.decrypt(request.body)["title"] == "A test from Tertulia"
    scheme, _, parts = request.headers["authorization"].partition(" ")
    token, _, sent_key = parts.partition(", k=")
    assert (scheme, sent_key, request.headers["content-encoding"]) == ("vapid", key, "aes128gcm")
    assert int(request.headers["ttl"]) > 0
    claims = check_token(token.removeprefix("t="), key)
    assert claims["aud"] == f"http://127.0.0.1:{push.port}"
    assert claims["sub"] == "mailto:reminders@example.org"
    assert timedelta() < from_ms(claims["exp"] * 1000) - now() <= timedelta(days=1)

    parts_of_world = world.server.parts
    other = Reminders(world.settings, parts_of_world.db, parts_of_world.events, parts_of_world.client)
    assert other.push is not None
    assert await other.push.public_key() == key
    stored = await world.db.read(everything_stored, by=None)
    assert browser.endpoint not in stored
    assert browser.subscription["keys"]["auth"] not in stored


def check_token(token: str, key: str) -> dict[str, int]:
    """Return what a signed token says, or raise."""
    signed, _, signature = token.rpartition(".")
    raw = decode_base64url(signature)
    signature_der = utils.encode_dss_signature(
        int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
    )
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode_base64url(key))
    public.verify(signature_der, signed.encode(), ec.ECDSA(SHA256()))
    head, _, claims = signed.partition(".")
    assert json.loads(decode_base64url(head)) == {"typ": "JWT", "alg": "ES256"}
    return json.loads(decode_base64url(claims))


def everything_stored(tx: Tx) -> str:
    """Return what the database holds of browsers and of the server's key."""
    rows = tx.rows("SELECT * FROM push_subscriptions") + tx.rows("SELECT * FROM server_facts")
    return json.dumps(rows, default=str)


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://push.example.org/x",
        "https://10.0.0.1/x",
        "https://169.254.169.254/latest",
        "https://localhost/x",
        "https://[::1]/x",
        "https://ada:secret@push.example.org/x",
        "https://0x7f000002/x",
        "ftp://127.0.0.1/x",
        "https://push.example.org/\r\nX: y",
        "nonsense",
    ],
)
async def test_no_browser_names_a_place_inside(
    world: World, ada: Person, push: PushService, endpoint: str
) -> None:
    wrong = push.browser().subscription | {"endpoint": endpoint}
    refused(await ada.post("/api/reminders/push", wrong), 422, "push_subscription_invalid")


async def test_a_name_that_leads_inside_later_is_not_asked(
    world: World, ada: Person, machine: Machine, push: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscription = push.browser().subscription | {"endpoint": "https://push.example.org/x"}
    assert (await ada.post("/api/reminders/push", subscription)).status_code == 204

    async def lead_inside(_host: str, _port: int) -> list[str]:
        return ["10.0.0.7"]

    monkeypatch.setattr(world.server.parts.client._transport, "_resolve", lead_inside)
    refused(await ada.post("/api/reminders/test", {"channel": "push"}), 503, "reminder_test_failed")
    assert ok(await ada.get("/api/reminders/settings"))["browsers"] == 0


async def test_keys_that_encrypt_nothing_are_refused(ada: Person, push: PushService) -> None:
    good = push.browser().subscription
    for keys in ({"p256dh": "AAAA"}, {"auth": "AAAA"}, {"p256dh": good["keys"]["p256dh"][:-4] + "AAAA"}):
        wrong = good | {"keys": good["keys"] | keys}
        refused(await ada.post("/api/reminders/push", wrong), 422, "push_subscription_invalid")


async def test_a_test_says_what_is_wrong(world: World, ada: Person, mail: MailServer) -> None:
    assert (await ada.post("/api/reminders/test", {"channel": "email"})).status_code == 204
    assert [one["Subject"] for one in mail.taken] == [
        "A test from Tertulia · This is how you will be reminded."
    ]
    assert mail.taken[0]["From"] == SENDER
    mail.stop()
    failed = await ada.post("/api/reminders/test", {"channel": "email"})
    refused(failed, 503, "reminder_test_failed")
    refused(await ada.post("/api/reminders/test", {"channel": "push"}), 503, "reminder_channel_unavailable")


async def test_a_server_without_mail_and_push_says_so(
    tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch, push: PushService
) -> None:
    async with open_reminder_world(tmp_path, machine, monkeypatch, TERTULIA_PUSH="off") as world:
        ada = await world.person(role="owner")
        assert ok(await ada.get("/api/reminders/settings"))["available"] == ["app"]
        refused(await ada.get("/api/reminders/push/key"), 409, "push_off")
        refused(await ada.post("/api/reminders/push", push.browser().subscription), 409, "push_off")
        await remind(world, ada, machine)
        assert await deliveries(ada) == {"app": "sent"}


async def test_a_browser_is_taken_off_by_its_address(ada: Person, push: PushService) -> None:
    subscription = push.browser().subscription
    for _ in range(2):
        assert (await ada.post("/api/reminders/push", subscription)).status_code == 204
    assert ok(await ada.get("/api/reminders/settings"))["browsers"] == 1
    for _ in range(2):
        body = {"endpoint": subscription["endpoint"]}
        assert (await ada.client.request("DELETE", "/api/reminders/push", json=body)).status_code == 204
    assert ok(await ada.get("/api/reminders/settings"))["browsers"] == 0
