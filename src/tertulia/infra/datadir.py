"""The one folder that holds everything: private to its owner, and to one server at a time if possible."""

import fcntl
import shutil
from pathlib import Path

from tertulia.core.errors import Unavailable

LEAST_ROOM = 10_000_000


class DataDirUnusable(Unavailable):
    """The data directory cannot be made or written to."""

    code = "data_dir_unusable"


class DataDir:
    """Holds a lock for as long as the process runs, so that its successor knows it has gone."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = (path / "server.lock").open("a")
        except OSError as error:
            raise DataDirUnusable(
                f"{path} cannot be used as the data directory: {error.strerror}."
            ) from error
        self.is_ours_alone = self._acquire()

    @property
    def is_full(self) -> bool:
        """Tell whether there is too little room left to go on writing."""
        return shutil.disk_usage(self._path).free < LEAST_ROOM

    def release(self) -> None:
        """Let another server have the folder."""
        self._lock.close()

    def _acquire(self) -> bool:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
