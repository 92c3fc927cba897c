"""A console that tells its caller when nobody reads what it prints."""

from rich.console import Console


class PipeConsole(Console):
    """A console that raises `BrokenPipeError`; rich would leave the program with 1."""

    def on_broken_pipe(self) -> None:
        """Let the program decide how it ends."""
        raise BrokenPipeError
