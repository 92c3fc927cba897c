"""Refusing what another web site makes a browser send with its cookies."""

from urllib.parse import urlsplit

from fastapi import Request

from tertulia.accounts.errors import CrossSite
from tertulia.settings import Settings

CSRF_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
#: What a browser says of a request by one of our own pages, or by the person at its address bar.
OWN_FETCH_SITES = frozenset({"same-origin", "none"})


def check_origin(request: Request, settings: Settings) -> None:
    """Raise when a browser says that a request which changes something came from elsewhere."""
    if request.method in CSRF_SAFE_METHODS:
        return
    site = request.headers.get("sec-fetch-site")
    if site is not None and site.lower() not in OWN_FETCH_SITES:
        raise CrossSite
    origin = request.headers.get("origin")
    if origin is not None and not is_own_origin(origin, request.headers.get("host", ""), settings.public_url):
        raise CrossSite


def is_own_origin(origin: str, host: str, public_url: str) -> bool:
    """Tell whether an origin is the host asked for, or the address we are known by behind a proxy."""
    try:
        origin_host = urlsplit(origin.lower()).netloc
    except ValueError:
        return False
    return bool(origin_host) and origin_host in (host.lower(), urlsplit(public_url.lower()).netloc)
