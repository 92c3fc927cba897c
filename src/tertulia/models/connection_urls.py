"""Which addresses a connection may have.

A person may name a server of the internet, encrypted. This machine and its network
are for what an admin names, or what the operator listed, and there plain HTTP will do.
Nobody may name the addresses where clouds keep credentials. Where a name leads is
checked whenever a connection is made, by `infra/http/outbound.py`.
"""

from urllib.parse import SplitResult, urlsplit

import httpx2

from tertulia.core.principal import Principal, Role
from tertulia.infra.http.ssrf import NetworkReach, is_allowed_private_host, is_forbidden_host, is_private_host
from tertulia.models.errors import ConnectionInvalid

BASE_URL_MAX_CHARS = 500


def check_base_url(url: str, *, trusted: bool = False) -> str:
    """Return the address in its plain form; the operator's own (`trusted`) may be `http` anywhere."""
    parts = parse_base_url(url)
    host = host_in(parts)
    if parts.scheme not in ("http", "https") or not host:
        raise ConnectionInvalid("The address must look like https://example.com/v1.", field="base_url")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ConnectionInvalid(
            "The address must not hold a user name, password, query or fragment.", field="base_url"
        )
    if is_forbidden_host(host):
        raise ConnectionInvalid("That address is not one that serves models.", field="base_url")
    if parts.scheme == "http" and not trusted and not is_private_host(host):
        raise ConnectionInvalid(
            "Use https for a server outside of your own network, so that the key stays secret.",
            field="base_url",
        )
    return url.rstrip("/")


def parse_base_url(url: str) -> SplitResult:
    """Take an address apart, refusing what no address looks like."""
    printable = url.isascii() and url.isprintable() and " " not in url and "\\" not in url
    try:
        if len(url) > BASE_URL_MAX_CHARS or not printable:
            raise ValueError
        parts = urlsplit(url)
        _ = parts.port  # raises when it is no number
        httpx2.URL(url)
    except (ValueError, httpx2.InvalidURL) as error:
        message = f"The address must be a plain URL of at most {BASE_URL_MAX_CHARS} characters."
        raise ConnectionInvalid(message, field="base_url") from error
    return parts


def host_in(parts: SplitResult) -> str:
    """Return the host in lower case, without the dot that may end it."""
    return (parts.hostname or "").rstrip(".")


def check_person_url(url: str, *, by: Principal, private_hosts: tuple[str, ...]) -> None:
    """Raise where a person's own connection would lead into a network that is not theirs to open."""
    host = host_in(urlsplit(url))
    if (
        is_private_host(host)
        and not is_allowed_private_host(host, private_hosts)
        and not by.role.covers(Role.ADMIN)
    ):
        raise ConnectionInvalid(
            "Only an admin may connect to a server of this machine or its network.", field="base_url"
        )


def may_reach_private_network(owner_id: str | None, by: Principal) -> bool:
    """Tell whether a connection may lead into our own network: the workspace's, or an admin's own."""
    return owner_id is None or by.role.covers(Role.ADMIN)


def network_reach_of(url: str, *, may_be_private: bool) -> NetworkReach:
    """Return how far requests to an address may go: a name of the internet never leads inside."""
    return NetworkReach.NETWORK if may_be_private and is_private_url(url) else NetworkReach.INTERNET


def is_private_url(url: str) -> bool:
    """Tell whether an address leads to this machine or its own network."""
    return is_private_host(host_in(urlsplit(url)))
