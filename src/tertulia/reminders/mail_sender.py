"""Sending e-mails, each by itself: surely sent, surely not, or told as unknown."""

import asyncio
import logging
import ssl
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from functools import partial
from typing import TYPE_CHECKING

from tertulia.core.clock import now
from tertulia.reminders.domain import SENT, DeliveryStatus, ReminderMessage, SendOutcome
from tertulia.reminders.mail_server import MailEncryption, MailServer, read_mail_server
from tertulia.reminders.wording import to_one_line
from tertulia.settings import Settings

if TYPE_CHECKING:
    import smtplib

log = logging.getLogger("tertulia.reminders")

#: For each thing that a mail server is told.
SMTP_TIMEOUT_SECONDS = 20.0
SUBJECT_MAX_CHARS = 150
#: Codes of refusals, and of those that do not pass.
FIRST_REFUSAL_CODE = 400
FINAL_REFUSAL_CODE = 500
#: Errors are told without names and addresses: people read them who do not run the server.
NO_CONNECTION = "The mail server could not be reached."
NO_ENCRYPTION = "The mail server offers no encryption, so nothing was sent."
NO_SIGN_IN = "The mail server did not accept this server's user and password."
NO_SUCH_ADDRESS = "The mail server takes no e-mail for an address with such letters."
NO_ANSWER = "The mail server did not answer at the end, so nobody knows whether the e-mail went out."
FOOTER = (
    "You get this because you have reminders by e-mail. You can change that in the settings, under Reminders."
)


class MailSender:
    """Sends e-mails by the operator's mail server."""

    def __init__(self, server: MailServer, *, sender: str, public_url: str) -> None:
        self._server = server
        self._sender = sender
        self._public_url = public_url

    @classmethod
    def of(cls, settings: Settings) -> "MailSender | None":
        """Return what sends e-mails, where the operator named a mail server."""
        if not settings.smtp_url or not settings.smtp_from:
            return None
        server = read_mail_server(settings.smtp_url)
        return cls(server, sender=settings.smtp_from, public_url=settings.public_url)

    async def send(self, message: ReminderMessage, *, to: str) -> SendOutcome:
        """Send a message to somebody, and say what became of it."""
        mail = build_mail(message, sender=self._sender, to=to, public_url=self._public_url)
        return await asyncio.to_thread(partial(hand_in, self._server, mail, to=to))


def build_mail(message: ReminderMessage, *, sender: str, to: str, public_url: str) -> EmailMessage:
    """Return an e-mail; whatever a title holds, it stays within the line of the subject."""
    mail = EmailMessage(policy=SMTP)
    mail["Subject"] = to_one_line(
        f"{message.title} · {message.text.partition(chr(10))[0]}", SUBJECT_MAX_CHARS
    )
    mail["From"] = sender
    mail["To"] = to
    mail["Date"] = format_datetime(now())
    # The same for every attempt: what came twice after all is shown once.
    domain = parseaddr(sender)[1].rpartition("@")[2]
    mail["Message-ID"] = f"<{message.tag}@{domain}>"
    mail["Auto-Submitted"] = "auto-generated"
    link = f"\n{public_url}{message.path}\n" if public_url else ""
    mail.set_content(f"{message.title}\n{message.text}\n{link}\n-- \n{FOOTER}\n")
    return mail


def hand_in(server: MailServer, mail: EmailMessage, *, to: str) -> SendOutcome:
    """Hand in an e-mail, and say what became of it."""
    import smtplib

    try:
        connection = open_connection(server)
    except smtplib.SMTPAuthenticationError:
        return _tell_failure(NO_SIGN_IN)
    except smtplib.SMTPNotSupportedError:
        return _tell_failure(NO_ENCRYPTION)
    except (OSError, smtplib.SMTPException) as error:
        return _tell_failure(NO_CONNECTION, error)
    try:
        return transmit(connection, mail, to=to)
    finally:
        connection.close()


def open_connection(server: MailServer) -> "smtplib.SMTP":
    """Return a connection to a mail server: encrypted as it must be, and signed in."""
    import smtplib

    if server.encryption is MailEncryption.TLS:
        connect = partial(smtplib.SMTP_SSL, context=ssl.create_default_context())
    else:
        connect = partial(smtplib.SMTP)
    # Without a name for this machine its own is looked up, which can take long.
    connection = connect(server.host, server.port, local_hostname="localhost", timeout=SMTP_TIMEOUT_SECONDS)
    try:
        if server.encryption is MailEncryption.STARTTLS:
            connection.starttls(context=ssl.create_default_context())
        if server.username:
            connection.login(server.username, server.password)
        else:
            connection.ehlo_or_helo_if_needed()
    except BaseException:
        connection.close()
        raise
    return connection


def transmit(connection: "smtplib.SMTP", mail: EmailMessage, *, to: str) -> SendOutcome:
    """Send one e-mail over an open connection: only what happens after its last byte leaves doubt."""
    import smtplib

    try:
        for code, _ in (connection.mail(parseaddr(str(mail["From"]))[1]), connection.rcpt(to)):
            if code >= FIRST_REFUSAL_CODE:
                return refusal_of(code)
    except (OSError, smtplib.SMTPException) as error:
        return _tell_failure(NO_CONNECTION, error)
    except UnicodeError:
        return SendOutcome(DeliveryStatus.FAILED, NO_SUCH_ADDRESS)
    try:
        code, _ = connection.data(mail.as_bytes())
    except smtplib.SMTPDataError as error:
        return refusal_of(error.smtp_code)
    except (OSError, smtplib.SMTPException):
        return SendOutcome(DeliveryStatus.UNKNOWN, NO_ANSWER)
    return SENT if code < FIRST_REFUSAL_CODE else refusal_of(code)


def refusal_of(code: int) -> SendOutcome:
    """Return what the code of a refusal means."""
    problem = f"The mail server did not take the e-mail (code {code})."
    is_final = code >= FINAL_REFUSAL_CODE
    return SendOutcome(DeliveryStatus.FAILED if is_final else DeliveryStatus.WAITING, problem)


def _tell_failure(problem: str, error: Exception | None = None) -> SendOutcome:
    """Say that nothing was sent, to the operator with the kind of error alone: its text may name a secret."""
    log.warning(
        "A reminder could not be sent by e-mail: %s %s", problem, type(error).__name__ if error else ""
    )
    return SendOutcome(DeliveryStatus.WAITING, problem)
