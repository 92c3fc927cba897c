"""What a command says of a conversation that it begins: its project, and whether it is temporary."""

from typing import TYPE_CHECKING

import click

from tertulia.cli.project_choice import project_field
from tertulia.core.json_object import JsonObject

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

project_option = click.option(
    "--project", default=None, help="The project of a new conversation, by name or id; else the default one."
)
temporary_option = click.option(
    "--temporary", is_flag=True, help="Begin a conversation that is not remembered and deleted after a day."
)


def check_new_conversation(conversation: str | None, project: str | None, *, temporary: bool) -> None:
    """Refuse what is said of a new conversation where one goes on that has it already."""
    if conversation and project:
        message = "--project is for a new conversation; the one named with -c is in a project already."
        raise click.UsageError(message)
    if conversation and temporary:
        message = (
            "--temporary is for a new conversation; the one named with -c is temporary already or stays."
        )
        raise click.UsageError(message)


def new_conversation_fields(server: "ApiClient", project: str | None, *, temporary: bool) -> JsonObject:
    """Return how a new conversation begins, as a request says it."""
    return project_field(server, project) | ({"temporary": True} if temporary else {})
