"""What routes are given: the parts that the server built once at its start."""

from typing import Annotated, TypeVar, cast

from fastapi import Depends, Request

from tertulia.infra.db import Database
from tertulia.infra.events import EventLog
from tertulia.settings import Settings

T = TypeVar("T")


def get_part(request: Request, part_class: type[T]) -> T:
    """Return the one part of this kind that the server was built with."""
    return cast("T", request.app.state.parts[part_class])


async def _database(request: Request) -> Database:
    return get_part(request, Database)


async def _log(request: Request) -> EventLog:
    return get_part(request, EventLog)


async def _settings(request: Request) -> Settings:
    return get_part(request, Settings)


Db = Annotated[Database, Depends(_database)]
Log = Annotated[EventLog, Depends(_log)]
Config = Annotated[Settings, Depends(_settings)]
