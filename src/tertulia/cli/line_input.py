"""Reading plain lines from standard input."""

import sys


def read_line() -> str:
    """Return the next line; raise `EOFError` where there is none, or after Ctrl-D."""
    if line := sys.stdin.readline():
        return line
    raise EOFError
