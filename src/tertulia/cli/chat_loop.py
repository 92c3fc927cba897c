"""The loop of a chat: read a line, do what it says, draw the replies as they come."""

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from tertulia.cli import chat_commands
from tertulia.cli.columns import LiveView, whole_view
from tertulia.cli.deciding import Decisions, how_to_answer
from tertulia.cli.hearing import Hearing, hearing_of
from tertulia.cli.listening import listen, stop
from tertulia.cli.output import harmless
from tertulia.cli.quiet import quiet_terminal
from tertulia.cli.talk import Talk
from tertulia.core.errors import TertuliaError

FRAMES_PER_SECOND = 8
Read = Callable[[], str]


def greet(talk: Talk, screen: Console, conversation: str | None, *, read: Read) -> None:
    """Say how to go on, and show the conversation that was asked for."""
    say(screen, "Ask away. /help lists commands, Ctrl-C stops replies, Ctrl-D leaves.")
    if conversation:
        for turn in chat_commands.do(talk, f"/open {conversation}", lambda text: say(screen, text)):
            draw(talk, turn, screen, read)


def chat_loop(talk: Talk, *, read: Read, screen: Console) -> None:
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
                draw(talk, turn, screen, read)
        except TertuliaError as error:
            screen.print(Text(harmless(error.message), style="red"))


def turns_of(talk: Talk, line: str, screen: Console) -> list[dict[str, Any]]:
    """Do what a line says and return the turns it began."""
    if line.startswith("/"):
        return chat_commands.do(talk, line, lambda text: say(screen, text))
    return [talk.ask(line)] if line else []


def draw(talk: Talk, turn: dict[str, Any], screen: Console, read: Read) -> None:
    """Draw replies while they come, then whole, and ask about tools that wait.

    Ctrl-C stops the replies, and a second one stops waiting; Ctrl-D leaves a question open.
    """
    hearing = hearing_of(turn["round"])
    decisions = Decisions(talk.server, read, lambda text: say(screen, text))
    stops = 0
    while not hearing.finished and stops < 2:
        try:
            with quiet_terminal(), drawing(screen) as live:
                for hearing in listen(talk.server, turn):
                    live.update(LiveView(hearing))
                    if decisions.needed(hearing):
                        break
            decisions.make(decisions.needed(hearing))
        except KeyboardInterrupt:
            stops += 1
            stop(talk.server, hearing)
        except EOFError:
            say(screen, "\n".join(how_to_answer(call) for call in decisions.needed(hearing)))
            break
    finish(talk, hearing, screen)


def drawing(screen: Console) -> Live:
    """Return what draws for as long as something comes, and then leaves no trace."""
    return Live(console=screen, refresh_per_second=FRAMES_PER_SECOND, transient=True)


def finish(talk: Talk, hearing: Hearing, screen: Console) -> None:
    """Draw what was said, for good, and remember it."""
    screen.print(whole_view(hearing, width=screen.width))
    talk.heard(hearing)


def say(screen: Console, text: str) -> None:
    """Print a line that is no reply."""
    screen.print(Text(harmless(text)))
