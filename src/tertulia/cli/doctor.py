"""`tertulia doctor`: is everything as it should be?"""

import json
from collections.abc import Generator
from dataclasses import asdict

import click

from tertulia.cli.checks import check_all
from tertulia.cli.findings import Finding, State
from tertulia.cli.index_checks import check_search
from tertulia.settings import Settings

COLOURS = {State.OK: "green", State.WARN: "yellow", State.FAIL: "red"}


@click.command()
@click.option("--online", is_flag=True, help="Also ask the providers of the environment for their models.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def doctor(ctx: click.Context, online: bool, as_json: bool) -> None:
    """Check this machine and the data directory; exits with 1 when something is broken."""
    found: list[Finding] = []
    for one in findings(Settings.from_env(), online=online):
        found.append(one)
        if not as_json:
            show(one)
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], indent=2))
    ctx.exit(1 if any(one.state is State.FAIL for one in found) else 0)


def findings(settings: Settings, *, online: bool) -> Generator[Finding]:
    """Yield what every check finds."""
    yield from check_all(settings)
    yield from check_search(settings, online=online)
    if online:
        from tertulia.cli.reach import check_reach  # noqa: PLC0415 - only when asked to go online

        yield from check_reach(settings)


def show(one: Finding) -> None:
    """Print one finding, and what to do about it."""
    state = click.style(f"{one.state.value:<4}", fg=COLOURS[one.state])
    click.echo(f"{state}  {one.name}: {one.message}")
    if one.fix:
        click.echo(f"      {one.fix}")
