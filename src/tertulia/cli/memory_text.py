"""Memories as people read them at a terminal and programs in a pipe."""

from collections.abc import Sequence

from tertulia.cli.memory_choice import MEMORY_ID_END_CHARS
from tertulia.cli.output import console, print_table, print_to_stderr
from tertulia.core.json_object import JsonObject

MEMORY_COLUMN_TITLES = ("Id", "Type", "Status", "Category", "Marked", "Memory")
MEMORY_MARK_FIELDS = ("pinned", "local_only")


def print_memories(memories: Sequence[JsonObject]) -> None:
    """Print memories as a table; in a pipe, with their whole ids."""
    id_chars = MEMORY_ID_END_CHARS if console().is_terminal else 0
    print_table(MEMORY_COLUMN_TITLES, (memory_row(memory, id_chars=id_chars) for memory in memories))


def memory_row(memory: JsonObject, *, id_chars: int) -> tuple[str, ...]:
    """Return a memory as a row, with so many characters of its id's end; 0 for all of them."""
    marks = [name for name in MEMORY_MARK_FIELDS if memory[name]]
    marks += ["shared"] if memory["project_id"] else []
    marks += ["review"] if memory["review_reason"] else []
    return (
        memory["id"][-id_chars:],
        memory["type"],
        memory["status"],
        memory["category"],
        ", ".join(marks),
        memory["content"],
    )


def show_with_quotes(memories: Sequence[JsonObject]) -> None:
    """Say what memories say, each with the words that it was taken from."""
    for memory in memories:
        print_to_stderr(f"{short_id(memory['id'])}  {memory['type']}: {on_one_line(memory['content'])}")
        if memory["evidence"]:
            print_to_stderr(f"{'':{MEMORY_ID_END_CHARS}}  “{on_one_line(memory['evidence']['quote'])}”")


def on_one_line(text: str) -> str:
    """Return a text that cannot pass for several memories."""
    return " ".join(text.split())


def say_superseded(memories: Sequence[JsonObject]) -> None:
    """Say which memories have taken the place of others, and how to take that back."""
    for memory in memories:
        if memory["supersedes"]:
            end = short_id(memory["id"])
            print_to_stderr(
                f"{end} takes the place of {short_id(memory['supersedes'])}; "
                f"`tertulia memory undo {end}` takes that back."
            )


def say_review_reasons(memories: Sequence[JsonObject]) -> None:
    """Say why memories are worth a second look, and how to say that one still holds."""
    for memory in memories:
        end = short_id(memory["id"])
        print_to_stderr(
            f"{end}: {on_one_line(memory['review_reason'])} "
            f"`tertulia memory confirm {end}` says that it still holds."
        )


def short_id(memory_id: str) -> str:
    """Return the end of an id, which is enough to name a memory."""
    return memory_id[-MEMORY_ID_END_CHARS:]


def memories_counted(count: int) -> str:
    """Return a number of memories in words."""
    return f"{count} {'memory' if count == 1 else 'memories'}"
