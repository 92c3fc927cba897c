"""The names of projects, for lines that would tell an id alone."""

from collections.abc import Iterable

from tertulia.infra.db import Tx
from tertulia.projects import access as projects


def read_project_names(tx: Tx, project_ids: Iterable[str | None]) -> dict[str, str]:
    """Return the name of each project by its id."""
    return {id_: projects.get(tx, id_).name for id_ in dict.fromkeys(project_ids) if id_}
