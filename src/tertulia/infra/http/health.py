"""Whether the process lives, and whether it can do its work."""

from fastapi import Request

from tertulia import __version__
from tertulia.infra.dependency_checks import DependencyChecks
from tertulia.infra.http.dependencies import get_part
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import Schema

router = Router(tags=["operation"])


class ReadyView(Schema):
    """The process can do its work; each dependency is `ok` or says in a sentence what it lacks."""

    status: str
    dependencies: dict[str, str]


@router.head("/health", include_in_schema=False)
@router.get("/health")
async def health() -> dict[str, str]:
    """Tell that the process lives, and its version."""
    return {"status": "ok", "version": __version__}


@router.head("/ready", include_in_schema=False)
@router.get("/ready")
async def ready(request: Request) -> ReadyView:
    """Tell that all that the process needs can be reached, and that it was not told to stop."""
    return ReadyView(status="ready", dependencies=await get_part(request, DependencyChecks).check())
