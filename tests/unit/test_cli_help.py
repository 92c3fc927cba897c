"""Every command explains itself, and starting one is quick."""

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from tertulia import __version__
from tertulia.cli.commands import CLI_COMMANDS, root


def every_command() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name in CLI_COMMANDS:
        found.append((name,))
        command = root.get_command(click.Context(root), name)
        if isinstance(command, click.Group):
            found += [(name, inner) for inner in command.commands]
    return found


@pytest.mark.parametrize("path", every_command(), ids=" ".join)
def test_every_command_has_help(path: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(root, [*path, "--help"])
    assert shown.exit_code == 0
    about = shown.output.partition("\n\n")[2].strip()
    assert about
    assert not about.startswith("Options:"), "it says what it does"


def test_the_list_of_commands_is_complete() -> None:
    shown = CliRunner().invoke(root, ["--help"]).output
    assert all(f"  {name} " in shown for name in CLI_COMMANDS)


def test_the_version_is_told_without_loading_anything_heavy() -> None:
    code = """
import sys
sys.argv = ["tertulia", "--version"]
from tertulia.cli import main
try:
    main()
except SystemExit:
    heavy = {"rich", "prompt_toolkit", "httpx2", "fastapi", "pydantic", "apsw", "argon2"} & set(sys.modules)
    print(sorted(heavy))
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split("\n")[:2] == [f"tertulia {__version__}", "[]"]


def test_serving_loads_nothing_that_draws() -> None:
    code = """
import sys
from tertulia.cli.commands import root
import click
root.get_command(click.Context(root), "serve")
print(sorted({"rich", "prompt_toolkit"} & set(sys.modules)))
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_an_unknown_command_is_an_error() -> None:
    assert CliRunner().invoke(root, ["sing"]).exit_code == 2
