"""`tertulia reindex`: everything of a project cut and indexed anew."""

import click

from tertulia.cli.connect import connected, server_options
from tertulia.cli.output import meter, note


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
    from tertulia.cli.indexing import problems_of, wait_for_index  # noqa: PLC0415 - once the options are right
    from tertulia.cli.project_choice import every_project, project_named  # noqa: PLC0415 - see above

    if project and all_:
        raise click.UsageError("Say either --project or --all.")
    with connected(url, token) as server:
        chosen = [project_named(server, project)] if project else list(every_project(server))
        queued = [server.post(f"/api/projects/{one['id']}/index")["total"] for one in chosen]
        note(f"{sum(queued)} texts of {', '.join(one['name'] for one in chosen)} are indexed anew.")
        if no_wait:
            return
        with meter() as show:
            state = wait_for_index(server, [one["id"] for one in chosen], show=show)
        for one in chosen:
            for problem in problems_of(server, one["id"]):
                note(problem)
    note(f"{state['total'] - state['failed']} texts in {state['chunks']} pieces can be found.")
    ctx.exit(1 if state["failed"] else 0)
