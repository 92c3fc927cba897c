"""Workspaces and what each decides for its members."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tertulia.accounts import audit, members
from tertulia.accounts.domain import Workspace, WorkspaceSettings
from tertulia.accounts.errors import WorkspaceUnclear
from tertulia.core import clock
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx, bound_list

FIRST_WORKSPACE_NAME = "My workspace"


def get_settings(tx: Tx) -> WorkspaceSettings:
    """Return what the principal's workspace decided."""
    return get_current(tx).settings


def get_current(tx: Tx) -> Workspace:
    """Return the principal's workspace."""
    return get(tx, tx.by.workspace_id)


def get(tx: Tx, workspace_id: str) -> Workspace:
    """Return a workspace, or raise `NotFound`."""
    workspace = tx.one(Workspace, "SELECT * FROM workspaces WHERE id = :id", id=workspace_id)
    if workspace is None:
        raise NotFound("workspace")
    return workspace


def has_current(tx: Tx) -> bool:
    """Tell whether the principal's workspace is still there."""
    return tx.value("SELECT 1 FROM workspaces WHERE id = :workspace") is not None


def only_workspace_id(tx: Tx) -> str | None:
    """Return the one workspace of the server, or None while there is none; raise when there are more."""
    ids: list[str] = tx.column("SELECT id FROM workspaces LIMIT 2")
    if len(ids) > 1:
        raise WorkspaceUnclear
    return ids[0] if ids else None


def add(tx: Tx, name: str) -> Workspace:
    """Add a workspace, still without members."""
    workspace = Workspace(new_id("wsp"), name, WorkspaceSettings(), clock.now())
    tx.run(
        """INSERT INTO workspaces (id, name, settings, created_at)
           VALUES (:id, :name, :settings, :created_at)""",
        id=workspace.id,
        name=workspace.name,
        settings=workspace.settings,
        created_at=workspace.created_at,
    )
    return workspace


def delete_workspaces(tx: Tx, workspace_ids: Sequence[str]) -> None:
    """Delete workspaces with all that is left in them."""
    tx.run(f"DELETE FROM workspaces WHERE id IN {bound_list('ids')}", ids=list(workspace_ids))


def change_workspace(tx: Tx, *, name: str | None, changed_settings: Mapping[str, object]) -> Workspace:
    """Rename the principal's workspace and change the settings given; the others stay."""
    before = get_current(tx)
    after = replace(before, name=name or before.name, settings=replace(before.settings, **changed_settings))
    tx.run(
        "UPDATE workspaces SET name = :name, settings = :settings WHERE id = :workspace",
        name=after.name,
        settings=after.settings,
    )
    changed = sorted(changed_settings) + (["name"] if name else [])
    audit.record(tx, "workspace_changed", subject_id=after.id, detail={"changed": changed})
    return after


async def create(name: str, *, by: Principal, db: Database) -> Workspace:
    """Add a workspace that the principal owns; only owners may, as a new one has no limits yet."""
    by.require(Role.OWNER)

    def write(tx: Tx) -> Workspace:
        workspace = add(tx, name)
        members.add(tx, workspace_id=workspace.id, user_id=by.user_id, role=Role.OWNER)
        audit.record_as(
            tx,
            "workspace_created",
            workspace_id=workspace.id,
            actor_id=by.user_id,
            subject_id=workspace.id,
        )
        return workspace

    return await db.write(write, by=None)
