"""Which server a command talks to, and as whom."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tertulia.cli import saved_login
from tertulia.cli.errors import NoToken
from tertulia.settings import Settings

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

DEFAULT_URL = "http://127.0.0.1:8400"
F = TypeVar("F", bound=Callable[..., Any])


def server_options(command: F) -> F:
    """Give a command the options that say which server, and as whom."""
    token = click.option("--token", default=None, help="An API token; else TERTULIA_TOKEN or a saved login.")
    url = click.option("--url", default=None, help=f"The server; else TERTULIA_URL or {DEFAULT_URL}.")
    return url(token(command))


def server_url(given: str | None) -> str:
    """Return the server's address, without a slash at its end."""
    return (given or os.environ.get("TERTULIA_URL") or DEFAULT_URL).rstrip("/")


def open_client(url: str | None, token: str | None) -> "ApiClient":
    """Return a client that knows who asks, or say how to become someone."""
    from tertulia.cli.client import ApiClient

    address = server_url(url)
    token = token or os.environ.get("TERTULIA_TOKEN") or saved_login.load_token(address, env=os.environ)
    if not token:
        raise NoToken(how_to_sign_in(Settings.from_env()))
    return ApiClient(address, token)


def how_to_sign_in(settings: Settings) -> str:
    """Say exactly which command to run."""
    login = "Sign in with `tertulia login`"
    if not (settings.database.is_file() and os.access(settings.database, os.R_OK)):
        return f"{login}, or set TERTULIA_TOKEN to an API token."
    command = f"export TERTULIA_TOKEN=$(tertulia token create --email {first_email()})"
    return f"{login}, or run this here, on the server's own machine:\n  {command}"


def first_email() -> str:
    """Return the address of the first person on the server of this machine."""
    from tertulia.cli.local_database import read_first_email

    return read_first_email() or "YOU@EXAMPLE.ORG"
