"""The accounts' doors, all under /api."""

from tertulia.accounts.routes import me, members, signing_in, workspace
from tertulia.infra.http.errors import ErrorBody
from tertulia.infra.http.routing import Router

router = Router(
    prefix="/api",
    tags=["accounts"],
    responses={"4XX": {"model": ErrorBody, "description": "Refused, and why"}},
)
for part in (signing_in, me, workspace, members):
    router.include_router(part.router)

__all__ = ["router"]
