"""The cookie that carries a session."""

import ipaddress

from fastapi import Request, Response

from tertulia.settings import Settings

SESSION_COOKIE = "tertulia_session"
#: The longest that browsers keep a cookie. The session's own end, which slides, is the server's to know.
SESSION_COOKIE_MAX_AGE_SECONDS = 400 * 24 * 3600


def set_session_cookie(response: Response, secret: str, *, request: Request, settings: Settings) -> None:
    """Have the browser keep a session's secret where no script can read it."""
    response.set_cookie(
        SESSION_COOKIE,
        secret,
        max_age=SESSION_COOKIE_MAX_AGE_SECONDS,
        path="/",
        httponly=True,
        samesite="lax",
        secure=requires_tls(request, settings),
    )


def clear_session_cookie(response: Response, *, request: Request, settings: Settings) -> None:
    """Have the browser forget its session."""
    response.delete_cookie(
        SESSION_COOKIE, path="/", httponly=True, samesite="lax", secure=requires_tls(request, settings)
    )


def session_cookies_of(request: Request) -> list[str]:
    """Return every session cookie of a request: a second one, planted by another site, must show."""
    pairs = [pair.partition("=") for line in request.headers.getlist("cookie") for pair in line.split(";")]
    return [value.strip() for name, _, value in pairs if name.strip() == SESSION_COOKIE]


def requires_tls(request: Request, settings: Settings) -> bool:
    """Tell whether the cookie may travel over TLS alone: always, but for plain HTTP that was asked for."""
    if settings.public_url:
        return not settings.public_url.lower().startswith("http:")
    return request.url.scheme == "https" or not is_loopback(request.url.hostname or "")


def is_loopback(host: str) -> bool:
    """Tell whether a host name means this very machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
