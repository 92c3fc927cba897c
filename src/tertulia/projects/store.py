"""Projects in the database."""

from dataclasses import replace
from typing import Any

from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx
from tertulia.projects.domain import Project


def add(tx: Tx, name: str, *, is_default: bool = False) -> Project:
    """Add an empty project."""
    project = tx.one(
        Project,
        """INSERT INTO projects (id, workspace_id, name, is_default, created_by, created_at, updated_at)
           VALUES (:id, :workspace, :name, :is_default, :me, :now, :now)
           ON CONFLICT DO NOTHING RETURNING *""",
        id=new_id("prj"),
        name=name,
        is_default=is_default,
        now=now(),
    )
    return project or get_default(tx)


def get(tx: Tx, project_id: str) -> Project:
    """Return a project of this workspace, or raise `NotFound`."""
    sql = "SELECT * FROM projects WHERE id = :id AND workspace_id = :workspace"
    if project := tx.one(Project, sql, id=project_id):
        return project
    raise NotFound("project")


def get_default(tx: Tx) -> Project:
    """Return the workspace's default project, made on first use."""
    sql = "SELECT * FROM projects WHERE workspace_id = :workspace AND is_default = 1"
    return tx.one(Project, sql) or add(tx, "General", is_default=True)


def list_page(tx: Tx, *, after: str, limit: int) -> list[Project]:
    """Return projects by id, newest first, that come after the one named."""
    return tx.all(
        Project,
        """SELECT * FROM projects WHERE workspace_id = :workspace AND (:after = '' OR id < :after)
           ORDER BY id DESC LIMIT :limit""",
        after=after,
        limit=limit,
    )


def change(tx: Tx, project_id: str, values: dict[str, Any]) -> Project:
    """Set the given columns of a project, and of its settings those given, and return it."""
    project = get(tx, project_id)
    if "settings" in values:
        values = values | {"settings": replace(project.settings, **values["settings"])}
    sets = "".join(f", {column} = :{column}" for column in values)
    tx.run(
        f"UPDATE projects SET updated_at = :now{sets} WHERE id = :id AND workspace_id = :workspace",
        id=project.id,
        now=now(),
        **values,
    )
    return get(tx, project_id)


def delete(tx: Tx, project_id: str) -> None:
    """Delete a project with all that belongs to it."""
    tx.run("DELETE FROM projects WHERE id = :id AND workspace_id = :workspace", id=project_id)
