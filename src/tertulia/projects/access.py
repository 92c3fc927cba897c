"""Finding the projects of a workspace."""

from tertulia.core.errors import NotFound
from tertulia.infra.db import Tx, escape_like, fold_case, like_folded
from tertulia.projects import store
from tertulia.projects.domain import Project, ProjectStatus


def get(tx: Tx, project_id: str) -> Project:
    """Return a project of this workspace, or raise `NotFound`."""
    sql = "SELECT * FROM projects WHERE id = :id AND workspace_id = :workspace"
    if project := tx.one(Project, sql, id=project_id):
        return project
    raise NotFound("project")


def get_default(tx: Tx) -> Project:
    """Return the workspace's default project, made on first use."""
    sql = "SELECT * FROM projects WHERE workspace_id = :workspace AND is_default = 1"
    return tx.one(Project, sql) or get(tx, store.add(tx, "General", is_default=True))


def list_project_ids(tx: Tx) -> list[str]:
    """Return the ids of all projects of this workspace."""
    return tx.column("SELECT id FROM projects WHERE workspace_id = :workspace")


def list_page(tx: Tx, *, after: str, limit: int) -> list[Project]:
    """Return projects by id, newest first, that come after the one named."""
    return tx.all(
        Project,
        """SELECT * FROM projects WHERE workspace_id = :workspace AND (:after = '' OR id < :after)
           ORDER BY id DESC LIMIT :limit""",
        after=after,
        limit=limit,
    )


def find_by_text(tx: Tx, text: str, *, status: ProjectStatus | None, limit: int) -> list[Project]:
    """Return projects whose name or description has a text in it, newest first."""
    sql = f"""SELECT * FROM projects WHERE workspace_id = :workspace AND (:status = '' OR status = :status)
        AND ({like_folded("name", "text")} OR {like_folded("description", "text")})
        ORDER BY id DESC LIMIT :limit"""
    pattern = f"%{fold_case(escape_like(text.strip()))}%"
    return tx.all(Project, sql, text=pattern, status=status.value if status else "", limit=limit)
