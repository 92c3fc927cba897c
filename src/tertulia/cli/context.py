"""`tertulia context`: what models are shown, and what they are to be shown."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tertulia.cli.connect import connected, server_options
from tertulia.cli.errors import NoConversation
from tertulia.cli.output import note
from tertulia.core.ids import canonical

if TYPE_CHECKING:
    from tertulia.cli.client import Client

#: Replies and questions have ids that begin like this.
MESSAGE = "msg_"
F = TypeVar("F", bound=Callable[..., Any])
As_json = click.option("--json", "as_json", is_flag=True, help="Print what the server says as JSON.")


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
@As_json
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
    is_reply = bool(what and canonical(what).startswith(MESSAGE))
    if is_reply and (question or models):
        raise click.UsageError("A reply was asked already: --question and --model are for conversations.")
    if texts and not is_reply:
        raise click.UsageError("--texts needs a reply: it prints what that reply's model has read.")
    with connected(url, token) as server:
        if what and is_reply:
            seen = server.get(f"/api/replies/{what}/receipt", texts=texts)
        else:
            place = f"/api/conversations/{what or used_last(server)}/context"
            seen = server.get(place, question=question, models=list(models))
    if as_json:
        print_json(seen)
    elif texts:
        print_texts(seen)
    else:
        draw(seen, items=items, is_reply=is_reply)


def about_conversation(command: F) -> F:
    """Give a command the argument that says which conversation, and the server's options."""
    which = click.argument("conversation", required=False)
    return server_options(which(As_json(command)))


@context.command()
@about_conversation
def summary(*, url: str | None, token: str | None, conversation: str | None, as_json: bool) -> None:
    """Show what is known of a CONVERSATION: decisions, preferences, open questions, things made."""
    with connected(url, token) as server:
        seen = server.get(f"/api/conversations/{conversation or used_last(server)}/summary")
    if as_json:
        print_json(seen)
    elif seen["current"] is None:
        note("Nothing is summarised yet. `tertulia context summarise` does it now.")
    else:
        print_points(seen["current"])


def make(what: str, conversation: str | None, *, url: str | None, token: str | None, as_json: bool) -> None:
    """Have a summary or a compression made, and print its points."""
    with connected(url, token) as server:
        made = server.post(f"/api/conversations/{conversation or used_last(server)}/{what}")
    if as_json:
        print_json(made)
    else:
        print_points(made)


@context.command()
@about_conversation
def summarise(*, url: str | None, token: str | None, conversation: str | None, as_json: bool) -> None:
    """Summarise all that was said so far in a CONVERSATION."""
    make("summary", conversation, url=url, token=token, as_json=as_json)


@context.command()
@about_conversation
def compress(*, url: str | None, token: str | None, conversation: str | None, as_json: bool) -> None:
    """Have all but the last rounds of a CONVERSATION shown by their summary alone; nothing is deleted."""
    make("compression", conversation, url=url, token=token, as_json=as_json)


@context.command()
@about_conversation
def undo(*, url: str | None, token: str | None, conversation: str | None, as_json: bool) -> None:
    """Take the last compression of a CONVERSATION back: models are shown what they were shown before."""
    with connected(url, token) as server:
        left = server.delete(f"/api/conversations/{conversation or used_last(server)}/compression")
    if as_json:
        print_json(left)
        return
    mark = left["current"]["watermark"] if left["current"] else 0
    rest = f"Rounds 1 to {mark} are still shown by their summary alone." if mark else "Nothing is compressed."
    note(f"The last compression is taken back. {rest}")


def marking(command: F) -> F:
    """Give a command the messages that it marks, and the way back."""
    off = click.option("--off", is_flag=True, help="Take it back.")
    which = click.argument("messages", nargs=-1, required=True, metavar="MESSAGE...")
    return server_options(which(off(command)))


@context.command()
@marking
def pin(*, url: str | None, token: str | None, messages: tuple[str, ...], off: bool) -> None:
    """Have a MESSAGE in every prompt of its conversation, however old it gets."""
    mark(messages, "pinned", url=url, token=token, on=not off)


@context.command()
@marking
def exclude(*, url: str | None, token: str | None, messages: tuple[str, ...], off: bool) -> None:
    """Have a MESSAGE in no prompt any more."""
    mark(messages, "excluded", url=url, token=token, on=not off)


@context.command()
@marking
def local(*, url: str | None, token: str | None, messages: tuple[str, ...], off: bool) -> None:
    """Keep a MESSAGE for local models alone; a question's replies go with it."""
    mark(messages, "local_only", url=url, token=token, on=not off)


def mark(messages: tuple[str, ...], name: str, *, url: str | None, token: str | None, on: bool) -> None:
    """Mark messages, or take a mark back, and say what each of them has then."""
    with connected(url, token) as server:
        for message in messages:
            kept = server.put(f"/api/messages/{message}/marks", {name: on})["marks"]
            click.echo(f"{message}\t{', '.join(kept)}")


def used_last(server: "Client") -> str:
    """Return the conversation that was used last."""
    for one in server.get("/api/conversations", limit=1)["conversations"]:
        note(f"In: {one['title'] or 'Untitled'} ({one['id']})")
        return str(one["id"])
    raise NoConversation


def draw(seen: dict[str, Any], *, items: bool, is_reply: bool) -> None:
    """Draw what is shown on a terminal; elsewhere write a line for each thing."""
    from tertulia.cli.context_bars import conversation_view, receipt_view  # noqa: PLC0415 - JSON needs no rich
    from tertulia.cli.context_words import rows_of  # noqa: PLC0415 - see above
    from tertulia.cli.output import console, harmless  # noqa: PLC0415 - see above

    screen = console()
    if screen.is_terminal:
        view = receipt_view if is_reply else conversation_view
        screen.print(view(seen, items=items))
        return
    for row in rows_of(seen):
        click.echo(harmless("\t".join(" ".join(cell.split()) for cell in row)))


def print_texts(receipt: dict[str, Any]) -> None:
    """Print all that a model read, section by section."""
    from tertulia.cli.context_words import words_of  # noqa: PLC0415 - only where it is asked for
    from tertulia.cli.output import harmless  # noqa: PLC0415 - see above

    for line in words_of(receipt["plan"]):
        click.echo(harmless(line))


def print_points(made: dict[str, Any]) -> None:
    """Print the points of a summary, and on standard error how far it reaches."""
    from tertulia.cli.context_words import points_of, reach_of  # noqa: PLC0415 - only where it is asked for
    from tertulia.cli.output import harmless  # noqa: PLC0415 - see above

    note(reach_of(made))
    for line in points_of(made):
        click.echo(harmless(line))


def print_json(seen: Any) -> None:
    """Print what the server says."""
    click.echo(json.dumps(seen, indent=2, ensure_ascii=False))
