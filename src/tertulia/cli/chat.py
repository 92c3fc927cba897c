"""`tertulia chat`: talk with several models, side by side."""

import os

import click

from tertulia.cli.connect import connected, server_options
from tertulia.cli.project_choice import check_one_place, new_conversation_project, place_in


@click.command()
@server_options
@click.option("-m", "--model", "models", multiple=True, help="Who sits at the table; repeat it for several.")
@click.option("-c", "--conversation", default=None, help="The conversation to go on with; else a new one.")
@new_conversation_project
def chat(
    *,
    url: str | None,
    token: str | None,
    models: tuple[str, ...],
    conversation: str | None,
    project: str | None,
) -> None:
    """Talk with several models at once. /help lists what else one can do there."""
    from tertulia.cli.chat_loop import chat_loop, greet  # noqa: PLC0415 - brings the drawing along
    from tertulia.cli.chat_prompt import reader  # noqa: PLC0415 - brings the prompt along
    from tertulia.cli.output import console  # noqa: PLC0415 - see above
    from tertulia.cli.saved_login import config_dir  # noqa: PLC0415 - see above
    from tertulia.cli.talk import Talk  # noqa: PLC0415 - see above

    check_one_place(conversation, project)
    with connected(url, token) as server:
        talk = Talk(server, place=place_in(server, project))
        screen = console()
        known = [model["id"] for model in server.get("/api/models")["models"]]
        read = reader(config_dir(os.environ), known)
        greet(talk, screen, conversation, read=read)
        talk.models = list(models) or talk.models
        chat_loop(talk, read=read, screen=screen)
