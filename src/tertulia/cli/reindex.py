"""`tertulia reindex`: everything of a project cut and indexed anew."""

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.output import print_to_stderr, progress_bar


@click.command()
@server_options
@click.option("--project", default=None, help="The project's name or id; else all of them.")
@click.option("--all", "all_", is_flag=True, help="All projects, which is also what happens without a name.")
@click.option("--no-wait", is_flag=True, help="Do not wait until it is done.")
@click.pass_context
def reindex(
    ctx: click.Context, *, url: str | None, token: str | None, project: str | None, all_: bool, no_wait: bool
) -> None:
    """Have files and conversations indexed anew; until that is done they are found as before.

    Exits with 1 when a text could not be indexed.
    """
    from tertulia.cli.index_progress import list_index_problems, wait_for_index
    from tertulia.cli.project_choice import find_project, list_projects

    if project and all_:
        raise click.UsageError("Say either --project or --all.")
    with open_client(url, token) as server:
        chosen = [find_project(server, project)] if project else list(list_projects(server))
        queued = [server.post(f"/api/projects/{project['id']}/index")["total"] for project in chosen]
        print_to_stderr(
            f"{sum(queued)} texts of {', '.join(project['name'] for project in chosen)} are indexed anew."
        )
        if no_wait:
            return
        with progress_bar() as show:
            state = wait_for_index(server, [project["id"] for project in chosen], report_progress=show)
        for indexed_project in chosen:
            for problem in list_index_problems(server, indexed_project["id"]):
                print_to_stderr(problem)
    print_to_stderr(f"{state['total'] - state['failed']} texts in {state['chunks']} pieces can be found.")
    ctx.exit(1 if state["failed"] else 0)
