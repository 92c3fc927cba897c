"""New databases for tests, copied from one that was migrated once: every migration takes 50 ms."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from tertulia.infra.db import Database
from tertulia.infra.db.sqlite.database import SqliteDatabase


@cache
def migrated_database() -> Path:
    """Return an empty database with every migration applied, made once for all tests of this process."""
    folder = Path(tempfile.mkdtemp(prefix="tertulia-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    SqliteDatabase(folder / "tertulia.db").close()
    return folder / "tertulia.db"


def prepare_database(path: Path) -> None:
    """Put a migrated database where there is none, so that whoever opens it need not migrate it."""
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copyfile(migrated_database(), path)


def open_database(path: Path) -> Database:
    """Open a database, a new one if there is none."""
    prepare_database(path)
    return SqliteDatabase(path)
