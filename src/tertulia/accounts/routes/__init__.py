"""The accounts' doors, all under /api."""

from tertulia.accounts.routes import me, members, session, workspace
from tertulia.infra.http.errors import ErrorBody
from tertulia.infra.http.routing import Router

router = Router(
    prefix="/api",
    tags=["accounts"],
    responses={"4XX": {"model": ErrorBody, "description": "Refused, and why"}},
)
for part in (session, me, workspace, members):
    router.include_router(part.router)

__all__ = ["router"]
