"""What can be done with the phases of a project."""

from dataclasses import asdict

from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Role
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.projects import access as projects
from tertulia.tasks import phase_access, phase_store
from tertulia.tasks.domain import NewPhase, Phase
from tertulia.tasks.errors import DatesReversed, TaskUnfit
from tertulia.tasks.events import publish_change


def create(tx: Tx, project_id: str, new: NewPhase, *, log: EventLog) -> Phase:
    """Make a phase at the end of a project."""
    tx.by.require(Role.MEMBER)
    project = projects.get(tx, project_id)
    phase = Phase(
        id=new_id("phs"),
        project_id=project.id,
        position=phase_store.find_end(tx, project.id),
        task_count=0,
        done_count=0,
        **asdict(new),
    )
    _check_days(phase)
    phase_store.add(tx, phase)
    publish_change(tx, project.id, log=log)
    return phase_access.get(tx, phase.id)


def change(tx: Tx, project_id: str, phase_id: str, values: JsonObject, *, log: EventLog) -> Phase:
    """Set fields of a phase."""
    tx.by.require(Role.MEMBER)
    phase = phase_access.get_in_project(tx, project_id, phase_id)
    phase_store.change(tx, phase.id, values)
    changed = phase_access.get(tx, phase.id)
    _check_days(changed)
    publish_change(tx, phase.project_id, log=log)
    return changed


def move(tx: Tx, project_id: str, phase_id: str, *, after: str | None, log: EventLog) -> Phase:
    """Put a phase right after another of its project, or before all."""
    tx.by.require(Role.MEMBER)
    phase = phase_access.get_in_project(tx, project_id, phase_id)
    if after == phase.id:
        raise TaskUnfit("A phase cannot come after itself.")
    others = [other.id for other in phase_access.list_phases(tx, project_id) if other.id != phase.id]
    place = others.index(phase_access.get_in_project(tx, project_id, after).id) + 1 if after else 0
    phase_store.place(tx, [*others[:place], phase.id, *others[place:]])
    publish_change(tx, phase.project_id, log=log)
    return phase_access.get(tx, phase.id)


def list_page(tx: Tx, project_id: str, *, after: str, limit: int) -> list[Phase]:
    """Return phases of a project in their order, after the one named."""
    project = projects.get(tx, project_id)
    last = phase_access.get_in_project(tx, project.id, after) if after else None
    return phase_store.list_page(tx, project.id, after=last, limit=limit)


def _check_days(phase: Phase) -> None:
    if phase.start_date and phase.end_date and phase.start_date > phase.end_date:
        raise DatesReversed
