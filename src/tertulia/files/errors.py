"""How work with files fails."""

from tertulia.core.errors import Conflict, Invalid, TooLarge


class PathInvalid(Invalid):
    """A path cannot be used."""

    code = "path_invalid"

    def __init__(self, problem: str) -> None:
        super().__init__(f"The path cannot be used: {problem}.")


class PathTaken(Conflict):
    """Another file, or a folder, has that path already."""

    code = "path_taken"

    def __init__(self, path: str) -> None:
        super().__init__(f"There is something at '{path}' already: choose another path.", path=path)


class NotAttached(Conflict):
    """The file is attached to no conversation: it is the project's already."""

    code = "not_attached"

    def __init__(self) -> None:
        super().__init__("The file is in the project already, where every member sees it.")


class FileChanged(Conflict):
    """The file is not at the version that the change was made from."""

    code = "file_changed"

    def __init__(self, version: int) -> None:
        now = f"is at version {version}" if version else "is not there"
        super().__init__(f"The file {now} by now: look at it, then change it again.", version=version)


class FileTooLarge(TooLarge):
    """A file is larger than we keep."""

    code = "file_too_large"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"A file may have at most {max_bytes:,} bytes.", largest=max_bytes)


class UploadTooLarge(TooLarge):
    """One request brings more than we take at once."""

    code = "upload_too_large"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"One upload may have at most {max_bytes:,} bytes: send the files in several.")


class UploadInvalid(Invalid):
    """An upload cannot be read."""

    code = "upload_invalid"


class DuplicatePath(Invalid):
    """The same path came twice in one upload."""

    code = "duplicate_path"

    def __init__(self) -> None:
        super().__init__("A file with the same path came earlier in this upload; that one was kept.")


class ArchiveRefused(Invalid):
    """An archive, or something in it, cannot be unpacked safely."""

    code = "archive_refused"


class NoText(Invalid):
    """There is no text in it to be compared."""

    code = "no_text"

    def __init__(self) -> None:
        super().__init__("Only files with text can be compared line by line.")


class DiffTooLarge(TooLarge):
    """Two versions are too large, or too much alike in too many places, to be compared line by line."""

    code = "diff_too_large"

    def __init__(self) -> None:
        super().__init__("These versions are too large to be compared here: download both instead.")
