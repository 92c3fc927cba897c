"""What all routes of accounts share."""

from tertulia.infra.http.errors import ErrorBody
from tertulia.infra.http.routing import Router


def account_router() -> Router:
    """Return a router for some of the accounts' doors, which are all under /api."""
    return Router(
        prefix="/api",
        tags=["accounts"],
        responses={"4XX": {"model": ErrorBody, "description": "Refused, and why"}},
    )
