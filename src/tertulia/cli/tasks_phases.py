"""`tertulia tasks phases`: the parts of a project's work, and how far they have come."""

import json

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.date_reading import read_day
from tertulia.cli.output import print_to_stderr
from tertulia.cli.project_choice import find_project
from tertulia.cli.tasks_choice import list_phases
from tertulia.cli.tasks_text import print_phases
from tertulia.core.json_object import JsonObject

phase_project_option = click.option(
    "--project", default=None, help="Of which project, by its name or id; else the default one."
)


@click.command()
@server_options
@phase_project_option
@click.option("--json", "as_json", is_flag=True, help="Print the phases as JSON.")
def phases(*, url: str | None, token: str | None, project: str | None, as_json: bool) -> None:
    """List the phases of a project in their order, with how far each has come."""
    with open_client(url, token) as server:
        found = list_phases(server, find_project(server, project)["id"])
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    if found:
        print_phases(found)
    else:
        print_to_stderr("This project has no phases.")


@click.command("add-phase")
@server_options
@phase_project_option
@click.argument("name")
@click.option("--start", default=None, help="Its first day, in words or as YYYY-MM-DD.")
@click.option("--end", default=None, help="Its last day, in words or as YYYY-MM-DD.")
def add_phase(
    *,
    url: str | None,
    token: str | None,
    project: str | None,
    name: str,
    start: str | None,
    end: str | None,
) -> None:
    """Make a phase called NAME at the end of a project, and print its id."""
    with open_client(url, token) as server:
        days: JsonObject = {"start_date": read_day(server, start)} if start else {}
        days |= {"end_date": read_day(server, end)} if end else {}
        path = f"/api/projects/{find_project(server, project)['id']}/phases"
        made = server.post(path, {"name": name} | days)
    click.echo(made["id"])
