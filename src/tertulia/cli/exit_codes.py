"""What the status says with which a command ends; `docs/guide/cli.md` has the same list."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tertulia.cli.round_state import RoundState

#: It was refused or failed, or said no where that is the answer.
EXIT_FAILED = 1
#: A tool waits for a yes, and there is nobody here to ask.
EXIT_APPROVAL_NEEDED = 3
#: What a shell says of a program that SIGINT or SIGPIPE has ended.
EXIT_INTERRUPTED = 130
EXIT_PIPE_CLOSED = 141


def round_exit_code(round_state: "RoundState", *, is_waiting: bool) -> int:
    """Return what a command that asked ends with: whether a tool waits, or no model gave a whole answer."""
    if is_waiting:
        return EXIT_APPROVAL_NEEDED
    return EXIT_FAILED if round_state.has_failed else 0
