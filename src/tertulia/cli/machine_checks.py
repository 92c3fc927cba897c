"""What the doctor looks at on this machine: each check says what it found and what to do."""

import os
import shutil
import sys
from collections.abc import Generator
from pathlib import Path

import apsw

from tertulia.cli.check_results import CheckResult, CheckState
from tertulia.cli.database_copy import find_database_problems
from tertulia.infra.db.sqlite.migration import load_migrations
from tertulia.models.builtin import weights
from tertulia.models.connections import CONNECTION_VARIABLES
from tertulia.settings import KEY_VARIABLE, Settings

PYTHON_MIN_VERSION = (3, 11)
GIGABYTE = 1_000_000_000
DISK_FREE_WARN_BYTES = 2 * GIGABYTE
DISK_FREE_FAIL_BYTES = GIGABYTE // 10


def check_machine(settings: Settings) -> Generator[CheckResult]:
    """Yield every finding, as soon as it is known."""
    yield check_python()
    yield from check_data_dir(settings.data_dir)
    yield check_secret_key(settings)
    if not settings.database_url:
        yield from check_database(settings.database)
    yield check_builtin(settings)
    yield check_provider_keys(settings)


def check_python() -> CheckResult:
    """Look at the version that runs this."""
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < PYTHON_MIN_VERSION:
        return CheckResult("python", CheckState.FAIL, f"Python {version}", "Install Python 3.11 or newer.")
    return CheckResult("python", CheckState.OK, f"Python {version}")


def check_data_dir(folder: Path) -> Generator[CheckResult]:
    """Look at the data directory: that it is there or can be made, private, and has room."""
    if problem := find_folder_problem(folder):
        fix = "Set TERTULIA_DATA_DIR to a folder that you may write to."
        yield CheckResult("data directory", CheckState.FAIL, problem, fix)
        return
    if not folder.is_dir():
        fix = "The first `tertulia serve` makes it; else set TERTULIA_DATA_DIR."
        yield CheckResult("data directory", CheckState.WARN, f"{folder} is not there yet", fix)
        return
    if folder.stat().st_mode & 0o077:
        yield CheckResult(
            "data directory", CheckState.WARN, f"Others may look into {folder}", f"chmod 700 '{folder}'"
        )
    else:
        yield CheckResult("data directory", CheckState.OK, f"{folder}, for its owner only")
    yield check_space(shutil.disk_usage(folder).free)


def find_folder_problem(folder: Path) -> str:
    """Return why a server could neither use a folder nor make it, or nothing."""
    existing = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not existing.is_dir():
        return f"{existing} is not a folder"
    if not os.access(existing, os.W_OK | os.X_OK):
        return f"{existing} cannot be written to"
    return ""


def check_space(free_bytes: int) -> CheckResult:
    """Judge how much room is left."""
    state = (
        CheckState.FAIL
        if free_bytes < DISK_FREE_FAIL_BYTES
        else CheckState.WARN
        if free_bytes < DISK_FREE_WARN_BYTES
        else CheckState.OK
    )
    fix = "" if state is CheckState.OK else "Free some space: without it nothing more can be saved."
    return CheckResult("disk space", state, f"{free_bytes / GIGABYTE:.1f} GB free", fix)


def check_secret_key(settings: Settings) -> CheckResult:
    """Look at the key that opens stored provider keys."""
    path = settings.data_dir / "secret.key"
    if settings.provider_env.get(KEY_VARIABLE):
        return CheckResult("secret key", CheckState.OK, f"Given by {KEY_VARIABLE}")
    if settings.database_url:
        fix = f"Set {KEY_VARIABLE}, to the same for every process; {path} holds it where data was moved from."
        return CheckResult("secret key", CheckState.FAIL, f"{KEY_VARIABLE} is not set", fix)
    if not path.exists():
        return CheckResult("secret key", CheckState.OK, "Made when the first provider key is stored")
    if path.stat().st_mode & 0o077:
        return CheckResult("secret key", CheckState.FAIL, f"Others may read {path}", f"chmod 600 '{path}'")
    return CheckResult("secret key", CheckState.OK, "For its owner only")


def check_database(path: Path) -> Generator[CheckResult]:
    """Look at the database: that it is sound, and of a version we know."""
    if not path.is_file():
        yield CheckResult(
            "database", CheckState.WARN, "Not there yet", "The first `tertulia serve` makes it."
        )
        return
    try:
        problems = find_database_problems(path)
        applied = read_schema_version(path)
    except apsw.Error as error:
        yield CheckResult(
            "database", CheckState.FAIL, f"Cannot be read: {error}", "Restore the latest backup."
        )
        return
    if problems:
        yield CheckResult(
            "database", CheckState.FAIL, "; ".join(problems), "Stop the server and restore a backup."
        )
    else:
        yield CheckResult("database", CheckState.OK, "Sound, and nothing points nowhere")
    yield check_schema(applied, load_migrations()[-1][0])


def read_schema_version(path: Path) -> int:
    """Return the number of the last migration that a database has had."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        return int(connection.pragma("user_version"))
    finally:
        connection.close()


def check_schema(applied: int, known: int) -> CheckResult:
    """Compare the database's schema with the one that this program knows."""
    if applied > known:
        fix = "Install the version of Tertulia that last used it, or a newer one."
        return CheckResult(
            "schema", CheckState.FAIL, f"Number {applied} is newer than this program's {known}", fix
        )
    if applied < known:
        fix = "The next `tertulia serve` brings it up to date; make a backup first."
        return CheckResult("schema", CheckState.WARN, f"Number {applied} of {known}", fix)
    return CheckResult("schema", CheckState.OK, f"Up to date, number {applied}")


def check_builtin(settings: Settings) -> CheckResult:
    """Look for the built-in model."""
    if not settings.builtin_model:
        return CheckResult("built-in model", CheckState.OK, "Switched off by TERTULIA_BUILTIN_MODEL")
    if weights.find(settings) is None:
        fix = "Run `tertulia models install builtin`."
        return CheckResult("built-in model", CheckState.WARN, "Not installed", fix)
    return CheckResult("built-in model", CheckState.OK, "Installed")


def check_provider_keys(settings: Settings) -> CheckResult:
    """Say which providers the environment speaks of, by the names of the variables alone."""
    names = [
        name
        for connection_variable in CONNECTION_VARIABLES
        for name in (*connection_variable.keys, connection_variable.base_url)
    ]
    found = [name for name in names if settings.provider_env.get(name, "").strip()]
    if not found:
        fix = "Set one, such as OPENAI_API_KEY or OLLAMA_HOST, or add a connection in the app."
        return CheckResult("provider keys", CheckState.WARN, "None in the environment", fix)
    return CheckResult("provider keys", CheckState.OK, ", ".join(found))
