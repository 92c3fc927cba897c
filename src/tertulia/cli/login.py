"""`tertulia login`: become someone on a server, and stay it."""

import os
import socket

import click

from tertulia.cli import saved_login
from tertulia.cli.connect import server_url
from tertulia.cli.output import print_to_stderr


@click.command()
@click.option("--url", default=None, help="The server; else TERTULIA_URL or the one on this machine.")
@click.option("--email", default=None, help="Your address; else you are asked.")
def login(url: str | None, email: str | None) -> None:
    """Sign in with email and password; a token named after this machine is kept for later."""
    from tertulia.cli.client import ApiClient

    address = server_url(url)
    with ApiClient(address) as server:
        server.get("/health")
        who = {"email": email or click.prompt("Email", err=True)}
        who["password"] = click.prompt("Password", hide_input=True, err=True)
        me = server.post("/api/session", who)
        made = server.post("/api/tokens", {"name": f"{socket.gethostname() or 'command line'}"})
        server.delete("/api/session")
    path = saved_login.save_token(address, made["token"], env=os.environ)
    print_to_stderr(f"Signed in to {address} as {me['user']['email']}. The token is kept in {path}.")
