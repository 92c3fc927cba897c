"""The phases of a project over HTTP."""

from typing import Annotated

from fastapi import Query

from tertulia.infra.http.dependencies import Db, Log
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import omit_unset
from tertulia.infra.undo.schemas import DeletionView
from tertulia.tasks import phase_service
from tertulia.tasks.deletion import delete_phase_with_undo
from tertulia.tasks.phase_schemas import NewPhaseBody, PhaseChange, PhaseMove, PhasePage, PhaseView

router = Router(prefix="/api/projects/{project_id}/phases", tags=["tasks"])


@router.get("")
async def list_phases(
    project_id: str,
    me: Me,
    db: Db,
    after: Annotated[str, Query(max_length=60)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> PhasePage:
    """List the phases of a project in their order, with how far each has come."""
    found = await db.read(
        lambda tx: phase_service.list_page(tx, project_id, after=after, limit=limit + 1), by=me
    )
    more = found[limit - 1].id if len(found) > limit else None
    return PhasePage(phases=[PhaseView.model_validate(phase) for phase in found[:limit]], next=more)


@router.post("", status_code=201)
async def create_phase(project_id: str, body: NewPhaseBody, me: Member, db: Db, log: Log) -> PhaseView:
    """Make a phase at the end of a project."""
    made = await db.write(lambda tx: phase_service.create(tx, project_id, body.to_phase(), log=log), by=me)
    return PhaseView.model_validate(made)


@router.put("/{phase_id}")
async def change_phase(
    project_id: str, phase_id: str, body: PhaseChange, me: Member, db: Db, log: Log
) -> PhaseView:
    """Change a phase; fields that are left out stay as they are."""
    values = omit_unset(body)
    changed = await db.write(
        lambda tx: phase_service.change(tx, project_id, phase_id, values, log=log), by=me
    )
    return PhaseView.model_validate(changed)


@router.delete("/{phase_id}")
async def delete_phase(project_id: str, phase_id: str, me: Member, db: Db, log: Log) -> DeletionView:
    """Delete a phase, whose tasks stay, with a short time in which you can restore it."""
    deletion = await db.write(lambda tx: delete_phase_with_undo(tx, project_id, phase_id, log=log), by=me)
    return DeletionView.model_validate(deletion)


@router.post("/{phase_id}/move")
async def move_phase(
    project_id: str, phase_id: str, body: PhaseMove, me: Member, db: Db, log: Log
) -> PhaseView:
    """Put a phase right after another of its project, or before all."""
    moved = await db.write(
        lambda tx: phase_service.move(tx, project_id, phase_id, after=body.after, log=log), by=me
    )
    return PhaseView.model_validate(moved)
