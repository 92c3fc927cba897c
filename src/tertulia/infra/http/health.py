"""Whether the process lives, and whether it can do its work."""

from fastapi import Request

from tertulia import __version__
from tertulia.infra.datadir import DataDir
from tertulia.infra.db.errors import DiskFull
from tertulia.infra.http.parts import Db, part
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
    """Tell that there is room on the disk and that the database can be written."""
    if part(request, DataDir).is_full:
        raise DiskFull
    await db.write(lambda tx: tx.value("SELECT 1"), by=None)
    return {"status": "ready"}
