"""Which project a command means."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tertulia.cli.errors import NoDefaultProject, ProjectAmbiguous, ProjectUnknown
from tertulia.core.ids import canonical_id
from tertulia.core.json_object import JsonObject

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

PROJECTS_PAGE_SIZE = 200


def list_projects(server: "ApiClient") -> Iterator[JsonObject]:
    """Yield every project of the workspace."""
    after = ""
    while True:
        page = server.get("/api/projects", after=after, limit=PROJECTS_PAGE_SIZE)
        yield from page["projects"]
        after = page["next"]
        if not after:
            return


def find_project(server: "ApiClient", name: str | None) -> JsonObject:
    """Return the project with a name or id, in whatever case; without one, the default project.

    An id comes before a name, and a name as it is written before one in another case.
    """
    known = list(list_projects(server))
    if name is None:
        return default_project(known)
    found = (
        [project for project in known if project["id"] == canonical_id(name)]
        or [project for project in known if project["name"] == name]
        or [project for project in known if project["name"].casefold() == name.casefold()]
    )
    if not found:
        raise ProjectUnknown(name, [project["name"] for project in known])
    if len(found) > 1:
        raise ProjectAmbiguous(name, [project["id"] for project in found])
    return found[0]


def project_field(server: "ApiClient", project: str | None) -> dict[str, str]:
    """Return where a new conversation begins, as a request says it: nothing means the default project."""
    return {"project_id": find_project(server, project)["id"]} if project else {}


def default_project(known: list[JsonObject]) -> JsonObject:
    """Return the project that is meant when none is named."""
    for project in known:
        if project["is_default"]:
            return project
    raise NoDefaultProject
