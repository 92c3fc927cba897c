"""The phases of a workspace's projects, fetched and authorised in one step."""

from tertulia.core.errors import NotFound
from tertulia.infra.db import Tx
from tertulia.projects import access as projects
from tertulia.tasks import phase_store
from tertulia.tasks.domain import Phase


def get(tx: Tx, phase_id: str) -> Phase:
    """Return a phase of this workspace, or raise `NotFound`."""
    if phase := phase_store.find(tx, phase_id):
        return phase
    raise NotFound("phase")


def get_in_project(tx: Tx, project_id: str, phase_id: str) -> Phase:
    """Return a phase of a project, or raise `NotFound`."""
    project = projects.get(tx, project_id)
    phase = get(tx, phase_id)
    if phase.project_id != project.id:
        raise NotFound("phase")
    return phase


def list_phases(tx: Tx, project_id: str) -> list[Phase]:
    """Return all phases of a project in their order."""
    return phase_store.list_page(tx, projects.get(tx, project_id).id, after=None, limit=None)
