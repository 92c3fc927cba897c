"""The files of a project and of a conversation, as a system prompt lists them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tertulia.context.domain import FileList, ListedFile
from tertulia.files import access as file_access
from tertulia.files import attachments
from tertulia.files.domain import File, FileFilter
from tertulia.files.tool_modules import DRAFT_TOOLS_FOLDER, PROJECT_TOOLS_FOLDER, module_name
from tertulia.infra.db import Tx

#: Up to so many files are listed one by one.
PROMPT_FILES_MAX = 50
PROMPT_IMPORTABLE_TOOLS_MAX = 200


def read_file_list(tx: Tx, project_id: str | None, conversation_id: str | None) -> FileList:
    """Return the files of a project and the attachments of a conversation in it."""
    own = read_project_file_list(tx, project_id) if project_id else FileList()
    if conversation_id is None:
        return own
    attached = attachments.list_page(tx, conversation_id, limit=PROMPT_FILES_MAX)
    hiding = {file.path for file in attached}
    listed = [listed_file for listed_file in own.listed if listed_file.path not in hiding]
    count = own.count - (len(own.listed) - len(listed)) + attachments.count_attachments(tx, conversation_id)
    return replace(own, count=count, listed=(*listed, *map(to_listed_file, attached)))


def read_project_file_list(tx: Tx, project_id: str) -> FileList:
    """Return the files of a project: each, or where they are many, the folders at the top."""
    count = file_access.count_files(tx, project_id)
    if count <= PROMPT_FILES_MAX:
        every = (
            file_access.list_page(tx, project_id, FileFilter(), after="", limit=PROMPT_FILES_MAX)
            if count
            else []
        )
        return FileList(count, tuple(map(to_listed_file, every)), importable_tools(every))
    # A folder's name may tell what is in it: one that holds nothing but files for local models is not named.
    paths = file_access.list_unrestricted_paths(tx, project_id)
    folders = Counter(path.partition("/")[0] for path in paths if "/" in path)
    loose = file_access.list_at_paths(
        tx, project_id, [path for path in paths if "/" not in path][:PROMPT_FILES_MAX]
    )
    listed = [
        *(ListedFile(name, 0, files=files) for name, files in folders.items()),
        *map(to_listed_file, loose),
    ]
    tools = file_access.list_page(
        tx, project_id, FileFilter(prefix=PROJECT_TOOLS_FOLDER), after="", limit=PROMPT_IMPORTABLE_TOOLS_MAX
    )
    return FileList(len(paths), tuple(listed[:PROMPT_FILES_MAX]), importable_tools(tools))


def importable_tools(files: Sequence[File]) -> tuple[ListedFile, ...]:
    """Return the files that can be imported, by the names they are imported under."""
    return tuple(
        replace(to_listed_file(file), path=module)
        for file in files
        if file.tool_accessible and (module := module_name(file.path))
    )


def to_listed_file(file: File) -> ListedFile:
    """Return a file as it is listed."""
    # What a model wrote about its own draft is nobody's word yet.
    is_draft = file.conversation_id is not None and file.path.startswith(DRAFT_TOOLS_FOLDER)
    summary = "" if is_draft else file.summary
    return ListedFile(file.path, file.size, summary, local_only=file.local_only)
