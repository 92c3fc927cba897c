"""What took the place of a statement that a passage quotes, as it is remembered: it is told beside it."""

from collections.abc import Sequence
from dataclasses import replace

from tertulia.context.domain import RecalledPassage
from tertulia.infra.db import Tx
from tertulia.memories.prompt_memories import RememberedChange, find_remembered_changes


def note_superseded_statements(
    tx: Tx, found: Sequence[RecalledPassage], *, project_id: str | None
) -> tuple[RecalledPassage, ...]:
    """Return passages that tell what is remembered in the place of what they quote."""
    said = [recalled.passage.source_id for recalled in found if not recalled.passage.path]
    later = find_remembered_changes(tx, said, project_id=project_id) if said else []
    return tuple(_with_notes(recalled, later) for recalled in found) if later else tuple(found)


def _with_notes(recalled: RecalledPassage, later: Sequence[RememberedChange]) -> RecalledPassage:
    """Return a passage with what took the place of its words, as far as it does not say so itself."""
    known = f"{recalled.text}\n{recalled.note}"
    new = [
        statement
        for statement in later
        if statement.message_id == recalled.passage.source_id
        and statement.quote in recalled.text
        and statement.memory.content not in known
    ]
    notes = dict.fromkeys(write_remembered_change(statement) for statement in new)
    return replace(
        recalled,
        note=" ".join(filter(None, (recalled.note, *notes))),
        local_only=recalled.local_only or any(statement.memory.local_only for statement in new),
    )


def write_remembered_change(statement: RememberedChange) -> str:
    """Return what was said later as it stands beside a passage."""
    return f"[Later: {' '.join(statement.memory.content.split())}]"
