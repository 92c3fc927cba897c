"""`tertulia memory export` and `tertulia memory import`: memories taken from one server to another."""

from pathlib import Path

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.exit_codes import EXIT_FAILED
from tertulia.cli.memory_text import memories_counted, say_superseded
from tertulia.cli.output import print_to_stderr, progress_bar
from tertulia.cli.project_choice import project_field
from tertulia.cli.transfer_file import (
    force_option,
    open_target,
    owner_project_option,
    read_source,
    refuse_existing_file,
    source_argument,
    target_argument,
)


@click.command()
@server_options
@target_argument
@owner_project_option
@force_option
def export(*, url: str | None, token: str | None, file: Path, project: str | None, force: bool) -> None:
    """Write your memories to a FILE, or to standard output where it is -, a line of JSON for each.

    Also those that wait, are archived, or were replaced; not those that you
    turned down.
    """
    from tertulia.cli.memory_bundle import list_kept_memories, write_records

    refuse_existing_file(file, force=force)
    with open_client(url, token) as server:
        memories = list_kept_memories(server, project_field(server, project).get("project_id"))
    with open_target(file) as into:
        write_records(memories, into)
    print_to_stderr(f"Exported {memories_counted(len(memories))}.")


@click.command("import")
@server_options
@source_argument
@owner_project_option
@click.pass_context
def import_(
    ctx: click.Context, *, url: str | None, token: str | None, file: Path, project: str | None
) -> None:
    """Read exported memories back from a FILE, or from standard input where it is -; prints the new ids.

    What is there already with the same text and type is passed over. What
    waited or was replaced is archived here. A line that cannot be taken is
    said: the exit code is then 1.
    """
    from tertulia.cli.memory_bundle import import_records, read_records

    records, problems = read_records(read_source(file), str(file))
    for number, problem in problems.items():
        print_to_stderr(f"Line {number}: {problem}")
    with open_client(url, token) as server, progress_bar() as show:
        project_id = project_field(server, project).get("project_id")
        outcome = import_records(server, records, project_id=project_id, report_progress=show)
    say_superseded(outcome.made)
    for memory in outcome.made:
        click.echo(memory["id"])
    outcome.failed_count += len(problems)
    print_to_stderr(outcome.describe())
    ctx.exit(EXIT_FAILED if outcome.failed_count else 0)
