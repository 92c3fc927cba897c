"""Projects on the wire."""

from tertulia.infra.http.schema import CursorPage, LongText, Schema, ShortText, Timestamp
from tertulia.projects.domain import ProjectStatus
from tertulia.projects.views import ProjectSettingsView


class NewProject(Schema):
    """A project to be made."""

    name: ShortText
    description: LongText = ""
    brief: LongText = ""
    instructions: LongText = ""
    status: ProjectStatus = ProjectStatus.ACTIVE
    settings: ProjectSettingsView = ProjectSettingsView()


class ProjectChange(Schema):
    """What to change; fields that are left out stay as they are, those of `settings` too."""

    name: ShortText = ""
    description: LongText = ""
    brief: LongText = ""
    instructions: LongText = ""
    status: ProjectStatus = ProjectStatus.ACTIVE
    settings: ProjectSettingsView = ProjectSettingsView()


class ProjectView(Schema):
    """A project as its members see it."""

    id: str
    name: str
    description: str
    brief: str
    instructions: str
    status: ProjectStatus
    settings: ProjectSettingsView
    is_default: bool
    created_by: str
    created_at: Timestamp
    updated_at: Timestamp


class BriefVersionView(Schema):
    """An earlier brief: when it was replaced, for whom, and by whom (`person`, or `agent:` and a model)."""

    id: str
    project_id: str
    brief: str
    replaced_by: str
    made_by: str
    replaced_at: Timestamp


class BriefVersionPage(CursorPage):
    """Some earlier briefs, newest first."""

    versions: list[BriefVersionView]


class ProjectPage(CursorPage):
    """Some projects, newest first."""

    projects: list[ProjectView]
