"""Opening the database that the settings name."""

from importlib import import_module
from typing import TYPE_CHECKING

from tertulia.infra.db.database import Database
from tertulia.infra.db.sqlite.database import SqliteDatabase
from tertulia.settings import Settings

if TYPE_CHECKING:
    from tertulia.infra.db.postgres.database import PostgresDatabase


def open_database(settings: Settings) -> Database:
    """Open the database, made or brought to the newest schema first where need be."""
    if settings.database_url:
        return load_postgres()(
            settings.database_url,
            connections=settings.database_connections,
            busy_seconds=settings.busy_seconds,
            may_prepare=settings.database_prepares,
        )
    return SqliteDatabase(settings.database, busy_seconds=settings.busy_seconds)


def load_postgres() -> "type[PostgresDatabase]":
    """Load PostgreSQL's driver, which takes its time, only for those who use it."""
    return import_module("tertulia.infra.db.postgres.database").PostgresDatabase
