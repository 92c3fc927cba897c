"""`tertulia doctor`: is everything as it should be?"""

import json
from collections.abc import Generator
from dataclasses import asdict

import click

from tertulia.cli.check_results import CheckResult, CheckState
from tertulia.cli.index_checks import check_search
from tertulia.cli.machine_checks import check_machine
from tertulia.cli.postgres_checks import check_postgres
from tertulia.cli.valkey_checks import check_valkey
from tertulia.settings import Settings

CHECK_STATE_COLOURS = {CheckState.OK: "green", CheckState.WARN: "yellow", CheckState.FAIL: "red"}


@click.command()
@click.option("--online", is_flag=True, help="Also ask the providers of the environment for their models.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def doctor(ctx: click.Context, online: bool, as_json: bool) -> None:
    """Check this machine and the data directory; exits with 1 when something is broken."""
    found: list[CheckResult] = []
    for check in run_checks(Settings.from_env(), online=online):
        found.append(check)
        if not as_json:
            print_result(check)
    if as_json:
        click.echo(json.dumps([asdict(check_result) for check_result in found], indent=2))
    ctx.exit(1 if any(check_result.state is CheckState.FAIL for check_result in found) else 0)


def run_checks(settings: Settings, *, online: bool) -> Generator[CheckResult]:
    """Yield what every check finds."""
    yield from check_machine(settings)
    if settings.database_url:
        yield from check_postgres(settings)
        yield check_valkey(settings)
    yield from check_search(settings, online=online)
    if online:
        from tertulia.cli.provider_checks import check_providers

        yield from check_providers(settings)


def print_result(result: CheckResult) -> None:
    """Print one finding, and what to do about it."""
    state = click.style(f"{result.state.value:<4}", fg=CHECK_STATE_COLOURS[result.state])
    click.echo(f"{state}  {result.name}: {result.message}")
    if result.fix:
        click.echo(f"      {result.fix}")
