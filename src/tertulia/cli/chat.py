"""`tertulia chat`: talk with several models, side by side."""

import os
import sys
from typing import TYPE_CHECKING

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.line_input import read_line
from tertulia.cli.new_conversation import (
    check_new_conversation,
    new_conversation_fields,
    project_option,
    temporary_option,
)

if TYPE_CHECKING:
    from tertulia.cli.chat_loop import ReadLine
    from tertulia.cli.chat_screen import ChatScreen
    from tertulia.cli.client import ApiClient


@click.command()
@server_options
@click.option("-m", "--model", "models", multiple=True, help="Who sits at the table; repeat it for several.")
@click.option("-c", "--conversation", default=None, help="The conversation to go on with; else a new one.")
@project_option
@temporary_option
@click.pass_context
def chat(
    ctx: click.Context,
    *,
    url: str | None,
    token: str | None,
    models: tuple[str, ...],
    conversation: str | None,
    project: str | None,
    temporary: bool,
) -> None:
    """Talk with several models at once. /help lists what else one can do there.

    Where input or output is no terminal, each line is a question and each reply is
    written plainly once it is whole; the exit codes are those of `tertulia ask`.
    """
    from tertulia.cli.chat_loop import chat_loop, open_conversation
    from tertulia.cli.chat_session import ChatSession

    check_new_conversation(conversation, project, temporary=temporary)
    with open_client(url, token) as server:
        fields = new_conversation_fields(server, project, temporary=temporary)
        session = ChatSession(server, new_conversation_fields=fields)
        is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        screen, read = open_terminal(server) if is_terminal else open_pipes()
        if conversation:
            open_conversation(session, conversation, read=read, screen=screen)
        session.models = list(models) or session.models
        exit_code = chat_loop(session, read=read, screen=screen)
    ctx.exit(0 if is_terminal else exit_code)


def open_terminal(server: "ApiClient") -> "tuple[ChatScreen, ReadLine]":
    """Say how to go on, and return the terminal to draw on and to read lines from."""
    from tertulia.cli.chat_prompt import line_reader
    from tertulia.cli.output import console
    from tertulia.cli.saved_login import config_dir
    from tertulia.cli.terminal_screen import TerminalScreen

    screen = TerminalScreen(console())
    known = [model["id"] for model in server.get("/api/models")["models"]]
    read = line_reader(config_dir(os.environ), known)
    screen.print_line("Ask away. /help lists commands, Ctrl-C stops replies, Ctrl-D leaves.")
    return screen, read


def open_pipes() -> "tuple[ChatScreen, ReadLine]":
    """Return standard output to write plain replies to, and standard input to read lines from."""
    from tertulia.cli.chat_screen import PlainScreen

    return PlainScreen(), read_line
