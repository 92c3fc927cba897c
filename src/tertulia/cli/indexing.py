"""Watching a project being indexed."""

import time
from collections.abc import Sequence
from typing import Any

from tertulia.cli.client import Client
from tertulia.cli.output import Meter, note

LOOK_SECONDS = 0.4
#: When the meanings come no further for so long, everything else has been done.
PATIENCE_SECONDS = 120.0


def wait_for_index(
    server: Client, projects: Sequence[str], *, show: Meter, patience: float = PATIENCE_SECONDS
) -> dict[str, int]:
    """Wait until all of some projects can be found, and return how far they came.

    Who does not want to wait may leave: the server goes on by itself.
    """
    seen, since = -1, time.monotonic()
    while True:
        state = summed([server.get(f"/api/projects/{one}/index") for one in projects])
        done = state["ready"] + state["failed"]
        show("Indexing", done, state["total"])
        if done == state["total"]:
            return state
        if done != seen or state["waiting"]:
            seen, since = done, time.monotonic()
        elif time.monotonic() - since > patience:
            note(f"The meaning of {state['chunked']} texts is still being worked out; words find them now.")
            return state
        time.sleep(LOOK_SECONDS)


def summed(states: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Return how far some projects are, all together."""
    names = ("waiting", "chunked", "ready", "failed", "total", "chunks")
    return {name: sum(int(state[name]) for state in states) for name in names}


def problems_of(server: Client, project_id: str) -> list[str]:
    """Return a sentence for each text of a project that cannot be read, or not whole."""
    found = server.get(f"/api/projects/{project_id}/index")["problems"]
    return [f"{one['path'] or one['source_id']}: {one['problem']}" for one in found]
