"""Making and changing projects, so that every member sees it."""

from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.live.member_topics import publish_to_members
from tertulia.projects import access, store
from tertulia.projects.brief_versions import get_version, keep_version
from tertulia.projects.domain import Project
from tertulia.projects.events import ProjectChanged, ProjectDeleted

#: Who wrote a brief, where no model did.
MADE_BY_PERSON = "person"


def create(tx: Tx, name: str, values: JsonObject, *, log: EventLog) -> Project:
    """Make a project with the given columns."""
    return change(tx, store.add(tx, name), values, log=log)


def change(
    tx: Tx, project_id: str, values: JsonObject, *, log: EventLog, made_by: str = MADE_BY_PERSON
) -> Project:
    """Set the given columns of a project; a brief that is replaced is kept as an earlier version."""
    project = access.get(tx, project_id)
    if values.get("brief", project.brief) != project.brief:
        keep_version(tx, project, made_by=made_by)
    store.change(tx, project, values)
    publish_to_members(tx, ProjectChanged(project.id), log=log)
    return access.get(tx, project_id)


def restore_brief(tx: Tx, project_id: str, version_id: str, *, log: EventLog) -> Project:
    """Let a project have an earlier brief again; the one it has becomes an earlier version itself."""
    version = get_version(tx, access.get(tx, project_id).id, version_id)
    return change(tx, project_id, {"brief": version.brief}, log=log)


def delete(tx: Tx, project_id: str, *, log: EventLog) -> None:
    """Delete a project with all that belongs to it."""
    store.delete(tx, project_id)
    publish_to_members(tx, ProjectDeleted(project_id), log=log)
