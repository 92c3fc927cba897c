"""Who is asking, as routes see it: `Me`, or `Member`, `Admin`, `Owner` where a role is needed.

`accounts` provides the `Authenticator`, so that every route on every rung and
every kind of credential goes through the same one function.
"""

from typing import Annotated, Protocol, cast

from fastapi import Depends, Request

from tertulia.core.principal import Principal, Role
from tertulia.infra.http.dependencies import get_part

#: Where a request keeps who sent it.
PRINCIPAL_SCOPE_KEY = "tertulia.principal"


class Authenticator(Protocol):
    """Finds out who sent a request, and that they may still act."""

    async def identify(self, request: Request) -> Principal:
        """Return the principal, or raise `NotSignedIn`."""
        ...

    async def is_still_allowed(self, principal: Principal) -> bool:
        """Tell whether a principal met earlier may still act: streams ask before they send anything."""
        ...


class RoleRequired:
    """A dependency that lets through only those whose role covers `role`."""

    def __init__(self, role: Role) -> None:
        self.role = role

    async def __call__(self, request: Request) -> Principal:
        """Return the principal behind a request, or raise."""
        principal = await identify(request)
        principal.require(self.role)
        return principal


async def identify(request: Request) -> Principal:
    """Return who sent a request; they are looked up once, however often that is asked."""
    if PRINCIPAL_SCOPE_KEY not in request.scope:
        authenticator: Authenticator = get_part(request, Authenticator)
        request.scope[PRINCIPAL_SCOPE_KEY] = await authenticator.identify(request)
    return cast("Principal", request.scope[PRINCIPAL_SCOPE_KEY])


async def _authenticator(request: Request) -> Authenticator:
    authenticator: Authenticator = get_part(request, Authenticator)
    return authenticator


Auth = Annotated[Authenticator, Depends(_authenticator)]
Me = Annotated[Principal, Depends(RoleRequired(Role.VIEWER))]
Member = Annotated[Principal, Depends(RoleRequired(Role.MEMBER))]
Admin = Annotated[Principal, Depends(RoleRequired(Role.ADMIN))]
Owner = Annotated[Principal, Depends(RoleRequired(Role.OWNER))]
