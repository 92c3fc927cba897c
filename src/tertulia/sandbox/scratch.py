"""Folders that workers write to, each process's own: held by a lock, and so known to be in use by others."""

import fcntl
import itertools
import shutil
from contextlib import suppress
from pathlib import Path
from typing import IO

from tertulia.core.ids import new_id

SCRATCH_PREFIX = "scr"
OWNER_LOCK_NAME = "owner.lock"


class Scratch:
    """Makes folders for workers; all are gone when it is closed, or found by a later process."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._numbers = itertools.count()
        self._held: tuple[Path, IO[str]] | None = None

    def make_folder(self) -> Path:
        """Return a new, empty folder."""
        if self._held is None:
            self._held = self._hold()
        folder = self._held[0] / str(next(self._numbers))
        folder.mkdir(mode=0o700)
        return folder

    def close(self) -> None:
        """Delete all folders that were made."""
        if self._held is not None:
            folder, lock = self._held
            self._held = None
            shutil.rmtree(folder, ignore_errors=True)
            lock.close()

    def _hold(self) -> tuple[Path, IO[str]]:
        """Make the folder of this process: it has its name only once it is locked."""
        name = new_id(SCRATCH_PREFIX)
        draft = self._root / f".{name}"
        draft.mkdir(parents=True, mode=0o700)
        lock = (draft / OWNER_LOCK_NAME).open("a")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return draft.rename(self._root / name), lock


def remove_orphaned_scratch(root: Path) -> None:
    """Delete what processes that are gone left behind; one in another container has no number here."""
    for folder in root.glob(f"{SCRATCH_PREFIX}_*"):
        with suppress(OSError), (folder / OWNER_LOCK_NAME).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
