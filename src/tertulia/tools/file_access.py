"""The files of a project that a model may be shown."""

from collections.abc import Iterator, Sequence

from tertulia.core.errors import Invalid, Kind, TertuliaError
from tertulia.files import access as file_access
from tertulia.files import attachments
from tertulia.files.attachments import find_in_conversation, overlay_attachments
from tertulia.files.domain import File, FileFilter
from tertulia.files.paths import normalise
from tertulia.infra.db import Tx
from tertulia.projects import access as projects
from tertulia.tools.domain import ToolCaller

FILE_ACCESS_PAGE_SIZE = 1_000
#: Among so many pages of files one looks; a larger project has to be looked at folder by folder.
FILE_ACCESS_PAGES_MAX = 5
#: Ways to say "the whole project".
WHOLE_PROJECT_PREFIXES = ("", ".", "./", "/")


class NoSuchFile(TertuliaError):
    """There is no file at a path, or none that this model may be shown: the two look alike on purpose."""

    kind = Kind.NOT_FOUND
    code = "no_such_file"

    def __init__(self, path: str, meant: Sequence[str] = ()) -> None:
        hint = f" Did you mean {' or '.join(map(repr, meant))}?" if meant else ""
        super().__init__(f"There is no file {path!r} that you can read.{hint} See list_project_files.")
        self.path = path


def require_project(tx: Tx, caller: ToolCaller) -> str:
    """Return the project that a caller works in, or raise where there is none they may see."""
    if caller.project_id is None:
        raise Invalid("This conversation belongs to no project, so there are no files to look at.")
    return projects.get(tx, caller.project_id).id


def can_show(file: File, caller: ToolCaller) -> bool:
    """Tell whether a file may be shown to the model: this is the line that nothing local crosses."""
    return file.tool_accessible and (caller.model_is_local or not file.local_only)


def find_file(tx: Tx, path: str, caller: ToolCaller) -> File:
    """Return the file at a path, or raise."""
    regular = normalise_path(path)
    file = find_in_conversation(tx, require_project(tx, caller), caller.conversation_id, regular)
    if file is not None and can_show(file, caller):
        return file
    raise NoSuchFile(regular)


def list_visible_files(tx: Tx, start: str, caller: ToolCaller) -> Iterator[File]:
    """Yield by path the files that may be shown and whose path starts so, as far as one looks."""
    attached = (
        attachments.list_page(tx, caller.conversation_id, limit=FILE_ACCESS_PAGE_SIZE)
        if caller.conversation_id
        else []
    )
    project = list(list_files_below(tx, require_project(tx, caller), start))
    for file in overlay_attachments(project, attached):
        if file.path.startswith(start) and can_show(file, caller):
            yield file


def list_files_below(tx: Tx, project_id: str, start: str) -> Iterator[File]:
    """Yield by path the files of a project that lie where a path leads that starts so."""
    folder, slash, _ = start.rpartition("/")
    after = ""
    for _ in range(FILE_ACCESS_PAGES_MAX):
        page = file_access.list_page(
            tx, project_id, FileFilter(prefix=folder + slash), after=after, limit=FILE_ACCESS_PAGE_SIZE
        )
        yield from page
        if len(page) < FILE_ACCESS_PAGE_SIZE:
            return
        after = page[-1].path


def normalise_path(path: str) -> str:
    """Return a path as files have it, or raise where it leads out of the project."""
    return normalise(path.removeprefix("./"))


def normalise_prefix(prefix: str) -> str:
    """Return how the paths begin that are wanted; empty for all of them."""
    if prefix in WHOLE_PROJECT_PREFIXES:
        return ""
    regular = normalise_path(prefix.removesuffix("/"))
    return f"{regular}/" if prefix.endswith("/") else regular
