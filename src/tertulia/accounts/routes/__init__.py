"""The accounts' doors, all under /api."""

from fastapi import APIRouter

from tertulia.accounts.routes import me, members, signing_in, workspace

router = APIRouter(prefix="/api", tags=["accounts"])
for part in (signing_in, me, workspace, members):
    router.include_router(part.router)

__all__ = ["router"]
