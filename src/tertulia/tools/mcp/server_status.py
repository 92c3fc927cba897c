"""How tool servers stand, stored by the process that met each of them last."""

from dataclasses import dataclass
from enum import StrEnum

from tertulia.infra.db import Tx
from tertulia.tools.store import ServerRow

PROBLEM_MAX_CHARS = 1_000


class ToolServerStatus(StrEnum):
    """How a server stands, as far as we know."""

    UNKNOWN = "unknown"
    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class ToolServerState:
    """How one server stands, and why."""

    id: str
    status: ToolServerStatus
    problem: str


def list_states(tx: Tx) -> dict[str, ToolServerState]:
    """Return how the workspace's servers stand, by their ids."""
    sql = "SELECT id, status, problem FROM tool_servers WHERE workspace_id = :workspace"
    return {state.id: state for state in tx.all(ToolServerState, sql)}


def store_state(tx: Tx, row: ServerRow, status: ToolServerStatus, problem: str = "") -> None:
    """Keep how a server stands, if it is still reached as it was."""
    tx.run(
        """UPDATE tool_servers SET status = :status, problem = :problem
           WHERE id = :id AND workspace_id = :workspace
           AND command = :command AND arguments = :arguments AND url = :url""",
        id=row.id,
        command=row.command,
        arguments=row.arguments,
        url=row.url,
        status=status,
        problem=problem[:PROBLEM_MAX_CHARS],
    )
