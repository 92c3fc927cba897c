"""Who is asking: every read and write of people's data names one."""

from dataclasses import dataclass, replace
from enum import StrEnum

from tertulia.core.errors import NotAllowed


class Role(StrEnum):
    """What a member may do in a workspace; each role may do all that the next one may."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"
    VIEWER = "viewer"

    def covers(self, required: "Role") -> bool:
        """Tell whether this role may do everything `required` may."""
        ranks = list(Role)
        return ranks.index(self) <= ranks.index(required)


@dataclass(frozen=True, slots=True)
class Principal:
    """One member acting in one workspace, through one credential."""

    user_id: str
    workspace_id: str
    role: Role
    credential_id: str = ""

    def require(self, role: Role) -> None:
        """Raise `NotAllowed` unless the member's role covers `role`."""
        if not self.role.covers(role):
            raise NotAllowed

    def as_any_member(self) -> "Principal":
        """Return somebody who owns nothing: they see exactly what every member of the workspace may see."""
        return replace(self, user_id="", credential_id="")
