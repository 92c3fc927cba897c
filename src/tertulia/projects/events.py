"""What the members of a workspace hear of its projects: which one, never what is in it."""

import msgspec


class ProjectChanged(msgspec.Struct, frozen=True, tag="project.changed"):
    """A project is new or has changed: fetch it."""

    project_id: str


class ProjectDeleted(msgspec.Struct, frozen=True, tag="project.deleted"):
    """A project is gone, with all that was in it."""

    project_id: str
