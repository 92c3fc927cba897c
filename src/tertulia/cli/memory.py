"""`tertulia memory`: what is remembered of you and your projects, and what waits to be."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

from tertulia.cli import memory_inbox, memory_transfer
from tertulia.cli.connect import open_client, server_options
from tertulia.cli.memory_choice import count_waiting, find_memories, list_memories
from tertulia.cli.memory_text import (
    memories_counted,
    print_memories,
    say_review_reasons,
    say_superseded,
    show_with_quotes,
)
from tertulia.cli.output import print_to_stderr
from tertulia.cli.project_choice import find_project, project_field
from tertulia.core.json_object import JsonObject
from tertulia.memories.domain import MemoryStatus, MemoryType

F = TypeVar("F", bound=Callable[..., Any])
MEMORY_TYPE_CHOICE = click.Choice(list(map(str, MemoryType)))
MEMORY_STATUS_CHOICE = click.Choice(list(map(str, MemoryStatus)))


@click.group(
    commands=[
        memory_inbox.approve,
        memory_inbox.reject,
        memory_inbox.extract,
        memory_transfer.export,
        memory_transfer.import_,
    ]
)
def memory() -> None:
    """List, add, approve, correct, confirm and forget what is remembered.

    An ID is a memory's id, or the last six characters of it, as a terminal shows them.
    """


@memory.command("list")
@server_options
@click.option("--type", "types", type=MEMORY_TYPE_CHOICE, multiple=True, help="Repeat it for several.")
@click.option(
    "--status",
    "statuses",
    type=MEMORY_STATUS_CHOICE,
    multiple=True,
    default=[str(MemoryStatus.ACTIVE)],
    show_default=True,
    help="Repeat it for several; what waits for your yes is proposed.",
)
@click.option("--category", default="", help="Only those of this category.")
@click.option("--pinned", is_flag=True, help="Only those that are pinned.")
@click.option("--project", default=None, help="Only those of a project, by its name or id.")
@click.option("--text", default="", help="Only those with these words in them.")
@click.option("--review", is_flag=True, help="Only those that are worth a second look, each with the reason.")
@click.option("--json", "as_json", is_flag=True, help="Print the memories as JSON.")
def list_(
    *,
    url: str | None,
    token: str | None,
    types: tuple[str, ...],
    statuses: tuple[str, ...],
    category: str,
    pinned: bool,
    project: str | None,
    text: str,
    review: bool,
    as_json: bool,
) -> None:
    """List what is remembered, newest first: yours and that of projects.

    Piped, each is one line: id, type, status, category, marks and text, with
    tabs between.
    """
    with open_client(url, token) as server:
        wanted: dict[str, str | bool] = {"category": category, "text": text}
        wanted |= {"pinned": True} if pinned else {}
        wanted |= {"needs_review": True} if review else {}
        wanted |= {"project_id": find_project(server, project)["id"]} if project else {}
        found = list(list_memories(server, statuses=statuses, type=types, **wanted))
        waiting = count_waiting(server)
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    if not found:
        print_to_stderr("Nothing was found.")
    print_memories(found)
    if review:
        say_review_reasons(found)
    memory_inbox.say_waiting(waiting)


@memory.command()
@server_options
@click.argument("text")
@click.option("--type", "type_", type=MEMORY_TYPE_CHOICE, default=str(MemoryType.FACT), show_default=True)
@click.option("--category", default="", help="Any word to find it by.")
@click.option("--pin", is_flag=True, help="Tell it to models first.")
@click.option("--local-only", is_flag=True, help="Tell it to local models alone.")
@click.option("--project", default=None, help="Let it be a project's, by name or id; else it is yours.")
def add(
    *,
    url: str | None,
    token: str | None,
    text: str,
    type_: str,
    category: str,
    pin: bool,
    local_only: bool,
    project: str | None,
) -> None:
    """Remember TEXT, in the place of what it contradicts, and print its id."""
    body = {"type": type_, "content": text, "category": category, "pinned": pin, "local_only": local_only}
    with open_client(url, token) as server:
        made = server.post("/api/memories", body | project_field(server, project))
    say_superseded([made])
    click.echo(made["id"])


@memory.command()
@server_options
@click.argument("memory_id", metavar="ID")
@click.argument("text")
def edit(*, url: str | None, token: str | None, memory_id: str, text: str) -> None:
    """Have a memory say TEXT instead; what it said before is kept, and `undo` brings it back."""
    change_memories((memory_id,), {"content": text}, url=url, token=token)


def memories_argument(command: F) -> F:
    """Give a command the memories that it is about, and the server's options."""
    which = click.argument("ids", nargs=-1, required=True, metavar="ID...")
    return server_options(which(command))


@memory.command()
@memories_argument
def pin(*, url: str | None, token: str | None, ids: tuple[str, ...]) -> None:
    """Tell memories to models before all others."""
    change_memories(ids, {"pinned": True}, url=url, token=token)


@memory.command()
@memories_argument
def unpin(*, url: str | None, token: str | None, ids: tuple[str, ...]) -> None:
    """Tell memories to models only where they matter."""
    change_memories(ids, {"pinned": False}, url=url, token=token)


@memory.command()
@memories_argument
def archive(*, url: str | None, token: str | None, ids: tuple[str, ...]) -> None:
    """Keep memories, but tell them to no model."""
    change_memories(ids, {"archived": True}, url=url, token=token)


@memory.command()
@memories_argument
def restore(*, url: str | None, token: str | None, ids: tuple[str, ...]) -> None:
    """Let archived memories hold again, in the place of what they contradict."""
    change_memories(ids, {"archived": False}, url=url, token=token)


def change_memories(ids: tuple[str, ...], change: JsonObject, *, url: str | None, token: str | None) -> None:
    """Change memories, and print what they are then."""
    with open_client(url, token) as server:
        found = find_memories(server, ids)
        changed = [server.put(f"/api/memories/{memory['id']}", change) for memory in found]
    superseded_before = {memory["supersedes"] for memory in found}
    say_superseded([memory for memory in changed if memory["supersedes"] not in superseded_before])
    print_memories(changed)


@memory.command()
@memories_argument
def confirm(*, url: str | None, token: str | None, ids: tuple[str, ...]) -> None:
    """Say that memories still hold, which takes the mark for a second look off."""
    with open_client(url, token) as server:
        found = find_memories(server, ids)
        print_memories([server.post(f"/api/memories/{memory['id']}/confirm") for memory in found])


@memory.command()
@server_options
@click.argument("memory_id", metavar="ID")
def undo(*, url: str | None, token: str | None, memory_id: str) -> None:
    """Let what a memory took the place of hold again, or what it said before it was corrected."""
    with open_client(url, token) as server:
        (found,) = find_memories(server, (memory_id,))
        print_memories([server.post(f"/api/memories/{found['id']}/undo")])


@memory.command()
@memories_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(*, url: str | None, token: str | None, ids: tuple[str, ...], yes: bool) -> None:
    """Forget memories with every trace of them. To keep one but tell it to nobody, archive it."""
    with open_client(url, token) as server:
        found = find_memories(server, ids)
        if not yes:
            show_with_quotes(found)
            click.confirm(f"Forget {memories_counted(len(found))} for good?", abort=True, err=True)
        for memory in found:
            server.delete(f"/api/memories/{memory['id']}")
    print_to_stderr(f"Forgot {memories_counted(len(found))}.")
