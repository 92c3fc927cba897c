"""Workspaces: their settings, making more of them, and what was done in one."""

from typing import Annotated

from fastapi import Query

from tertulia.accounts import audit, users, workspaces
from tertulia.accounts.routes.account_router import account_router
from tertulia.accounts.schemas import WorkspaceList, WorkspaceRef
from tertulia.accounts.workspace_schemas import (
    AuditEntryView,
    AuditPage,
    WorkspaceBody,
    WorkspaceChange,
    WorkspaceView,
)
from tertulia.core.principal import Role
from tertulia.infra.http.dependencies import Db
from tertulia.infra.http.identity import Admin, Me, Owner
from tertulia.infra.http.schema import omit_unset

router = account_router()


@router.get("/workspace")
async def get_workspace(me: Admin, db: Db) -> WorkspaceView:
    """Show the workspace with its settings."""
    return WorkspaceView.model_validate(await db.read(workspaces.get_current, by=me))


@router.patch("/workspace")
async def change_workspace(body: WorkspaceChange, me: Admin, db: Db) -> WorkspaceView:
    """Rename the workspace or change some of its settings."""
    decided = omit_unset(body.settings) if body.settings else {}
    changed = await db.write(
        lambda tx: workspaces.change_workspace(tx, name=body.name, changed_settings=decided), by=me
    )
    return WorkspaceView.model_validate(changed)


@router.get("/workspaces")
async def list_workspaces(me: Me, db: Db) -> WorkspaceList:
    """List the workspaces one can go to."""
    profile = await db.read(lambda tx: users.get_profile(tx, me), by=None)
    return WorkspaceList(items=[WorkspaceRef.of(workspace) for workspace in profile.workspaces])


@router.post("/workspaces", status_code=201)
async def create_workspace(body: WorkspaceBody, me: Owner, db: Db) -> WorkspaceRef:
    """Make another workspace, which one owns; only owners can."""
    made = await workspaces.create(body.name, by=me, db=db)
    return WorkspaceRef(id=made.id, name=made.name, role=Role.OWNER)


@router.get("/audit")
async def list_audit(
    me: Admin,
    db: Db,
    after: Annotated[str | None, Query(max_length=64)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> AuditPage:
    """List what was done in the workspace, the newest first."""
    found = await db.read(lambda tx: audit.list_newest(tx, after=after, limit=limit + 1), by=me)
    page = found[:limit]
    return AuditPage(
        items=[AuditEntryView.model_validate(audit_entry) for audit_entry in page],
        next=page[-1].id if len(found) > limit else None,
    )
