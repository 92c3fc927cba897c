"""The inbox of `tertulia memory`: what is proposed, and a person's yes or no to it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.memory_choice import count_waiting, find_memories, list_memories
from tertulia.cli.memory_text import memories_counted, print_memories, say_superseded, show_with_quotes
from tertulia.cli.output import print_to_stderr
from tertulia.core.json_object import JsonObject
from tertulia.memories.domain import MemoryStatus

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

F = TypeVar("F", bound=Callable[..., Any])
#: The server takes no more decisions than 500 in one request.
MEMORY_DECISIONS_BATCH_SIZE = 200


def decision_options(command: F) -> F:
    """Give a command the proposals that it decides about, and the server's options."""
    which = click.argument("ids", nargs=-1, metavar="[ID...]")
    all_ = click.option("--all", "all_", is_flag=True, help="All that wait; asks first.")
    yes = click.option("--yes", is_flag=True, help="Do not ask.")
    return server_options(which(all_(yes(command))))


@click.command()
@decision_options
def approve(*, url: str | None, token: str | None, ids: tuple[str, ...], all_: bool, yes: bool) -> None:
    """Remember what was proposed. Each is shown first, with the words that it was taken from."""
    check_named_or_all(ids, all_=all_)
    with open_client(url, token) as server:
        decide(server, "approve", ids, yes=yes)


@click.command()
@decision_options
def reject(*, url: str | None, token: str | None, ids: tuple[str, ...], all_: bool, yes: bool) -> None:
    """Turn down what was proposed; it is not proposed again. Each is shown first."""
    check_named_or_all(ids, all_=all_)
    with open_client(url, token) as server:
        decide(server, "reject", ids, yes=yes)


@click.command()
@server_options
@click.argument("conversation")
def extract(*, url: str | None, token: str | None, conversation: str) -> None:
    """Look through what you wrote in a CONVERSATION, and propose what is worth remembering."""
    with open_client(url, token) as server:
        proposed = server.post("/api/memories/extract", {"conversation_id": conversation})["memories"]
        waiting = count_waiting(server)
    if not proposed:
        print_to_stderr("Nothing new was found in it.")
    print_memories(proposed)
    say_waiting(waiting)


def check_named_or_all(ids: tuple[str, ...], *, all_: bool) -> None:
    """Refuse a decision about nothing, or about some and all at once."""
    if all_ == bool(ids):
        raise click.UsageError("Name what you mean by ID, or take --all.")


def decide(server: "ApiClient", decision: str, ids: tuple[str, ...], *, yes: bool) -> None:
    """Approve or reject proposals, all where none is named, once they were shown."""
    found = find_memories(server, ids) if ids else list_proposals(server)
    if not found:
        print_to_stderr("Nothing waits for your yes.")
        return
    show_with_quotes(found)
    if not (ids or yes):
        click.confirm(f"{decision.capitalize()} {memories_counted(len(found))}?", abort=True, err=True)
    decided = send_decision(server, decision, [memory["id"] for memory in found])
    say_superseded(decided)
    for memory in decided:
        click.echo(f"{memory['id']}\t{memory['status']}")
    say_waiting(count_waiting(server))


def list_proposals(server: "ApiClient") -> list[JsonObject]:
    """Return all that waits, the oldest first."""
    return list(list_memories(server, statuses=(MemoryStatus.PROPOSED,)))[::-1]


def send_decision(server: "ApiClient", decision: str, ids: list[str]) -> list[JsonObject]:
    """Decide about proposals, some at a time, and return them."""
    decided: list[JsonObject] = []
    for begin in range(0, len(ids), MEMORY_DECISIONS_BATCH_SIZE):
        batch = ids[begin : begin + MEMORY_DECISIONS_BATCH_SIZE]
        decided += server.post(f"/api/memories/{decision}", {"ids": batch})["memories"]
    return decided


def say_waiting(count: int) -> None:
    """Say how many proposals wait, where some do, and how they are listed."""
    if count:
        verb = "proposal waits" if count == 1 else "proposals wait"
        print_to_stderr(f"{count} {verb} for your yes: `tertulia memory list --status proposed`.")
