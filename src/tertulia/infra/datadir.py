"""The one folder that holds everything: private to its owner, and to one server at a time if possible."""

import errno
import fcntl
import shutil
import tempfile
from pathlib import Path

from tertulia.core.errors import TertuliaError, Unavailable
from tertulia.infra.db.errors import DiskFull, StorageFailed, StorageReadOnly

DISK_FREE_MIN_BYTES = 10_000_000
#: What is written to find out whether anything can be: one block of a file system.
WRITE_PROBE_BYTES = 4096


class DataDirUnusable(Unavailable):
    """The data directory cannot be made or written to."""

    code = "data_dir_unusable"


class DataDirInUse(Unavailable):
    """A server has the data directory already."""

    code = "data_dir_in_use"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"Another server already uses {path}, and SQLite serves one. Stop it first, choose another "
            "folder with TERTULIA_DATA_DIR, or set "
            "DATABASE_URL to a PostgreSQL server, which any number can share."
        )


class DataDir:
    """Holds a lock for as long as the process runs, so that its successor knows it has gone."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = (path / "server.lock").open("a")
            write_probe(path)
        except OSError as error:
            raise DataDirUnusable(
                f"{path} cannot be used as the data directory: {error.strerror}."
            ) from error
        self.is_exclusive = self._try_lock()

    def check_exclusive(self) -> None:
        """Raise where another server has the folder."""
        if not self.is_exclusive:
            raise DataDirInUse(self._path)

    def check_writable(self) -> None:
        """Raise when nothing more can be saved, and say why."""
        if self.is_full:
            raise DiskFull
        try:
            write_probe(self._path)
        except OSError as error:
            raise to_storage_error(error) from error

    @property
    def is_full(self) -> bool:
        """Tell whether there is too little room left to go on writing."""
        return shutil.disk_usage(self._path).free < DISK_FREE_MIN_BYTES

    def release(self) -> None:
        """Let another server have the folder."""
        self._lock.close()

    def _try_lock(self) -> bool:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


def write_probe(folder: Path) -> None:
    """Write a little into a folder, where it leaves nothing behind; raise what the disk raises."""
    with tempfile.TemporaryFile(dir=folder) as probe:
        probe.write(bytes(WRITE_PROBE_BYTES))
        probe.flush()


def to_storage_error(error: OSError) -> TertuliaError:
    """Return what a failed write means, in the words that the database uses too."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull()
    if error.errno == errno.EROFS:
        return StorageReadOnly()
    return StorageFailed(error.strerror or type(error).__name__)
