"""The loop of a chat: read a line, do what it says, draw the replies as they come."""

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from tertulia.cli import chat_commands
from tertulia.cli.columns import LiveView, whole_view
from tertulia.cli.hearing import Hearing, hearing_of
from tertulia.cli.listening import listen, stop
from tertulia.cli.output import harmless
from tertulia.cli.quiet import quiet_terminal
from tertulia.cli.talk import Talk
from tertulia.core.errors import TertuliaError

FRAMES_PER_SECOND = 8


def greet(talk: Talk, screen: Console, conversation: str | None) -> None:
    """Say how to go on, and show the conversation that was asked for."""
    say(screen, "Ask away. /help lists commands, Ctrl-C stops replies, Ctrl-D leaves.")
    if conversation:
        for turn in chat_commands.do(talk, f"/open {conversation}", lambda text: say(screen, text)):
            draw(talk, turn, screen)


def chat_loop(talk: Talk, *, read: Callable[[], str], screen: Console) -> None:
    """Talk until the person leaves; an error is said, and the talk goes on."""
    while True:
        try:
            line = read().strip()
        except EOFError:
            return
        except KeyboardInterrupt:
            continue
        if line in ("/quit", "/exit"):
            return
        try:
            for turn in turns_of(talk, line, screen):
                draw(talk, turn, screen)
        except TertuliaError as error:
            screen.print(Text(harmless(error.message), style="red"))


def turns_of(talk: Talk, line: str, screen: Console) -> list[dict[str, Any]]:
    """Do what a line says and return the turns it began."""
    if line.startswith("/"):
        return chat_commands.do(talk, line, lambda text: say(screen, text))
    return [talk.ask(line)] if line else []


def draw(talk: Talk, turn: dict[str, Any], screen: Console) -> None:
    """Draw replies while they come, then whole; Ctrl-C stops them, and a second one stops waiting."""
    hearing = hearing_of(turn["round"])
    stops = 0
    drawing = Live(console=screen, refresh_per_second=FRAMES_PER_SECOND, transient=True)
    with quiet_terminal(), drawing as live:
        while not hearing.finished and stops < 2:
            try:
                for hearing in listen(talk.server, turn):
                    live.update(LiveView(hearing))
            except KeyboardInterrupt:
                stops += 1
                stop(talk.server, hearing)
    finish(talk, hearing, screen)


def finish(talk: Talk, hearing: Hearing, screen: Console) -> None:
    """Draw what was said, for good, and remember it."""
    screen.print(whole_view(hearing, width=screen.width))
    talk.heard(hearing)


def say(screen: Console, text: str) -> None:
    """Print a line that is no reply."""
    screen.print(Text(harmless(text)))
