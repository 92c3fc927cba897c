"""`tertulia context`: what models are shown, and what they are to be shown."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.errors import NoConversation
from tertulia.cli.output import print_to_stderr
from tertulia.core.ids import canonical_id
from tertulia.core.json_object import JsonObject

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

#: Replies and questions have ids that begin like this.
MESSAGE_ID_PREFIX = "msg_"
F = TypeVar("F", bound=Callable[..., Any])
as_json_option = click.option("--json", "as_json", is_flag=True, help="Print what the server says as JSON.")


@click.group()
def context() -> None:
    """Show what models are shown; summarise, compress, pin and leave out."""


@context.command()
@server_options
@click.argument("what", required=False, metavar="[CONVERSATION|REPLY]")
@click.option("--question", default="", help="What would be asked next.")
@click.option("-m", "--model", "models", multiple=True, help="Who would be asked; repeat it for several.")
@click.option("--items", is_flag=True, help="Also list what each section is made of.")
@click.option("--texts", is_flag=True, help="Print every word that a reply's model read.")
@as_json_option
def show(
    *,
    url: str | None,
    token: str | None,
    what: str | None,
    question: str,
    models: tuple[str, ...],
    items: bool,
    texts: bool,
    as_json: bool,
) -> None:
    """Show what models would be shown next in a CONVERSATION, or what one was shown for a REPLY.

    Without either, the conversation that was used last is meant. Piped, each
    thing is one line: lane, section, tokens, what it is and, where it was left
    out, why, with tabs between.
    """
    is_reply = bool(what and canonical_id(what).startswith(MESSAGE_ID_PREFIX))
    if is_reply and (question or models):
        raise click.UsageError("A reply was asked already: --question and --model are for conversations.")
    if texts and not is_reply:
        raise click.UsageError("--texts needs a reply: it prints what that reply's model has read.")
    with open_client(url, token) as server:
        if what and is_reply:
            seen = server.get(f"/api/replies/{what}/receipt", texts=texts)
        else:
            place = f"/api/conversations/{what or latest_conversation_id(server)}/context"
            seen = server.get(place, question=question, models=list(models))
    if as_json:
        print_json(seen)
    elif texts:
        print_texts(seen)
    else:
        draw_context(seen, items=items, is_reply=is_reply)


def conversation_options(command: F) -> F:
    """Give a command the argument that says which conversation, and the server's options."""
    which = click.argument("conversation", required=False)
    return server_options(which(as_json_option(command)))


@context.command()
@conversation_options
def summary(*, url: str | None, token: str | None, conversation: str | None, as_json: bool) -> None:
    """Show what is known of a CONVERSATION: decisions, preferences, open questions, things made."""
    with open_client(url, token) as server:
        seen = server.get(f"/api/conversations/{conversation or latest_conversation_id(server)}/summary")
    if as_json:
        print_json(seen)
    elif seen["current"] is None:
        print_to_stderr("Nothing is summarised yet. `tertulia context summarise` does it now.")
    else:
        print_points(seen["current"])


def request_summary(
    what: str, conversation: str | None, *, url: str | None, token: str | None, as_json: bool
) -> None:
    """Have a summary or a compression made, and print its points."""
    with open_client(url, token) as server:
        made = server.post(f"/api/conversations/{conversation or latest_conversation_id(server)}/{what}")
    if as_json:
        print_json(made)
    else:
        print_points(made)


@context.command()
@conversation_options
def summarise(*, url: str | None, token: str | None, conversation: str | None, as_json: bool) -> None:
    """Summarise all that was said so far in a CONVERSATION."""
    request_summary("summary", conversation, url=url, token=token, as_json=as_json)


@context.command()
@conversation_options
def compress(*, url: str | None, token: str | None, conversation: str | None, as_json: bool) -> None:
    """Have all but the last rounds of a CONVERSATION shown by their summary alone; nothing is deleted."""
    request_summary("compression", conversation, url=url, token=token, as_json=as_json)


