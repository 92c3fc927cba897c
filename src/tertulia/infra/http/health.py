"""Whether the process lives, and whether it can do its work."""

import asyncio

from fastapi import Request

from tertulia import __version__
from tertulia.infra.datadir import DataDir
from tertulia.infra.http.dependencies import Db, get_part
from tertulia.infra.http.routing import Router

router = Router(tags=["operation"])


@router.head("/health", include_in_schema=False)
@router.get("/health")
async def health() -> dict[str, str]:
    """Tell that the process lives, and its version."""
    return {"status": "ok", "version": __version__}


@router.head("/ready", include_in_schema=False)
@router.get("/ready")
async def ready(request: Request, db: Db) -> dict[str, str]:
    """Tell that the disk has room and can be written, and that the database can be reached."""
    await asyncio.to_thread(get_part(request, DataDir).check_writable)
    await db.write(lambda tx: tx.value("SELECT 1"), by=None)
    return {"status": "ready"}
