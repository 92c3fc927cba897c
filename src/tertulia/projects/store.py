"""Projects in the database, as they are written."""

from dataclasses import replace

from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx
from tertulia.projects.domain import Project


def add(tx: Tx, name: str, *, is_default: bool = False) -> str:
    """Add an empty project, and return its id."""
    project_id = new_id("prj")
    tx.run(
        """INSERT INTO projects (id, workspace_id, name, is_default, created_by, created_at, updated_at)
           VALUES (:id, :workspace, :name, :is_default, :me, :now, :now)""",
        id=project_id,
        name=name,
        is_default=is_default,
        now=now(),
    )
    return project_id


def change(tx: Tx, project: Project, values: JsonObject) -> None:
    """Set the given columns of a project, and of its settings those given."""
    if "settings" in values:
        values = values | {"settings": replace(project.settings, **values["settings"])}
    sets = "".join(f", {column} = :{column}" for column in values)
    tx.run(
        f"UPDATE projects SET updated_at = :now{sets} WHERE id = :id AND workspace_id = :workspace",
        id=project.id,
        now=now(),
        **values,
    )


def delete(tx: Tx, project_id: str) -> None:
    """Delete a project with all that belongs to it."""
    tx.run("DELETE FROM projects WHERE id = :id AND workspace_id = :workspace", id=project_id)
