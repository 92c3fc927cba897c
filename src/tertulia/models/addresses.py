"""Which addresses a connection may have.

A person may name a server anywhere, encrypted, or in the clear on their own
network. Nobody may name the link-local addresses where clouds keep credentials.
"""

import ipaddress
import socket
from urllib.parse import SplitResult, urlsplit

from tertulia.models.errors import ConnectionInvalid

LONGEST = 500
#: Where clouds answer with credentials outside of the link-local range.
METADATA_HOSTS = frozenset({"metadata", "metadata.google.internal", "instance-data"})
METADATA_ADDRESSES = frozenset(
    ipaddress.ip_address(address) for address in ("100.100.100.200", "168.63.129.16", "fd00:ec2::254")
)
PRIVATE_ENDINGS = (".localhost", ".local", ".internal", ".lan", ".home.arpa")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def check_base_url(url: str, *, trusted: bool = False) -> str:
    """Return the address in its plain form; the operator's own (`trusted`) may be `http` anywhere."""
    parts = split(url)
    host = host_of(parts)
    if parts.scheme not in ("http", "https") or not host:
        raise ConnectionInvalid("The address must look like https://example.com/v1.", field="base_url")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ConnectionInvalid(
            "The address must not hold a user name, password, query or fragment.", field="base_url"
        )
    if is_forbidden(host):
        raise ConnectionInvalid("That address is not one that serves models.", field="base_url")
    if parts.scheme == "http" and not trusted and not is_private(host):
        raise ConnectionInvalid(
            "Use https for a server outside of your own network, so that the key stays secret.",
            field="base_url",
        )
    return url.rstrip("/")


def split(url: str) -> SplitResult:
    """Take an address apart, refusing what no address looks like."""
    printable = url.isascii() and url.isprintable() and " " not in url and "\\" not in url
    try:
        if len(url) > LONGEST or not printable:
            raise ValueError
        parts = urlsplit(url)
        _ = parts.port  # raises when it is no number
    except ValueError as error:
        message = f"The address must be a plain URL of at most {LONGEST} characters."
        raise ConnectionInvalid(message, field="base_url") from error
    return parts


def host_of(parts: SplitResult) -> str:
    """Return the host in lower case, without the dot that may end it."""
    return (parts.hostname or "").rstrip(".")


def as_address(host: str) -> Address | None:
    """Return the IP address a host stands for, in any spelling the system would accept; None for a name."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        try:
            # Decimal, octal, hexadecimal and short forms, such as 2852039166 and 127.1.
            address = ipaddress.IPv4Address(socket.inet_aton(host))
        except OSError:
            return None
    if isinstance(address, ipaddress.IPv6Address):
        return address.ipv4_mapped or address.sixtofour or address
    return address


def is_forbidden(host: str) -> bool:
    """Tell whether a host can only be a trick: link-local, metadata, multicast or nowhere."""
    address = as_address(host)
    if address is None:
        return host in METADATA_HOSTS
    return (
        address.is_link_local
        or address.is_multicast
        or address.is_unspecified
        or address in METADATA_ADDRESSES
    )


def is_private(host: str) -> bool:
    """Tell whether a host is this machine or on its own network."""
    address = as_address(host)
    if address is not None:
        return address.is_loopback or (address.is_private and not address.is_link_local)
    return "." not in host or host.endswith(PRIVATE_ENDINGS)


def is_private_url(url: str) -> bool:
    """Tell whether an address leads to this machine or its own network."""
    return is_private(host_of(urlsplit(url)))
