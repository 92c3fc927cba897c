"""Reading what a person types in a chat, with a history that is kept."""

from collections.abc import Callable, Sequence
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import NestedCompleter
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from tertulia.cli.chat_commands import CHAT_COMMANDS

COMMANDS_WITH_MODEL = ("add", "drop", "merge", "judge", "regen", "continue")


def line_reader(folder: Path, models: Sequence[str]) -> Callable[[], str]:
    """Return what asks for the next line; it raises `EOFError` at Ctrl-D."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    kept = folder / "history"
    kept.touch(mode=0o600)
    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(kept)), completer=completer(models), key_bindings=key_bindings()
    )
    return lambda: session.prompt("> ", complete_while_typing=False)


def completer(models: Sequence[str]) -> NestedCompleter:
    """Complete commands and, after those that take one, models."""
    names = dict.fromkeys(models)
    after = {f"/{name}": names if name in COMMANDS_WITH_MODEL else None for name in (*CHAT_COMMANDS, "quit")}
    after["/policy"] = dict.fromkeys(("everyone", "own", "chosen"))
    return NestedCompleter.from_nested_dict(after)


def key_bindings() -> KeyBindings:
    """Let Alt-Enter begin a new line."""
    bindings = KeyBindings()

    def new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    bindings.add("escape", "enter")(new_line)
    return bindings
