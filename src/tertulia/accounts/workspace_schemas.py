"""What the routes about a workspace take and give: settings, members, invitations, audit."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from tertulia.accounts.domain import MemberStatus, NewOneTimeLink, OneTimeLink
from tertulia.accounts.schemas import EmailText
from tertulia.core.principal import Role
from tertulia.infra.http.schema import CursorPage, Schema, ShortText, Timestamp

#: Adding 0.0 leaves no negative zero, which would be told as "$-0.00".
Dollars = Annotated[
    float,
    Field(ge=0, le=1_000_000_000, allow_inf_nan=False, strict=True),
    AfterValidator(lambda usd: usd + 0.0),
]
Lanes = Annotated[int, Field(ge=1, le=1_000_000, strict=True)]


class SettingsView(Schema):
    """What a workspace decides for its members; null leaves it to the server."""

    monthly_limit_usd: float | None
    monthly_limit_per_person_usd: float | None
    lanes_per_person: int | None
    lanes_per_workspace: int | None
    utility_model: str | None
    default_models: list[str]


class SettingsChange(Schema):
    """The settings to change; those left out stay."""

    monthly_limit_usd: Dollars | None = None
    monthly_limit_per_person_usd: Dollars | None = None
    lanes_per_person: Lanes | None = None
    lanes_per_workspace: Lanes | None = None
    utility_model: ShortText | None = None
    default_models: list[ShortText] = Field(default=[], max_length=1_000)


class WorkspaceView(Schema):
    """A workspace with its settings."""

    id: str
    name: str
    settings: SettingsView
    created_at: Timestamp


class WorkspaceChange(Schema):
    """What to change about the workspace."""

    name: ShortText | None = None
    settings: SettingsChange | None = None


class WorkspaceBody(Schema):
    """A workspace to make."""

    name: ShortText


class MemberView(Schema):
    """One person in the workspace."""

    user_id: str
    email: str
    name: str
    role: Role
    status: MemberStatus
    joined_at: Timestamp


class MemberList(Schema):
    """Everyone in the workspace."""

    items: list[MemberView]


class MemberChange(Schema):
    """What to change about a member."""

    role: Role | None = None
    status: MemberStatus | None = None


class InvitationBody(Schema):
    """Whom to invite, and as what; without an email whoever has the link can use it."""

    role: Role = Role.MEMBER
    email: EmailText | None = None


class InvitationView(Schema):
    """An invitation that nobody has used yet."""

    id: str
    role: Role
    email: str | None
    made_by: str | None
    created_at: Timestamp
    expires_at: Timestamp

    @classmethod
    def of(cls, link: OneTimeLink) -> "InvitationView":
        """Show an invitation."""
        return cls.model_validate(link, extra="ignore")


class InvitationList(Schema):
    """The invitations that can still be used."""

    items: list[InvitationView]


class NewInvitationView(InvitationView):
    """An invitation just made: the only time that its token is shown."""

    token: str

    @classmethod
    def made(cls, made: NewOneTimeLink) -> "NewInvitationView":
        """Show a new invitation with its secret."""
        shown = InvitationView.of(made.link)
        return cls(**shown.model_dump(mode="python"), token=made.secret)


class ResetLinkView(Schema):
    """A link to choose a new password: the only time that its token is shown."""

    token: str
    expires_at: Timestamp


class AuditEntryView(Schema):
    """One thing that was done in the workspace."""

    id: str
    at: Timestamp
    actor_id: str
    action: str
    subject_id: str
    detail: dict[str, Any]


class AuditPage(CursorPage):
    """What was done, the newest first."""

    items: list[AuditEntryView]
