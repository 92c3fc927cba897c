"""A terminal that does not show what is typed while something is being drawn on it."""

import sys
import termios
from collections.abc import Generator
from contextlib import contextmanager

TERMIOS_LOCAL_FLAGS_INDEX = 3


@contextmanager
def echo_off() -> Generator[None]:
    """Keep the terminal from echoing: a `^C` in the last column would shift what is drawn by a row."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    during = termios.tcgetattr(sys.stdin)
    during[TERMIOS_LOCAL_FLAGS_INDEX] &= ~termios.ECHO
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, during)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
