"""The files of a project and of a conversation, as a system prompt lists them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tertulia.context.domain import Listed, Shelf
from tertulia.files import attachments, store
from tertulia.files.domain import File, Filter
from tertulia.files.modules import DRAFT_TOOLS, TOOLS, module_of
from tertulia.infra.db import Tx

#: Up to so many files are listed one by one.
MOST_LISTED = 50
MOST_TOOLS = 200


def shelf_of(tx: Tx, project_id: str | None, conversation_id: str | None) -> Shelf:
    """Return the files of a project and the attachments of a conversation in it."""
    own = project_shelf(tx, project_id) if project_id else Shelf()
    if conversation_id is None:
        return own
    attached = attachments.page(tx, conversation_id, limit=MOST_LISTED)
    hiding = {file.path for file in attached}
    listed = [one for one in own.listed if one.path not in hiding]
    count = own.count - (len(own.listed) - len(listed)) + attachments.count(tx, conversation_id)
    return replace(own, count=count, listed=(*listed, *map(as_listed, attached)))


def project_shelf(tx: Tx, project_id: str) -> Shelf:
    """Return the files of a project: each, or where they are many, the folders at the top."""
    count = store.count(tx, project_id)
    if count <= MOST_LISTED:
        every = store.page(tx, project_id, Filter(), after="", limit=MOST_LISTED) if count else []
        return Shelf(count, tuple(map(as_listed, every)), tools_of(every))
    # A folder's name may tell what is in it: one that holds nothing but files for local models is not named.
    paths = store.paths_for_all(tx, project_id)
    folders = Counter(path.partition("/")[0] for path in paths if "/" in path)
    loose = store.at_each(tx, project_id, [path for path in paths if "/" not in path][:MOST_LISTED])
    listed = [*(Listed(name, 0, files=files) for name, files in folders.items()), *map(as_listed, loose)]
    tools = store.page(tx, project_id, Filter(prefix=TOOLS), after="", limit=MOST_TOOLS)
    return Shelf(len(paths), tuple(listed[:MOST_LISTED]), tools_of(tools))


def tools_of(files: Sequence[File]) -> tuple[Listed, ...]:
    """Return the files that can be imported, by the names they are imported under."""
    return tuple(
        replace(as_listed(file), path=module)
        for file in files
        if file.tool_accessible and (module := module_of(file.path))
    )


def as_listed(file: File) -> Listed:
    """Return a file as it is listed."""
    # What a model wrote about its own draft is nobody's word yet.
    is_draft = file.conversation_id is not None and file.path.startswith(DRAFT_TOOLS)
    summary = "" if is_draft else file.summary
    return Listed(file.path, file.size, summary, local_only=file.local_only)
