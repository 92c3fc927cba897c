"""A chat drawn on a terminal: replies side by side while they come, then whole."""

from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

from tertulia.cli.chat_screen import ShowProgress
from tertulia.cli.output import strip_control_characters
from tertulia.cli.reply_columns import LiveView, final_view
from tertulia.cli.round_state import RoundState
from tertulia.cli.terminal_echo import echo_off

FRAMES_PER_SECOND = 8


class TerminalScreen:
    """Draws a chat for a person who sits before it."""

    is_interactive = True
    can_answer = True

    def __init__(self, console: Console) -> None:
        self._console = console

    def print_line(self, text: str) -> None:
        """Print a line that is no reply."""
        self._console.print(Text(strip_control_characters(text)))

    def print_error(self, text: str) -> None:
        """Say what went wrong."""
        self._console.print(Text(strip_control_characters(text), style="red"))

    @contextmanager
    def show_progress(self) -> Generator[ShowProgress]:
        """Draw for as long as something comes, and then leave no trace."""
        with (
            echo_off(),
            Live(console=self._console, refresh_per_second=FRAMES_PER_SECOND, transient=True) as live,
        ):
            yield lambda round_state: live.update(LiveView(round_state))

    def print_round(self, round_state: RoundState) -> None:
        """Draw the replies whole."""
        self._console.print(final_view(round_state, width=self._console.width))
