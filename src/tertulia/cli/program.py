"""Running the command that was typed, and the exit code with which it ends, however it ends."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

import click
from click.exceptions import Exit
from click.shell_completion import shell_complete

from tertulia.cli.commands import root
from tertulia.cli.exit_codes import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_PIPE_CLOSED
from tertulia.cli.output import print_to_stderr
from tertulia.core.errors import TertuliaError

PROGRAM_NAME = "tertulia"
COMPLETION_VARIABLE = "_TERTULIA_COMPLETE"


def run_program(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; a reader that closes the pipe ends it without a word."""
    replace_what_cannot_be_coded()
    try:
        exit_code = run_command(arguments)
        click.echo(nl=False)  # flushes what no command has, while it can still be told that nobody reads it
    except BrokenPipeError:
        discard_output()
        return EXIT_PIPE_CLOSED
    return exit_code


def replace_what_cannot_be_coded() -> None:
    """Let no byte that is piped in, nor letter that the terminal's encoding lacks, end a command."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def run_command(arguments: Sequence[str]) -> int:
    """Run a command, say why it failed if it did, and return its exit code."""
    try:
        return run_root(arguments)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, EOFError, KeyboardInterrupt) as error:
        print_to_stderr("\nAborted!")
        return EXIT_INTERRUPTED if is_interrupt(error) else EXIT_FAILED
    except TertuliaError as error:
        print_to_stderr(str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        print_to_stderr(f"{error.filename or PROGRAM_NAME}: {error.strerror or error}.")
    return EXIT_FAILED


def run_root(arguments: Sequence[str]) -> int:
    """Run a command as `click.Group.main` does, which would end with 1 when the pipe is closed."""
    if instruction := os.environ.get(COMPLETION_VARIABLE):
        return shell_complete(root, {}, PROGRAM_NAME, COMPLETION_VARIABLE, instruction)
    try:
        with root.make_context(PROGRAM_NAME, list(arguments)) as ctx:
            root.invoke(ctx)
    except Exit as leaving:
        return leaving.exit_code
    return 0


def is_interrupt(error: BaseException) -> bool:
    """Tell whether a person pressed Ctrl-C, at one of click's prompts or elsewhere."""
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__context__, KeyboardInterrupt)


def discard_output() -> None:
    """Let what is still to be written go nowhere, so that nothing is said of it at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
