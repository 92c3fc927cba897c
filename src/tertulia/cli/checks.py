"""What the doctor looks at on this machine: each check says what it found and what to do."""

import shutil
import sys
from collections.abc import Generator
from pathlib import Path

import apsw

from tertulia.cli.database_copy import problems_of
from tertulia.cli.findings import Finding, State
from tertulia.infra.db.migrate import scripts
from tertulia.models.builtin import weights
from tertulia.models.connections import ENVIRONMENT
from tertulia.settings import Settings

OLDEST_PYTHON = (3, 11)
GIGABYTE = 1_000_000_000
LITTLE = 2 * GIGABYTE
TOO_LITTLE = GIGABYTE // 10


def check_all(settings: Settings) -> Generator[Finding]:
    """Yield every finding, as soon as it is known."""
    yield check_python()
    yield from check_folder(settings.data_dir)
    yield check_key(settings)
    yield from check_database(settings.database)
    yield check_builtin(settings)
    yield check_provider_keys(settings)


def check_python() -> Finding:
    """Look at the version that runs this."""
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST_PYTHON:
        return Finding("python", State.FAIL, f"Python {version}", "Install Python 3.11 or newer.")
    return Finding("python", State.OK, f"Python {version}")


def check_folder(folder: Path) -> Generator[Finding]:
    """Look at the data directory: that it is there, private, and has room."""
    if not folder.is_dir():
        fix = "The first `tertulia serve` makes it; else set TERTULIA_DATA_DIR."
        yield Finding("data directory", State.WARN, f"{folder} is not there yet", fix)
        return
    if folder.stat().st_mode & 0o077:
        yield Finding("data directory", State.WARN, f"Others may look into {folder}", f"chmod 700 '{folder}'")
    else:
        yield Finding("data directory", State.OK, f"{folder}, for its owner only")
    yield check_space(shutil.disk_usage(folder).free)


def check_space(free: int) -> Finding:
    """Judge how much room is left."""
    state = State.FAIL if free < TOO_LITTLE else State.WARN if free < LITTLE else State.OK
    fix = "" if state is State.OK else "Free some space: without it nothing more can be saved."
    return Finding("disk space", state, f"{free / GIGABYTE:.1f} GB free", fix)


def check_key(settings: Settings) -> Finding:
    """Look at the key that opens stored provider keys."""
    path = settings.data_dir / "secret.key"
    if settings.provider_env.get("TERTULIA_SECRET_KEY"):
        return Finding("secret key", State.OK, "Given by TERTULIA_SECRET_KEY")
    if not path.exists():
        return Finding("secret key", State.OK, "Made when the first provider key is stored")
    if path.stat().st_mode & 0o077:
        return Finding("secret key", State.FAIL, f"Others may read {path}", f"chmod 600 '{path}'")
    return Finding("secret key", State.OK, "For its owner only")


def check_database(path: Path) -> Generator[Finding]:
    """Look at the database: that it is sound, and of a version we know."""
    if not path.is_file():
        yield Finding("database", State.WARN, "Not there yet", "The first `tertulia serve` makes it.")
        return
    try:
        problems = problems_of(path)
        applied = schema_number(path)
    except apsw.Error as error:
        yield Finding("database", State.FAIL, f"Cannot be read: {error}", "Restore the latest backup.")
        return
    if problems:
        yield Finding("database", State.FAIL, "; ".join(problems), "Stop the server and restore a backup.")
    else:
        yield Finding("database", State.OK, "Sound, and nothing points nowhere")
    yield check_schema(applied, scripts()[-1][0])


def schema_number(path: Path) -> int:
    """Return the number of the last migration that a database has had."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        return int(connection.pragma("user_version"))
    finally:
        connection.close()


def check_schema(applied: int, known: int) -> Finding:
    """Compare the database's schema with the one that this program knows."""
    if applied > known:
        fix = "Install the version of Tertulia that last used it, or a newer one."
        return Finding("schema", State.FAIL, f"Number {applied} is newer than this program's {known}", fix)
    if applied < known:
        fix = "The next `tertulia serve` brings it up to date; make a backup first."
        return Finding("schema", State.WARN, f"Number {applied} of {known}", fix)
    return Finding("schema", State.OK, f"Up to date, number {applied}")


def check_builtin(settings: Settings) -> Finding:
    """Look for the built-in model."""
    if not settings.builtin_model:
        return Finding("built-in model", State.OK, "Switched off by TERTULIA_BUILTIN_MODEL")
    if weights.find(settings) is None:
        fix = "Run `tertulia models install builtin`."
        return Finding("built-in model", State.WARN, "Not installed", fix)
    return Finding("built-in model", State.OK, "Installed")


def check_provider_keys(settings: Settings) -> Finding:
    """Say which providers the environment speaks of, by the names of the variables alone."""
    names = [name for one in ENVIRONMENT for name in (*one.keys, one.base_url)]
    found = [name for name in names if settings.provider_env.get(name, "").strip()]
    if not found:
        fix = "Set one, such as OPENAI_API_KEY or OLLAMA_HOST, or add a connection in the app."
        return Finding("provider keys", State.WARN, "None in the environment", fix)
    return Finding("provider keys", State.OK, ", ".join(found))
