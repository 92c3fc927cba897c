"""Addresses of calendars and events: in one spelling, and only where a server may send us."""

import re
from hashlib import sha256
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

from tertulia.calendars.caldav.errors import CalDavAddressRefused
from tertulia.core.principal import Principal
from tertulia.infra.http.ssrf import is_private_host
from tertulia.models.connection_urls import check_base_url, check_person_url, host_in
from tertulia.models.errors import ConnectionInvalid

#: What needs no escape in one segment of a path.
SEGMENT_SAFE = "!$&'()*+,;=:@-._~"
#: Providers who keep the calendars of one account on several hosts, all of them their own.
SPREAD_DOMAINS = ("icloud.com",)
#: UIDs that can be the name of a file at any server.
PLAIN_UID_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._-]{0,199}")


def check_account_url(url: str, *, by: Principal, private_hosts: tuple[str, ...]) -> str:
    """Return an address that this person may connect a calendar from, or raise."""
    url = url.strip()
    if "://" not in url:
        url = f"https://{url}"
    try:
        check_base_url(url)
        check_person_url(url, by=by, private_hosts=private_hosts)
    except ConnectionInvalid as error:
        message = error.message.replace("serves models", "serves calendars").replace(
            "https://example.com/v1", "https://example.com/dav"
        )
        raise CalDavAddressRefused(message.replace("the key stays", "the password stays")) from None
    return normalise_url(url)


def host_of(url: str) -> str:
    """Return the host of an address, for people."""
    return host_in(urlsplit(url))


def origin_of_url(url: str) -> tuple[str, str, int]:
    """Return what decides which server is asked."""
    parts = urlsplit(url)
    return parts.scheme, host_in(parts), parts.port or (443 if parts.scheme == "https" else 80)


def resolve_href(base: str, href: str) -> str:
    """Return the address that a server names, or raise where it may not send our password there."""
    url = normalise_url(urljoin(base, href))
    if origin_of_url(url) != origin_of_url(base):
        check_same_site(base, url)
    return url


def check_same_site(base: str, url: str) -> None:
    """Raise unless another address is of the same provider and encrypted: it will be given the password."""
    before, after = host_of(base), host_of(url)
    is_standard = origin_of_url(url) == ("https", after, 443)
    if not is_standard or is_private_host(after) or not is_same_provider(before, after):
        raise CalDavAddressRefused(
            f"{before} sends us on to {after or 'nowhere'}. If that is where your calendars are, enter its "
            "address instead."
        )


def is_same_provider(host: str, other: str) -> bool:
    """Tell whether a password for one host may be sent to the other."""
    return host == other or any(
        host.endswith(f".{domain}") and other.endswith(f".{domain}") for domain in SPREAD_DOMAINS
    )


def normalise_url(url: str) -> str:
    """Return an address in the one spelling in which two are compared."""
    parts = urlsplit(url)
    netloc = parts.netloc.rpartition("@")[2].lower()
    return urlunsplit((parts.scheme.lower(), netloc, normalise_path(parts.path) or "/", parts.query, ""))


def normalise_path(path: str) -> str:
    """Return a path with the same letters escaped, whoever wrote it."""
    return "/".join(quote(unquote(segment), safe=SEGMENT_SAFE) for segment in path.split("/"))


def href_in(url: str) -> str:
    """Return the path of an address, by which events are known within their calendar."""
    return normalise_path(urlsplit(url).path)


def object_href(calendar_url: str, uid: str) -> str:
    """Return where a new event is put in a calendar: under its UID, or what stands for an odd one."""
    name = uid if PLAIN_UID_PATTERN.fullmatch(uid) else sha256(uid.encode()).hexdigest()
    return f"{href_in(calendar_url).rstrip('/')}/{name}.ics"
