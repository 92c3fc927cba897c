"""The files of a project that a model may be shown."""

from collections.abc import Iterator, Sequence

from tertulia.core.errors import Invalid, Kind, TertuliaError
from tertulia.files import attachments, store
from tertulia.files.attachments import find_in_conversation, overlaid
from tertulia.files.domain import File, Filter
from tertulia.files.paths import normalise
from tertulia.infra.db import Tx
from tertulia.projects import store as projects
from tertulia.tools.domain import Caller

PAGE = 1_000
#: Among so many pages of files one looks; a larger project has to be looked at folder by folder.
MOST_PAGES = 5
#: Ways to say "the whole project".
EVERYTHING = ("", ".", "./", "/")


class NoSuchFile(TertuliaError):
    """There is no file at a path, or none that this model may be shown: the two look alike on purpose."""

    kind = Kind.NOT_FOUND
    code = "no_such_file"

    def __init__(self, path: str, meant: Sequence[str] = ()) -> None:
        hint = f" Did you mean {' or '.join(map(repr, meant))}?" if meant else ""
        super().__init__(f"There is no file {path!r} that you can read.{hint} See list_project_files.")
        self.path = path


def project_of(tx: Tx, caller: Caller) -> str:
    """Return the project that a caller works in, or raise where there is none they may see."""
    if caller.project_id is None:
        raise Invalid("This conversation belongs to no project, so there are no files to look at.")
    return projects.get(tx, caller.project_id).id


def may_be_shown(file: File, caller: Caller) -> bool:
    """Tell whether a file may be shown to the model: this is the line that nothing local crosses."""
    return file.tool_accessible and (caller.model_is_local or not file.local_only)


def find(tx: Tx, path: str, caller: Caller) -> File:
    """Return the file at a path, or raise."""
    regular = regular_path(path)
    file = find_in_conversation(tx, project_of(tx, caller), caller.conversation_id, regular)
    if file is not None and may_be_shown(file, caller):
        return file
    raise NoSuchFile(regular)


def shown(tx: Tx, start: str, caller: Caller) -> Iterator[File]:
    """Yield by path the files that may be shown and whose path starts so, as far as one looks."""
    attached = attachments.page(tx, caller.conversation_id, limit=PAGE) if caller.conversation_id else []
    project = list(in_project(tx, project_of(tx, caller), start))
    for file in overlaid(project, attached):
        if file.path.startswith(start) and may_be_shown(file, caller):
            yield file


def in_project(tx: Tx, project_id: str, start: str) -> Iterator[File]:
    """Yield by path the files of a project that lie where a path leads that starts so."""
    folder, slash, _ = start.rpartition("/")
    after = ""
    for _ in range(MOST_PAGES):
        page = store.page(tx, project_id, Filter(prefix=folder + slash), after=after, limit=PAGE)
        yield from page
        if len(page) < PAGE:
            return
        after = page[-1].path


def regular_path(path: str) -> str:
    """Return a path as files have it, or raise where it leads out of the project."""
    return normalise(path.removeprefix("./"))


def regular_start(prefix: str) -> str:
    """Return how the paths begin that are wanted; empty for all of them."""
    if prefix in EVERYTHING:
        return ""
    regular = regular_path(prefix.removesuffix("/"))
    return f"{regular}/" if prefix.endswith("/") else regular
