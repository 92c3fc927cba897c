"""The mail server that the operator named, as its address says."""

from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit


class MailEncryption(StrEnum):
    """How what is said to a mail server is kept secret on its way."""

    #: From the first byte on.
    TLS = "tls"
    #: Once connected, or nothing is sent.
    STARTTLS = "starttls"
    #: Not at all: a server on this machine, or one that the operator named so.
    NONE = "none"


DEFAULT_PORTS = {MailEncryption.TLS: 465, MailEncryption.STARTTLS: 587, MailEncryption.NONE: 25}


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where e-mails are handed in, and as whom."""

    host: str
    port: int
    encryption: MailEncryption
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)


def read_mail_server(url: str) -> MailServer:
    """Return the mail server that an address names, as `settings.py` has checked it."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    encryption = encryption_of(parts.scheme, host)
    return MailServer(
        host,
        parts.port or DEFAULT_PORTS[encryption],
        encryption,
        unquote(parts.username or ""),
        unquote(parts.password or ""),
    )


def encryption_of(scheme: str, host: str) -> MailEncryption:
    """Return how a server is spoken to."""
    if scheme == "smtps":
        return MailEncryption.TLS
    if scheme == "smtp+plain" or is_loopback(host):
        return MailEncryption.NONE
    return MailEncryption.STARTTLS


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
