"""Where a chat shows what is said: drawn on a terminal, or as plain text where there is none."""

import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from tertulia.cli.output import print_to_stderr, write_piece
from tertulia.cli.plain_output import PlainWriter, failure_lines, tool_outcome_lines
from tertulia.cli.round_state import RoundState

ShowProgress = Callable[[RoundState], object]


class ChatScreen(Protocol):
    """What a chat needs of where it is shown."""

    #: Whether a person sits there: Ctrl-C then drops a line or stops replies, and does not leave.
    is_interactive: bool
    #: Whether somebody can be asked about a tool that waits.
    can_answer: bool

    def print_line(self, text: str) -> None:
        """Print a line that is no reply."""
        ...

    def print_error(self, text: str) -> None:
        """Say what went wrong."""
        ...

    def show_progress(self) -> AbstractContextManager[ShowProgress]:
        """Give what shows a round while its replies come."""
        ...

    def print_round(self, round_state: RoundState) -> None:
        """Print the replies of a round, for good."""
        ...


class PlainScreen:
    """Writes each reply once it is whole to standard output, and all else to standard error."""

    is_interactive = False

    def __init__(self) -> None:
        self.can_answer = sys.stdin.isatty()
        self._rounds = 0

    def print_line(self, text: str) -> None:
        """Print a line that is no reply."""
        print_to_stderr(text)

    def print_error(self, text: str) -> None:
        """Say what went wrong."""
        print_to_stderr(text)

    @contextmanager
    def show_progress(self) -> Generator[ShowProgress]:
        """Give what shows nothing: a reply is written when it is whole."""
        yield lambda _: None

    def print_round(self, round_state: RoundState) -> None:
        """Write the replies, after an empty line where others came before them."""
        if self._rounds:
            write_piece("\n")
        self._rounds += 1
        PlainWriter(write_piece, stream=False).write_whole(round_state)
        for line in (*tool_outcome_lines(round_state), *failure_lines(round_state)):
            print_to_stderr(line)
