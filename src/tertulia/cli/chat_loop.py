"""The loop of a chat: read a line, do what it says, show the replies as they come."""

from collections.abc import Callable

from tertulia.cli import chat_commands
from tertulia.cli.approvals import ApprovalPrompts, approval_hint
from tertulia.cli.chat_screen import ChatScreen
from tertulia.cli.chat_session import ChatSession
from tertulia.cli.exit_codes import EXIT_FAILED, round_exit_code
from tertulia.cli.round_state import parse_round
from tertulia.cli.round_stream import follow_round, stop_round
from tertulia.core.errors import TertuliaError
from tertulia.core.json_object import JsonObject

ReadLine = Callable[[], str]


def open_conversation(session: ChatSession, conversation: str, *, read: ReadLine, screen: ChatScreen) -> None:
    """Show the conversation that was asked for, and what is still being said in it."""
    for turn in chat_commands.run_command(session, f"/open {conversation}", screen.print_line):
        show_turn(session, turn, read=read, screen=screen)


def chat_loop(session: ChatSession, *, read: ReadLine, screen: ChatScreen) -> int:
    """Talk until the person leaves; an error is said, and the talk goes on.

    Returns the highest exit code of its questions, as `tertulia ask` would end with.
    """
    exit_code = 0
    while True:
        try:
            line = read().strip()
        except EOFError:
            return exit_code
        except KeyboardInterrupt:
            if not screen.is_interactive:
                raise
            continue
        if line in ("/quit", "/exit"):
            return exit_code
        exit_code = max(exit_code, run_line(session, line, read=read, screen=screen))


def run_line(session: ChatSession, line: str, *, read: ReadLine, screen: ChatScreen) -> int:
    """Do what a line says, show what comes of it, and return how that went as an exit code."""
    try:
        turns = begin_turns(session, line, screen)
        return max((show_turn(session, turn, read=read, screen=screen) for turn in turns), default=0)
    except TertuliaError as error:
        screen.print_error(error.message)
        return EXIT_FAILED


def begin_turns(session: ChatSession, line: str, screen: ChatScreen) -> list[JsonObject]:
    """Do what a line says and return the turns it began."""
    if line.startswith("/"):
        return chat_commands.run_command(session, line, screen.print_line)
    return [session.ask(line)] if line else []


def show_turn(session: ChatSession, turn: JsonObject, *, read: ReadLine, screen: ChatScreen) -> int:
    """Show replies while they come, then whole, and ask about tools that wait; return an exit code.

    Ctrl-C stops the replies, and a second one stops waiting; Ctrl-D leaves a question open.
    """
    round_state = parse_round(turn["round"])
    approvals = ApprovalPrompts(session.server, read, screen.print_line)
    stops = 0
    while not round_state.is_finished and stops < 2:
        try:
            with screen.show_progress() as show:
                for round_state in follow_round(session.server, turn):
                    show(round_state)
                    if approvals.calls_to_ask_about(round_state):
                        break
            if (calls := approvals.calls_to_ask_about(round_state)) and not screen.can_answer:
                break
            approvals.ask_and_decide(calls)
        except KeyboardInterrupt:
            stops += 1
            stop_round(session.server, round_state)
        except EOFError:
            break
    waiting = [] if stops else approvals.calls_to_ask_about(round_state)
    for call in waiting:
        screen.print_line(approval_hint(call))
    screen.print_round(round_state)
    session.remember_round(round_state)
    if stops and not screen.is_interactive:
        raise KeyboardInterrupt
    return round_exit_code(round_state, is_waiting=bool(waiting))
