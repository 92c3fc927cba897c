"""Typing into a chat on the command line, and reading what is on the screen."""

from io import StringIO

from rich.console import Console

from tertulia.cli.chat_loop import chat_loop
from tertulia.cli.chat_session import ChatSession
from tertulia.cli.client import ApiClient
from tertulia.cli.terminal_screen import TerminalScreen
from tests.fake_server import FakeServer


def chat(server: FakeServer, *lines: str, talk: ChatSession | None = None, width: int = 100) -> str:
    """Type lines, then leave, and return what is on the screen."""
    typed = iter(lines)
    shown = StringIO()
    screen = TerminalScreen(Console(file=shown, width=width, height=30))

    def read() -> str:
        line = next(typed, None)
        if line is None:
            raise EOFError
        return line

    with ApiClient(server.url, "ttl_test", backoff_seconds=0) as client:
        chat_loop(talk or ChatSession(client), read=read, screen=screen)
    return shown.getvalue()
