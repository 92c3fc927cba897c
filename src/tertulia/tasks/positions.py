"""The order that people give to tasks: a new place is made between two others."""

from tertulia.infra.db import Tx
from tertulia.tasks import access, store
from tertulia.tasks.domain import Task
from tertulia.tasks.store import POSITION_STEP


def find_end(tx: Tx) -> int:
    """Return the place after all tasks that the caller may see."""
    last = store.find_last_position(tx)
    return POSITION_STEP if last is None else last + POSITION_STEP


def find_place(tx: Tx, after: Task | None, *, moved_id: str = "") -> int:
    """Return the place right after a task, or before all others."""
    if after is None:
        first = store.find_first_position(tx)
        return POSITION_STEP if first is None else first - POSITION_STEP
    place = _find_room(tx, after, moved_id=moved_id)
    if place is None:
        store.renumber(tx)
        place = _find_room(tx, access.get(tx, after.id), moved_id=moved_id)
    return after.position if place is None else place


def _find_room(tx: Tx, after: Task, *, moved_id: str) -> int | None:
    """Return a place between a task and the next one; None where there is no room."""
    following = store.find_position_after(tx, after, except_id=moved_id)
    if following is None:
        return after.position + POSITION_STEP
    place = (after.position + following) // 2
    return place if after.position < place < following else None
