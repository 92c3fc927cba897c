"""Projects over HTTP; deleting one takes its conversations along and so lives with those."""

from typing import Annotated

from fastapi import Query

from tertulia.core.principal import Role
from tertulia.infra.db import Tx
from tertulia.infra.http.body_limits import body_limit, long_text_limit
from tertulia.infra.http.dependencies import Db, Log
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import omit_unset
from tertulia.projects import access, brief_versions, service
from tertulia.projects.brief_versions import BriefVersion
from tertulia.projects.schemas import (
    BriefVersionPage,
    BriefVersionView,
    NewProject,
    ProjectChange,
    ProjectPage,
    ProjectView,
)

router = Router(prefix="/api", tags=["projects"])


@router.get("/projects")
async def list_projects(
    me: Me,
    db: Db,
    after: Annotated[str, Query(max_length=60)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> ProjectPage:
    """List the workspace's projects, newest first; there is always the default one."""
    found = await db.read(lambda tx: access.list_page(tx, after=after, limit=limit + 1), by=me)
    if not found and not after and me.role.covers(Role.MEMBER):
        found = [await db.write(access.get_default, by=me)]
    more = found[limit - 1].id if len(found) > limit else None
    return ProjectPage(projects=[ProjectView.model_validate(project) for project in found[:limit]], next=more)


@router.post("/projects", status_code=201)
@body_limit(long_text_limit(3))
async def create_project(body: NewProject, me: Member, db: Db, log: Log) -> ProjectView:
    """Make a project."""
    values = body.model_dump(exclude={"name"})
    made = await db.write(lambda tx: service.create(tx, body.name, values, log=log), by=me)
    return ProjectView.model_validate(made)


@router.get("/projects/{project_id}")
async def get_project(project_id: str, me: Me, db: Db) -> ProjectView:
    """Return a project."""
    return ProjectView.model_validate(await db.read(lambda tx: access.get(tx, project_id), by=me))


@router.put("/projects/{project_id}")
@body_limit(long_text_limit(3))
async def change_project(project_id: str, body: ProjectChange, me: Member, db: Db, log: Log) -> ProjectView:
    """Change a project; fields that are left out stay as they are, and so do settings."""
    values = omit_unset(body)
    changed = await db.write(lambda tx: service.change(tx, project_id, values, log=log), by=me)
    return ProjectView.model_validate(changed)


@router.get("/projects/{project_id}/brief-versions")
async def list_brief_versions(
    project_id: str,
    me: Me,
    db: Db,
    after: Annotated[str, Query(max_length=60)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> BriefVersionPage:
    """List what a project's brief was before, the newest first."""

    def read(tx: Tx) -> list[BriefVersion]:
        project = access.get(tx, project_id)
        return brief_versions.list_page(tx, project.id, after=after, limit=limit + 1)

    found = await db.read(read, by=me)
    more = found[limit - 1].id if len(found) > limit else None
    views = [BriefVersionView.model_validate(version) for version in found[:limit]]
    return BriefVersionPage(versions=views, next=more)


@router.post("/projects/{project_id}/brief-versions/{version_id}/restore")
async def restore_brief_version(
    project_id: str, version_id: str, me: Member, db: Db, log: Log
) -> ProjectView:
    """Let a project have an earlier brief again; the one it has now is kept as an earlier version."""
    restored = await db.write(lambda tx: service.restore_brief(tx, project_id, version_id, log=log), by=me)
    return ProjectView.model_validate(restored)
