"""Making and changing projects, so that every member sees it."""

from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.live.member_topics import publish_to_members
from tertulia.projects import access, store
from tertulia.projects.domain import Project
from tertulia.projects.events import ProjectChanged, ProjectDeleted


def create(tx: Tx, name: str, values: JsonObject, *, log: EventLog) -> Project:
    """Make a project with the given columns."""
    return change(tx, store.add(tx, name), values, log=log)


def change(tx: Tx, project_id: str, values: JsonObject, *, log: EventLog) -> Project:
    """Set the given columns of a project."""
    project = access.get(tx, project_id)
    store.change(tx, project, values)
    publish_to_members(tx, ProjectChanged(project.id), log=log)
    return access.get(tx, project_id)


def delete(tx: Tx, project_id: str, *, log: EventLog) -> None:
    """Delete a project with all that belongs to it."""
    store.delete(tx, project_id)
    publish_to_members(tx, ProjectDeleted(project_id), log=log)
