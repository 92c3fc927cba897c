"""What a workspace says about single tools: whether they are offered, and what they may do."""

from dataclasses import dataclass

from tertulia.infra.db import Tx
from tertulia.tools.domain import Effect


@dataclass(frozen=True, slots=True)
class ToolSwitch:
    """What a workspace says about one tool."""

    name: str
    enabled: bool
    effect: Effect | None


def read_switches(tx: Tx) -> dict[str, ToolSwitch]:
    """Return what the workspace says about single tools."""
    rows = tx.all(ToolSwitch, "SELECT * FROM tool_switches WHERE workspace_id = :workspace")
    return {row.name: row for row in rows}


def put_switch(tx: Tx, switch: ToolSwitch) -> None:
    """Keep what the workspace says about a tool."""
    sql = """INSERT INTO tool_switches (workspace_id, name, enabled, effect)
        VALUES (:workspace, :name, :enabled, :effect)
        ON CONFLICT (workspace_id, name) DO UPDATE SET enabled = excluded.enabled, effect = excluded.effect"""
    tx.run(sql, name=switch.name, enabled=switch.enabled, effect=switch.effect)