@context.command()
@conversation_options
def undo(*, url: str | None, token: str | None, conversation: str | None, as_json: bool) -> None:
    """Take the last compression of a CONVERSATION back: models are shown what they were shown before."""
    with open_client(url, token) as server:
        left = server.delete(
            f"/api/conversations/{conversation or latest_conversation_id(server)}/compression"
        )
    if as_json:
        print_json(left)
        return
    mark = left["current"]["watermark"] if left["current"] else 0
    rest = f"Rounds 1 to {mark} are still shown by their summary alone." if mark else "Nothing is compressed."
    print_to_stderr(f"The last compression is taken back. {rest}")


def mark_options(command: F) -> F:
    """Give a command the messages that it marks, and the way back."""
    off = click.option("--off", is_flag=True, help="Take it back.")
    which = click.argument("messages", nargs=-1, required=True, metavar="MESSAGE...")
    return server_options(which(off(command)))


@context.command()
@mark_options
def pin(*, url: str | None, token: str | None, messages: tuple[str, ...], off: bool) -> None:
    """Have a MESSAGE in every prompt of its conversation, however old it gets."""
    set_mark(messages, "pinned", url=url, token=token, on=not off)


@context.command()
@mark_options
def exclude(*, url: str | None, token: str | None, messages: tuple[str, ...], off: bool) -> None:
    """Have a MESSAGE in no prompt any more."""
    set_mark(messages, "excluded", url=url, token=token, on=not off)


@context.command()
@mark_options
def local(*, url: str | None, token: str | None, messages: tuple[str, ...], off: bool) -> None:
    """Keep a MESSAGE for local models alone; a question's replies go with it."""
    set_mark(messages, "local_only", url=url, token=token, on=not off)


def set_mark(messages: tuple[str, ...], name: str, *, url: str | None, token: str | None, on: bool) -> None:
    """Mark messages, or take a mark back, and say what each of them has then."""
    with open_client(url, token) as server:
        for message in messages:
            kept = server.put(f"/api/messages/{message}/marks", {name: on})["marks"]
            click.echo(f"{message}\t{', '.join(kept)}")


def latest_conversation_id(server: "ApiClient") -> str:
    """Return the conversation that was used last."""
    for conversation in server.get("/api/conversations", limit=1)["conversations"]:
        print_to_stderr(f"In: {conversation['title'] or 'Untitled'} ({conversation['id']})")
        return str(conversation["id"])
    raise NoConversation


def draw_context(seen: JsonObject, *, items: bool, is_reply: bool) -> None:
    """Draw what is shown on a terminal; elsewhere write a line for each thing."""
    from tertulia.cli.context_text import context_rows
    from tertulia.cli.context_view import conversation_view, receipt_view
    from tertulia.cli.output import console, strip_control_characters

    screen = console()
    if screen.is_terminal:
        view = receipt_view if is_reply else conversation_view
        screen.print(view(seen, items=items))
        return
    for row in context_rows(seen):
        click.echo(strip_control_characters("\t".join(" ".join(cell.split()) for cell in row)))


def print_texts(receipt: JsonObject) -> None:
    """Print all that a model read, section by section."""
    from tertulia.cli.context_text import prompt_texts
    from tertulia.cli.output import strip_control_characters

    for line in prompt_texts(receipt["plan"]):
        click.echo(strip_control_characters(line))


def print_points(made: JsonObject) -> None:
    """Print the points of a summary, and on standard error how far it reaches."""
    from tertulia.cli.context_text import point_lines, summary_coverage_text
    from tertulia.cli.output import strip_control_characters

    print_to_stderr(summary_coverage_text(made))
    for line in point_lines(made):
        click.echo(strip_control_characters(line))


def print_json(seen: object) -> None:
    """Print what the server says."""
    click.echo(json.dumps(seen, indent=2, ensure_ascii=False))
