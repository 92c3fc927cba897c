"""Which project a command means."""

from collections.abc import Iterator
from typing import Any

from tertulia.cli.client import Client
from tertulia.cli.errors import NoDefaultProject, ProjectUnknown

PAGE = 200


def every_project(server: Client) -> Iterator[dict[str, Any]]:
    """Yield every project of the workspace."""
    after = ""
    while True:
        page = server.get("/api/projects", after=after, limit=PAGE)
        yield from page["projects"]
        after = page["next"]
        if not after:
            return


def project_named(server: Client, name: str | None) -> dict[str, Any]:
    """Return the project with a name or id, in whatever case; without one, the default project."""
    known = list(every_project(server))
    if name is None:
        return default_among(known)
    exact = [one for one in known if name in (one["id"], one["name"])]
    alike = [one for one in known if one["name"].casefold() == name.casefold()]
    if not exact + alike:
        raise ProjectUnknown(name, [one["name"] for one in known])
    return (exact + alike)[0]


def default_among(known: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the project that is meant when none is named."""
    for one in known:
        if one["is_default"]:
            return one
    raise NoDefaultProject
