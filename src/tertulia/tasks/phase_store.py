"""Phases in the database."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

from tertulia.core.clock import now
from tertulia.infra.db import Tx, bound_rows
from tertulia.tasks.domain import Phase

#: How far a phase has come is counted when it is read.
PHASE_COLUMNS = """id, project_id, name, description, start_date, end_date, position,
    (SELECT count(*) FROM tasks AS t WHERE t.phase_id = phases.id AND t.project_id = phases.project_id
      AND t.deleted_at IS NULL) AS task_count,
    (SELECT count(*) FROM tasks AS t WHERE t.phase_id = phases.id AND t.project_id = phases.project_id
      AND t.deleted_at IS NULL AND t.status = 'done') AS done_count"""
VISIBLE_SQL = "workspace_id = :workspace AND deleted_at IS NULL"
#: More than anybody asks for at once.
ALL_PHASES = 1_000_000


def add(tx: Tx, phase: Phase) -> None:
    """Store a phase."""
    values = asdict(phase) | {"now": now()}
    tx.run(
        """INSERT INTO phases (id, workspace_id, project_id, name, description, start_date, end_date,
             position, created_at, changed_at)
           VALUES (:id, :workspace, :project_id, :name, :description, :start_date, :end_date, :position,
             :now, :now)""",
        **{name: value for name, value in values.items() if name not in ("task_count", "done_count")},
    )


def change(tx: Tx, phase_id: str, values: Mapping[str, object]) -> None:
    """Set columns of a phase."""
    sets = "".join(f", {column} = :{column}" for column in values)
    sql = f"UPDATE phases SET changed_at = :now{sets} WHERE id = :id AND workspace_id = :workspace"
    tx.run(sql, id=phase_id, now=now(), **values)


def hide(tx: Tx, phase_id: str, *, deleted_at: datetime | None) -> None:
    """Let nobody see a phase any more, or let it be seen again."""
    sql = "UPDATE phases SET deleted_at = :deleted_at WHERE id = :id AND workspace_id = :workspace"
    tx.run(sql, id=phase_id, deleted_at=deleted_at)


def delete(tx: Tx, phase_id: str) -> None:
    """Delete a phase for good."""
    tx.run("DELETE FROM phases WHERE id = :id AND workspace_id = :workspace", id=phase_id)


def find(tx: Tx, phase_id: str) -> Phase | None:
    """Return a phase of this workspace."""
    return tx.one(Phase, f"SELECT {PHASE_COLUMNS} FROM phases WHERE id = :id AND {VISIBLE_SQL}", id=phase_id)


def list_page(tx: Tx, project_id: str, *, after: Phase | None, limit: int | None) -> list[Phase]:
    """Return phases of a project in their order, after one of them."""
    sql = f"""SELECT {PHASE_COLUMNS} FROM phases WHERE project_id = :project AND {VISIBLE_SQL}
        AND (:after = '' OR (position, id) > (:position, :after)) ORDER BY position, id LIMIT :limit"""
    place = {"after": after.id if after else "", "position": after.position if after else 0}
    return tx.all(Phase, sql, project=project_id, limit=limit or ALL_PHASES, **place)


def place(tx: Tx, phase_ids: Sequence[str]) -> None:
    """Number phases in this order."""
    tx.run(
        f"""UPDATE phases SET position = named.position + 1
            FROM {bound_rows("rows", "phase_id")} AS named
            WHERE phases.id = named.phase_id AND phases.workspace_id = :workspace""",
        rows=[[phase_id] for phase_id in phase_ids],
    )


def find_end(tx: Tx, project_id: str) -> int:
    """Return the place after all phases of a project, those that may be restored included."""
    sql = """SELECT coalesce(max(position), 0) + 1 FROM phases
        WHERE project_id = :project AND workspace_id = :workspace"""
    return tx.value(sql, project=project_id)
