"""Copying a database that is being written to."""

import hashlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw

from tertulia.cli.errors import FileUnreadable
from tertulia.cli.output import ProgressCallback
from tertulia.infra.db.sqlite.connection import open_connection, translate_storage_errors

COPY_STEP_PAGES = 1000


@contextmanager
def translate_file_errors(path: Path) -> Generator[None]:
    """Turn what SQLite raises of a file into errors a person can act on."""
    try:
        with translate_storage_errors():
            yield
    except apsw.NotADBError as error:
        raise FileUnreadable(f"{path} is not a database. Restore it from a backup.") from error


def copy_database(
    source: Path, target: Path, *, report_progress: ProgressCallback, busy_seconds: float
) -> None:
    """Put a verified copy of one moment of `source` in place of `target`."""
    draft = target.with_name(f".{target.name}.part")
    draft.unlink(missing_ok=True)
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with translate_file_errors(source):
            copy_pages(source, draft, report_progress=report_progress, busy_seconds=busy_seconds)
            problems = find_database_problems(draft)
        if problems:
            raise FileUnreadable(
                f"The copy is not sound ({problems[0]}). Run `tertulia doctor`; nothing was kept."
            )
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
        draft.with_name(f"{draft.name}-journal").unlink(missing_ok=True)


def copy_pages(source: Path, target: Path, *, report_progress: ProgressCallback, busy_seconds: float) -> None:
    """Copy every page as it stands at one moment."""
    origin = open_connection(source, busy_seconds=busy_seconds)
    copy = apsw.Connection(str(target))
    try:
        # A held snapshot: without it every write meanwhile would start the copy anew.
        origin.execute("BEGIN")
        origin.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        with copy.backup("main", origin, "main") as steps:
            while not steps.done:
                steps.step(COPY_STEP_PAGES)
                report_progress(
                    "Copying", (steps.page_count - steps.remaining) * 4096, steps.page_count * 4096
                )
        origin.execute("COMMIT")
        # One file that needs no others beside it.
        copy.execute("PRAGMA journal_mode = DELETE")
    finally:
        copy.close()
        origin.close()


def find_database_problems(path: Path) -> list[str]:
    """Return what SQLite finds wrong with a database; nothing when it is sound."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(10)")]
        loose = [(row[0], row[2]) for row in connection.execute("PRAGMA foreign_key_check")]
        broken = [f"a row of {table} points at a missing row of {other}" for table, other in loose[:10]]
        return [problem for problem in found if problem != "ok"] + broken
    finally:
        connection.close()


def checksum(path: Path) -> str:
    """Return a file's SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
