"""The files of a project, as a system prompt lists them."""

from tertulia.context.domain import Listed, Shelf
from tertulia.files import store
from tertulia.files.domain import Filter
from tertulia.infra.db import Tx

#: Up to so many files are listed one by one.
MOST_LISTED = 50


def shelf_of(tx: Tx, project_id: str) -> Shelf:
    """Return the files of a project: each, or where they are many, the folders at the top."""
    count = store.count(tx, project_id)
    if count == 0:
        return Shelf()
    if count <= MOST_LISTED:
        every = store.page(tx, project_id, Filter(), after="", limit=MOST_LISTED)
        listed = [Listed(one.path, one.size, one.summary, local_only=one.local_only) for one in every]
        return Shelf(count, tuple(listed))
    folders, loose = store.level(tx, project_id, Filter(), after="", limit=MOST_LISTED)
    listed = [Listed(one.path, one.size, files=one.files) for one in folders]
    listed += [Listed(one.path, one.size, one.summary, local_only=one.local_only) for one in loose]
    return Shelf(count, tuple(listed[:MOST_LISTED]))
