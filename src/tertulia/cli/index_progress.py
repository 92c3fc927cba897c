"""Watching a project being indexed."""

import time
from collections.abc import Sequence

from tertulia.cli.client import ApiClient
from tertulia.cli.output import ProgressCallback, print_to_stderr
from tertulia.core.json_object import JsonObject

INDEX_POLL_SECONDS = 0.4
#: When the meanings come no further for so long, everything else has been done.
INDEX_STALL_SECONDS = 120.0


def wait_for_index(
    server: ApiClient,
    projects: Sequence[str],
    *,
    report_progress: ProgressCallback,
    stall_seconds: float = INDEX_STALL_SECONDS,
) -> dict[str, int]:
    """Wait until all of some projects can be found, and return how far they came.

    Who does not want to wait may leave: the server goes on by itself.
    """
    seen, since = -1, time.monotonic()
    while True:
        state = sum_index_states([server.get(f"/api/projects/{project}/index") for project in projects])
        done = state["ready"] + state["failed"]
        report_progress("Indexing", done, state["total"])
        if done == state["total"]:
            return state
        if done != seen or state["waiting"]:
            seen, since = done, time.monotonic()
        elif time.monotonic() - since > stall_seconds:
            print_to_stderr(
                f"The meaning of {state['chunked']} texts is still being worked out; words find them now."
            )
            return state
        time.sleep(INDEX_POLL_SECONDS)


def sum_index_states(states: Sequence[JsonObject]) -> dict[str, int]:
    """Return how far some projects are, all together."""
    names = ("waiting", "chunked", "ready", "failed", "total", "chunks")
    return {name: sum(int(state[name]) for state in states) for name in names}


def list_index_problems(server: ApiClient, project_id: str) -> list[str]:
    """Return a sentence for each text of a project that cannot be read, or not whole."""
    found = server.get(f"/api/projects/{project_id}/index")["problems"]
    return [f"{problem['path'] or problem['source_id']}: {problem['problem']}" for problem in found]
