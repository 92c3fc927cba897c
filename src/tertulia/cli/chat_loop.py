"""The loop of a chat: read a line, do what it says, draw the replies as they come."""

from collections.abc import Callable

from rich.console import Console
from rich.live import Live
from rich.text import Text

from tertulia.cli import chat_commands
from tertulia.cli.approvals import ApprovalPrompts, approval_hint
from tertulia.cli.chat_session import ChatSession
from tertulia.cli.output import strip_control_characters
from tertulia.cli.reply_columns import LiveView, final_view
from tertulia.cli.round_state import RoundState, parse_round
from tertulia.cli.round_stream import follow_round, stop_round
from tertulia.cli.terminal_echo import echo_off
from tertulia.core.errors import TertuliaError
from tertulia.core.json_object import JsonObject

FRAMES_PER_SECOND = 8
ReadLine = Callable[[], str]


def start_chat(session: ChatSession, screen: Console, conversation: str | None, *, read: ReadLine) -> None:
    """Say how to go on, and show the conversation that was asked for."""
    print_line(screen, "Ask away. /help lists commands, Ctrl-C stops replies, Ctrl-D leaves.")
    if conversation:
        for turn in chat_commands.run_command(
            session, f"/open {conversation}", lambda text: print_line(screen, text)
        ):
            draw_turn(session, turn, screen, read)


def chat_loop(session: ChatSession, *, read: ReadLine, screen: Console) -> None:
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
            for turn in run_line(session, line, screen):
                draw_turn(session, turn, screen, read)
        except TertuliaError as error:
            screen.print(Text(strip_control_characters(error.message), style="red"))


def run_line(session: ChatSession, line: str, screen: Console) -> list[JsonObject]:
    """Do what a line says and return the turns it began."""
    if line.startswith("/"):
        return chat_commands.run_command(session, line, lambda text: print_line(screen, text))
    return [session.ask(line)] if line else []


def draw_turn(session: ChatSession, turn: JsonObject, screen: Console, read: ReadLine) -> None:
    """Draw replies while they come, then whole, and ask about tools that wait.

    Ctrl-C stops the replies, and a second one stops waiting; Ctrl-D leaves a question open.
    """
    round_state = parse_round(turn["round"])
    approvals = ApprovalPrompts(session.server, read, lambda text: print_line(screen, text))
    stops = 0
    while not round_state.is_finished and stops < 2:
        try:
            with echo_off(), live_display(screen) as live:
                for round_state in follow_round(session.server, turn):
                    live.update(LiveView(round_state))
                    if approvals.calls_to_ask_about(round_state):
                        break
            approvals.ask_and_decide(approvals.calls_to_ask_about(round_state))
        except KeyboardInterrupt:
            stops += 1
            stop_round(session.server, round_state)
        except EOFError:
            print_line(
                screen, "\n".join(approval_hint(call) for call in approvals.calls_to_ask_about(round_state))
            )
            break
    finish_turn(session, round_state, screen)


def live_display(screen: Console) -> Live:
    """Return what draws for as long as something comes, and then leaves no trace."""
    return Live(console=screen, refresh_per_second=FRAMES_PER_SECOND, transient=True)


def finish_turn(session: ChatSession, round_state: RoundState, screen: Console) -> None:
    """Draw what was said, for good, and remember it."""
    screen.print(final_view(round_state, width=screen.width))
    session.remember_round(round_state)


def print_line(screen: Console, text: str) -> None:
    """Print a line that is no reply."""
    screen.print(Text(strip_control_characters(text)))
