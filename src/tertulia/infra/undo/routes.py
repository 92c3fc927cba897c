"""Undoing a deletion over HTTP."""

from typing import Annotated

from fastapi import Depends, Request

from tertulia.infra.http.dependencies import get_part
from tertulia.infra.http.identity import Member
from tertulia.infra.http.routing import Router
from tertulia.infra.undo.service import PendingDeletions

router = Router(prefix="/api/deletions", tags=["deletions"])


async def _deletions(request: Request) -> PendingDeletions:
    return get_part(request, PendingDeletions)


@router.post("/{deletion_id}/restore", status_code=204)
async def restore(
    deletion_id: str, me: Member, deletions: Annotated[PendingDeletions, Depends(_deletions)]
) -> None:
    """Bring back what you deleted, as long as that is possible."""
    await deletions.restore(deletion_id, by=me)
