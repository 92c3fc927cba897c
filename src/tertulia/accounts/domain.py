"""People and workspaces, and the rules about them that need no database."""

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from tertulia.accounts.errors import EmailInvalid, RoleTooHigh
from tertulia.core.principal import Principal, Role

EMAIL_MAX_CHARS = 254
#: What HTML calls a valid email address: letters of other scripts could pass for one another.
EMAIL_PATTERN = re.compile(
    r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}"
    r"@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*",
    re.ASCII,
)


class MemberStatus(StrEnum):
    """Whether a person, or a membership, may act."""

    ACTIVE = "active"
    SUSPENDED = "suspended"


class LinkPurpose(StrEnum):
    """What a one-time link is for."""

    SETUP = "setup"
    INVITE = "invite"
    RESET = "reset"


@dataclass(frozen=True, slots=True)
class User:
    """One person on this server, whatever workspaces they belong to."""

    id: str
    email: str
    name: str
    status: MemberStatus
    created_at: datetime
    password_hash: str = field(repr=False)
    #: Where they are, by the name that IANA gives it; None while nobody has said.
    time_zone: str | None = None


@dataclass(frozen=True, slots=True)
class PersonHere:
    """What models are told of a person: what they are called, and where they are."""

    id: str
    #: Empty once their account is deleted.
    name: str
    time_zone: str | None


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """What a workspace decides for its members; None leaves it to the server."""

    monthly_limit_usd: float | None = None
    monthly_limit_per_person_usd: float | None = None
    lanes_per_person: int | None = None
    lanes_per_workspace: int | None = None
    utility_model: str | None = None
    default_models: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Workspace:
    """A place that keeps its people's work apart from every other's."""

    id: str
    name: str
    settings: WorkspaceSettings
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Membership:
    """A workspace as one of its members sees it in a list."""

    workspace_id: str
    name: str
    role: Role
    status: MemberStatus


@dataclass(frozen=True, slots=True)
class Member:
    """One person in one workspace, as the others see them."""

    user_id: str
    email: str
    name: str
    role: Role
    status: MemberStatus
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class Profile:
    """Who a principal is, where they act, and where else they could."""

    user: User
    workspace: Workspace
    role: Role
    workspaces: list[Membership]


@dataclass(frozen=True, slots=True)
class Session:
    """One browser that is signed in."""

    id: str
    user_id: str
    workspace_id: str
    user_agent: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A key for programs: it acts for its member, with whatever role they have at the time."""

    id: str
    name: str
    prefix: str
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class OneTimeLink:
    """A link that works once."""

    id: str
    purpose: LinkPurpose
    workspace_id: str | None
    role: Role | None
    email: str | None
    user_id: str | None
    made_by: str | None
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class NewOneTimeLink:
    """A link just made, with the secret that is shown this once."""

    link: OneTimeLink
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """Where a request came from, as far as we can tell."""

    address: str
    user_agent: str = ""


@dataclass(frozen=True, slots=True)
class SignInContext:
    """What signing in is told besides the secrets: who asks from where, and how long a session lasts."""

    client: ClientInfo
    lifetime: timedelta


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session just opened, with the secret that its cookie carries."""

    principal: Principal
    secret: str = field(repr=False)


def normalise_email(text: str) -> str:
    """Return the one way we write this address; addresses that differ in case alone are the same."""
    email = text.strip().lower()
    # Some letters of other scripts become ASCII only when they are written small.
    if not text.strip().isascii() or len(email) > EMAIL_MAX_CHARS or EMAIL_PATTERN.fullmatch(email) is None:
        raise EmailInvalid
    return email


def check_manages(role: Role, other: Role) -> None:
    """Raise unless `role` may give, change or take away `other`: admins manage those below them."""
    manages = role is Role.OWNER or (role is Role.ADMIN and not other.covers(Role.ADMIN))
    if not manages:
        raise RoleTooHigh(other)
