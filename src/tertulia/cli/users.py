"""`tertulia user`: the people on a server, looked after from its own machine."""

import sys

import click

from tertulia.accounts import deletion
from tertulia.cli.local_database import run_with_database
from tertulia.cli.output import print_table, print_to_stderr
from tertulia.conversations.account_data import delete_account_data
from tertulia.core.principal import Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.settings import Settings

email_option = click.option("--email", required=True, help="Their address.")


@click.group()
def user() -> None:
    """Look after people. Works on the data directory, with or without a running server."""


@user.command()
@email_option
@click.option("--role", type=click.Choice([role.value for role in Role]), required=True)
@click.option("--name", default="", help="How others see them; else the first part of the address.")
@click.option("--workspace", default=None, help="The workspace's id, where there are several.")
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
def create(email: str, role: str, name: str, workspace: str | None, password_stdin: bool) -> None:
    """Add a person. The first one on a server must be its owner."""
    from tertulia.accounts import users

    password = sys.stdin.readline().rstrip("\r\n") if password_stdin else ask_new_password()

    async def work(db: Database) -> str:
        made = await users.create_user(
            db, email=email, password=password, name=name, role=Role(role), workspace_id=workspace
        )
        return made.email

    print_to_stderr(f"Added {run_with_database(work)} as {role}.")


@user.command("list")
def list_() -> None:
    """List everybody, with their workspaces and roles."""

    async def work(db: Database) -> list[tuple[str, str, str, str]]:
        return await db.read(user_rows, by=None)

    print_table(("Email", "Name", "Status", "Workspaces"), run_with_database(work))


@user.command()
@email_option
def suspend(email: str) -> None:
    """Keep a person out of every workspace, from their next request on."""
    set_status(email, "suspended")


@user.command()
@email_option
def activate(email: str) -> None:
    """Let a suspended person in again."""
    set_status(email, "active")


@user.command()
@email_option
@click.option("--yes", is_flag=True, help="Do not ask first.")
def delete(email: str, yes: bool) -> None:
    """Delete a person's account with all that is their own; what others could see stays."""
    plan = run_with_database(lambda db: deletion.plan_deletion_as_operator(db, email=email))
    for place in plan.deleted:
        print_to_stderr(f"The workspace {place.name} has no other member and is deleted as well.")
    if not yes:
        click.confirm(f"Delete {email} for good?", abort=True, err=True)
    run_with_database(lambda db: delete_account(db, email))
    print_to_stderr(f"{email} is deleted.")


@user.command("reset-link")
@email_option
def reset_link(email: str) -> None:
    """Print a link with which a person chooses a new password; it works once."""
    from tertulia.accounts import one_time_links
    from tertulia.cli.serve import DEFAULT_PORT

    secret = run_with_database(
        lambda db: one_time_links.create_reset_link_as_operator(db, email=email)
    ).secret
    url = Settings.from_env().public_url or f"http://127.0.0.1:{DEFAULT_PORT}"
    print_to_stderr("Give them this link. It works once, for a day:")
    click.echo(f"{url}/reset#{secret}")


def ask_new_password() -> str:
    """Ask for a password twice, unseen."""
    chosen: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return chosen


def set_status(email: str, status: str) -> None:
    """Suspend a person or let them in again, and say so."""
    from tertulia.accounts import users
    from tertulia.accounts.domain import MemberStatus

    run_with_database(lambda db: users.set_status(db, email=email, status=MemberStatus(status)))
    print_to_stderr(f"{email} is {status} now.")


async def delete_account(db: Database, email: str) -> None:
    """Delete an account and, since no server may be running, at once what its job would delete."""
    closed = await deletion.delete_account_as_operator(db, email=email)
    await delete_account_data(closed, db=db, log=EventLog(db))


def user_rows(tx: Tx) -> list[tuple[str, str, str, str]]:
    """Return a row for each person."""
    from tertulia.accounts import users

    rows: list[tuple[str, str, str, str]] = []
    for person in users.list_users(tx):
        places = ", ".join(f"{place.name} ({place.role})" for place in users.list_memberships(tx, person.id))
        rows.append((person.email, person.name, person.status, places))
    return rows
