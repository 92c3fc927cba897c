"""`tertulia chat`: talk with several models, side by side."""

import os

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.project_choice import (
    check_conversation_or_project,
    new_conversation_project_option,
    project_field,
)


@click.command()
@server_options
@click.option("-m", "--model", "models", multiple=True, help="Who sits at the table; repeat it for several.")
@click.option("-c", "--conversation", default=None, help="The conversation to go on with; else a new one.")
@new_conversation_project_option
def chat(
    *,
    url: str | None,
    token: str | None,
    models: tuple[str, ...],
    conversation: str | None,
    project: str | None,
) -> None:
    """Talk with several models at once. /help lists what else one can do there."""
    from tertulia.cli.chat_loop import chat_loop, start_chat  # noqa: PLC0415 - brings the drawing along
    from tertulia.cli.chat_prompt import line_reader  # noqa: PLC0415 - brings the prompt along
    from tertulia.cli.chat_session import ChatSession  # noqa: PLC0415 - see above
    from tertulia.cli.output import console  # noqa: PLC0415 - see above
    from tertulia.cli.saved_login import config_dir  # noqa: PLC0415 - see above

    check_conversation_or_project(conversation, project)
    with open_client(url, token) as server:
        session = ChatSession(server, new_conversation_fields=project_field(server, project))
        screen = console()
        known = [model["id"] for model in server.get("/api/models")["models"]]
        read = line_reader(config_dir(os.environ), known)
        start_chat(session, screen, conversation, read=read)
        session.models = list(models) or session.models
        chat_loop(session, read=read, screen=screen)
