"""`tertulia search`: what was said or summarised and what stands in files, with the place and the reasons."""

import json

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.output import console, print_to_stderr
from tertulia.cli.project_choice import find_project
from tertulia.core.json_object import JsonObject


@click.command()
@server_options
@click.argument("words", nargs=-1, required=True)
@click.option("--project", default=None, help="The project's name or id; else everything you may see.")
@click.option("--files", "only", flag_value="file", help="Only what stands in files.")
@click.option("--talk", "only", flag_value="message", help="Only what was said.")
@click.option("--summaries", "only", flag_value="summary", help="Only points of summaries.")
@click.option("--tasks", "only", flag_value="task", help="Only tasks.")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True)
@click.option("--why", is_flag=True, help="Also show why each hit stands where it does.")
@click.option("--json", "as_json", is_flag=True, help="Print what the server says as JSON.")
def search(
    *,
    url: str | None,
    token: str | None,
    words: tuple[str, ...],
    project: str | None,
    only: str | None,
    limit: int,
    why: bool,
    as_json: bool,
) -> None:
    """Find WORDS, as they are written and as they are meant, best first.

    Piped, each hit is one line: its place, its score and its beginning, with
    tabs between.
    """
    text = " ".join(words)
    body: JsonObject = {"query": text, "limit": limit, "filter": {"kinds": [only] if only else []}}
    found = request_search(body, project=project, url=url, token=token)
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for code in found["broken"]:
        print_to_stderr(f"A part of search does not work just now ({code}); this is what the others found.")
    if not found["hits"]:
        print_to_stderr("Nothing was found.")
    print_hits(found["hits"], text, why=why)


def request_search(
    body: JsonObject, *, project: str | None, url: str | None, token: str | None
) -> JsonObject:
    """Search a project, or everywhere."""

    with open_client(url, token) as server:
        if project is None:
            found: JsonObject = server.post("/api/search/global", body)
        else:
            found = server.post(f"/api/projects/{find_project(server, project)['id']}/search", body)
    return found


def print_hits(hits: list[JsonObject], query: str, *, why: bool) -> None:
    """Draw hits on a terminal; elsewhere write a line for each."""
    from tertulia.cli.search_hits import draw_hit, hit_line, score_reasons

    screen = console()
    for number, hit in enumerate(hits, 1):
        if screen.is_terminal:
            screen.print(draw_hit(hit, query, number=number, why=why))
            continue
        click.echo(hit_line(hit, query))
        for reason in score_reasons(hit) if why else ():
            click.echo(f"\t{reason}")
