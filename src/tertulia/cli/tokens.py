"""`tertulia token`: API tokens, made on the server's own machine."""

import click

from tertulia.accounts import api_tokens, sessions, users
from tertulia.accounts.domain import ApiToken, MemberStatus, normalise_email
from tertulia.accounts.errors import Suspended
from tertulia.cli.local_database import run_with_database
from tertulia.cli.output import print_table, print_to_stderr
from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx

email_option = click.option("--email", required=True, help="Whom the token acts for.")
workspace_option = click.option("--workspace", default=None, help="The workspace's id; else their first one.")


@click.group()
def token() -> None:
    """Look after API tokens. Works on the data directory, with or without a running server."""


@token.command()
@email_option
@workspace_option
@click.option("--name", default="command line", show_default=True, help="What to call it in lists.")
def create(email: str, workspace: str | None, name: str) -> None:
    """Make a token and print it, alone on the last line: it is shown only now."""

    async def work(db: Database) -> str:
        by = await member_principal(db, email, workspace)
        return (await db.write(lambda tx: api_tokens.create_token(tx, name), by=by)).secret

    secret = run_with_database(work)
    print_to_stderr(
        f"A token that acts for {email}. Keep it like a password; set it as TERTULIA_TOKEN to use it here."
    )
    click.echo(secret)


@token.command("list")
@email_option
@workspace_option
def list_(email: str, workspace: str | None) -> None:
    """List a person's tokens by how they begin."""

    async def work(db: Database) -> list[ApiToken]:
        return await db.read(api_tokens.list_own_tokens, by=await member_principal(db, email, workspace))

    print_table(
        ("Id", "Begins with", "Name", "Made", "Last used"),
        [token_row(api_token) for api_token in run_with_database(work)],
    )


@token.command()
@email_option
@workspace_option
@click.argument("token_id", metavar="ID")
def revoke(email: str, workspace: str | None, token_id: str) -> None:
    """Delete a token by the id that `list` shows; it stops at its next request."""

    async def work(db: Database) -> None:
        by = await member_principal(db, email, workspace)
        await db.write(lambda tx: api_tokens.revoke_token(tx, token_id), by=by)

    run_with_database(work)
    print_to_stderr("The token is gone.")


async def member_principal(db: Database, email: str, workspace_id: str | None) -> Principal:
    """Return a person as the member that their tokens act for."""
    email = normalise_email(email)

    def find(tx: Tx) -> Principal:
        user = users.find_by_email(tx, email)
        if user is None:
            raise NotFound("person")
        if user.status is MemberStatus.SUSPENDED:
            raise Suspended
        place = sessions.choose_membership(tx, user.id, workspace_id)
        return Principal(user.id, place.workspace_id, place.role)

    return await db.read(find, by=None)


def token_row(token: ApiToken) -> tuple[str, str, str, str, str]:
    """Return a token as a row of the list."""
    used = f"{token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never"
    return token.id, f"{token.prefix}…", token.name, f"{token.created_at:%Y-%m-%d}", used
