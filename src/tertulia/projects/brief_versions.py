"""What a project's brief was before: kept when it is replaced, so that nobody's words are lost to a model."""

from dataclasses import dataclass
from datetime import datetime

from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx
from tertulia.projects.domain import Project

#: Older ones than so many are let go.
BRIEF_VERSIONS_MAX = 100


@dataclass(frozen=True, slots=True)
class BriefVersion:
    """An earlier brief: when it was replaced, for whom, and by whom (`person`, or `agent:` and a model)."""

    id: str
    project_id: str
    brief: str
    replaced_by: str
    made_by: str
    replaced_at: datetime


def keep_version(tx: Tx, project: Project, *, made_by: str) -> None:
    """Keep the brief that a project has, as it is about to be replaced; an empty one is nothing to keep."""
    if not project.brief:
        return
    tx.run(
        """INSERT INTO brief_versions (id, workspace_id, project_id, brief, replaced_by, made_by, replaced_at)
           VALUES (:id, :workspace, :project, :brief, :me, :made_by, :now)""",
        id=new_id("brv"),
        project=project.id,
        brief=project.brief,
        made_by=made_by,
        now=now(),
    )
    tx.run(
        """DELETE FROM brief_versions WHERE project_id = :project AND workspace_id = :workspace AND id < (
             SELECT min(id) FROM (SELECT id FROM brief_versions
               WHERE project_id = :project AND workspace_id = :workspace
               ORDER BY id DESC LIMIT :most) AS kept)""",
        project=project.id,
        most=BRIEF_VERSIONS_MAX,
    )


def list_page(tx: Tx, project_id: str, *, after: str, limit: int) -> list[BriefVersion]:
    """Return earlier briefs of a project, the newest first, that come after the one named."""
    return tx.all(
        BriefVersion,
        """SELECT * FROM brief_versions WHERE project_id = :project AND workspace_id = :workspace
           AND (:after = '' OR id < :after) ORDER BY id DESC LIMIT :limit""",
        project=project_id,
        after=after,
        limit=limit,
    )


def get_version(tx: Tx, project_id: str, version_id: str) -> BriefVersion:
    """Return an earlier brief of a project, or raise `NotFound`."""
    sql = """SELECT * FROM brief_versions WHERE id = :id AND project_id = :project
        AND workspace_id = :workspace"""
    if version := tx.one(BriefVersion, sql, id=version_id, project=project_id):
        return version
    raise NotFound("brief version")
